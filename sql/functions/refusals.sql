-- Refusals: how a function says no.

-- Refuses what is asked by the name of the rule that it breaks. The program finds the name where the server puts those of
-- constraints; it stands in HINT as well, since a database that is spread over several nodes passes only that on. What
-- else the program is to know goes into DETAIL.
CREATE OR REPLACE FUNCTION refuse(
  rule text, message text, sqlstate_name text DEFAULT 'check_violation', facts jsonb DEFAULT NULL
) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF facts IS NULL THEN
    RAISE EXCEPTION '%', message USING ERRCODE = sqlstate_name, CONSTRAINT = rule, HINT = rule;
  END IF;
  RAISE EXCEPTION '%', message USING ERRCODE = sqlstate_name, CONSTRAINT = rule, HINT = rule, DETAIL = facts;
END $$;

-- Rows of some tables are only ever added.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse(TG_TABLE_NAME || '_append_only', format('%s is only ever added to', TG_TABLE_NAME));
  RETURN NULL;
END $$;
