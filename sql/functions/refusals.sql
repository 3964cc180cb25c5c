-- Refusals: how a function says no.

-- Refuses what is asked by the name of the rule that it breaks. The program finds the name where the server puts those of
-- constraints; it stands in HINT as well, since a database that is spread over several nodes passes only that on.
CREATE OR REPLACE FUNCTION refuse(rule text, message text, sqlstate_name text DEFAULT 'check_violation')
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '%', message USING ERRCODE = sqlstate_name, CONSTRAINT = rule, HINT = rule;
END $$;

-- Rows of some tables are only ever added.
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM refuse(TG_TABLE_NAME || '_append_only', format('%s is only ever added to', TG_TABLE_NAME));
  RETURN NULL;
END $$;
