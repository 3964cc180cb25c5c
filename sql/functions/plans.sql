-- Plans: a length of work and a length of rest, in turn.

-- Saves a plan under its name and replaces one of the same name; at most most_plans().
CREATE OR REPLACE FUNCTION save_plan(user_id uuid, name text, work_seconds integer, rest_seconds integer)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  owner students := lock_student(user_id);
BEGIN
  INSERT INTO plans (uid, name, work_seconds, rest_seconds) VALUES (owner.uid, name, work_seconds, rest_seconds)
    ON CONFLICT ON CONSTRAINT plans_key
    DO UPDATE SET work_seconds = excluded.work_seconds, rest_seconds = excluded.rest_seconds;
  IF (SELECT count(*) FROM plans p WHERE p.uid = owner.uid) > most_plans() THEN
    PERFORM refuse('too_many_plans', format('at most %s plans', most_plans()));
  END IF;
END $$;
