-- The perfect ant is told of by one device: of those that ask in the same instant the first alone.

-- Notes that the perfect ant of today has been shown, or of yesterday, if that is said; once.
CREATE OR REPLACE FUNCTION announce_perfect(whose uuid, which date DEFAULT NULL)
  RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  today date := today_of(whose);
BEGIN
  IF which NOT BETWEEN today - 1 AND today THEN
    RAISE EXCEPTION 'neither today nor yesterday' USING ERRCODE = 'check_violation', CONSTRAINT = 'not_today';
  END IF;
  INSERT INTO perfect_announcements (uid, day) VALUES (whose, coalesce(which, today)) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'it has been shown' USING ERRCODE = 'check_violation', CONSTRAINT = 'already_announced';
  END IF;
END $$;
