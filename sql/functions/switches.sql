-- Switches: the boolean columns of users that have no effect on other tables, each by the name of its column. (Not
-- global_board, which changes ranks.)

-- Whether each of these switches is on, in their order.
CREATE OR REPLACE FUNCTION switches_of(person users, names text[]) RETURNS boolean[]
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  columns jsonb := to_jsonb(person);
BEGIN
  RETURN ARRAY(SELECT (columns ->> n.name)::boolean FROM unnest(names) WITH ORDINALITY n (name, place)
    ORDER BY n.place);
END $$;

CREATE OR REPLACE FUNCTION set_switch(user_id uuid, name text, is_on boolean)
  RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  EXECUTE format('UPDATE users u SET %I = $2 WHERE u.uid = $1', name) USING user_id, is_on;
END $$;
