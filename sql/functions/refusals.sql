-- Refusals: how a function says no.

-- Refuses with the name of the broken rule. The program reads it where PostgreSQL puts the name of a constraint. HINT
-- repeats it, because a database that is spread over several nodes passes on nothing else. DETAIL holds further facts.
CREATE OR REPLACE FUNCTION refuse(
  rule text, message text, sqlstate_name text DEFAULT 'check_violation', facts jsonb DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF facts IS NULL THEN
    RAISE EXCEPTION '%', message USING ERRCODE = sqlstate_name, CONSTRAINT = rule, HINT = rule;
  END IF;
  RAISE EXCEPTION '%', message USING ERRCODE = sqlstate_name, CONSTRAINT = rule, HINT = rule, DETAIL = facts;
END $$;

-- The rule that a caught error names: where PostgreSQL puts the name of a constraint, or, if a node of a spread
-- database checked it, in the message, with a number behind it.
CREATE OR REPLACE FUNCTION broken_rule(constraint_name text, message text) RETURNS text
  LANGUAGE plpgsql IMMUTABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN coalesce(nullif(constraint_name, ''), substring(message FROM 'constraint "([a-z_]*[a-z])'), '');
END $$;

-- For tables whose rows are only added: refuses changes and deletions.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  name text := regexp_replace(TG_TABLE_NAME, '_\d+$', '');   -- a part of a spread table has a number
BEGIN
  PERFORM refuse(name || '_append_only', format('%s is only ever added to', name));
  RETURN NULL;
END $$;
