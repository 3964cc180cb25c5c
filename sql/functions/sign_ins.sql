-- Sign-ins: the devices that are signed in, and the keys of other programs.

-- From when on it is noted again that a sign-in was seen. The first use of a key is noted at once.
CREATE OR REPLACE FUNCTION seen_again_from(s sign_ins) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
  RETURN CASE
    WHEN s.scopes IS NOT NULL AND s.last_seen_at = s.created_at THEN s.created_at
    ELSE s.last_seen_at + last_seen_step()
  END;
