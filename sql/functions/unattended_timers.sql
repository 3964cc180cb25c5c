-- Timers that nobody attends to: overdue ones end, and who forgot one is told.

-- Ends at most `most` overdue timers, oldest first, and returns how many it ended; none if there are no more for now.
-- Nothing depends on it, because readers go by the clock. It skips users who are writing at that moment; the next call
-- ends their timers.
CREATE OR REPLACE FUNCTION end_overdue_timers(most integer DEFAULT 1000)
  RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  overdue uuid;
  ended integer := 0;
BEGIN
  FOR overdue IN SELECT i.uid FROM study_intervals i
                 WHERE timer_is_overdue(i.started_at, i.ended_at, anthill_clock())
                 ORDER BY i.started_at LIMIT most LOOP
    BEGIN
      PERFORM FROM students s WHERE s.uid = overdue FOR NO KEY UPDATE NOWAIT;
      PERFORM lock_student(overdue);
      ended := ended + 1;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN ended;
END $$;

-- Tells users that their timer has run for long without a pause (unattended_after), by mail and by push, once per
-- session, and returns how many. It skips users who want neither, and timers that are overdue: they no longer run.
CREATE OR REPLACE FUNCTION tell_of_unattended_timers() RETURNS bigint
  LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  clock timestamptz := anthill_clock();
  unattended record;
  told bigint := 0;
BEGIN
  FOR unattended IN
    WITH running AS MATERIALIZED (
      SELECT s.uid, s.session_id
      FROM study_intervals i
      JOIN study_sessions s ON s.uid = i.uid AND s.session_id = i.session_id
      WHERE timer_runs(i.started_at, i.ended_at, clock) AND i.started_at <= clock - unattended_after()
        AND s.unattended_mail_at IS NULL
    )
    SELECT s.uid, s.session_id, e.email, u.unattended_mail
    FROM running s
    JOIN users u ON u.uid = s.uid
    JOIN user_emails e ON e.uid = s.uid
    WHERE may_sign_in(u)
      AND (u.unattended_mail OR EXISTS (SELECT FROM push_devices(u.uid, 'unattended')))
    ORDER BY s.uid
  LOOP
    -- Of two instances at once, the second waits here and then finds it done.
    UPDATE study_sessions s SET unattended_mail_at = clock
      WHERE s.uid = unattended.uid AND s.session_id = unattended.session_id AND s.state = 'running'
        AND s.unattended_mail_at IS NULL;
    CONTINUE WHEN NOT FOUND;
    IF unattended.unattended_mail THEN
      PERFORM enqueue_mail('unattended_timer', unattended.email,
                           jsonb_build_object('uid', unattended.uid, 'session_id', unattended.session_id));
    END IF;
    PERFORM enqueue_push(unattended.uid, 'unattended', 'unattended', clock + unattended_push_life());
    told := told + 1;
  END LOOP;
  RETURN told;
END $$;

-- What the mail about an unattended timer says: whom it is to, the language, and the start in its owner's local time.
-- No row if the timer no longer runs, or if its owner wants no such mail.
CREATE OR REPLACE FUNCTION unattended_timer(user_id uuid, for_session uuid)
  RETURNS TABLE (nickname text, email text, locale text, began text)
  LANGUAGE plpgsql STABLE ROWS 1 SET search_path = public, pg_temp AS $$
BEGIN
  SELECT to_char(i.started_at AT TIME ZONE s.time_zone, 'HH24:MI') INTO began
    FROM study_intervals i
    JOIN students s ON s.uid = i.uid
    WHERE i.uid = user_id AND i.session_id = for_session AND timer_runs(i.started_at, i.ended_at, anthill_clock())
      AND i.started_at <= anthill_clock() - unattended_after();
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY
    SELECT u.nickname, e.email, u.locale, unattended_timer.began
    FROM users u
    JOIN user_emails e ON e.uid = u.uid
    WHERE u.uid = user_id AND u.unattended_mail AND may_sign_in(u);
END $$;
