-- The variables of the scripts in sql/maintenance: what each means, in all of them, and how it is written.

CREATE OR REPLACE FUNCTION variables_of_scripts() RETURNS TABLE (name text, kind text, meaning text, sample text)
  LANGUAGE plpgsql IMMUTABLE ROWS 30 SET search_path = public, pg_temp AS $$
BEGIN
  RETURN QUERY VALUES
    ('answer', 'text', 'the answer', '''…'''),
    ('apply', 'apply', '1 to do it', '1'),
    ('at', 'instant', 'the time', '2026-11-21T09:00+09:00'),
    ('audit_months', 'count', 'for how many months the audit is kept', '24'),
    ('ban', 'apply', '1 to ban them, too', '1'),
    ('by', 'name', 'your name', 'NAME'),
    ('change', 'number', 'the number of the change', '12'),
    ('days', 'count', 'the days', '30'),
    ('email', 'email', 'the address', 'NAME@EXAMPLE.ORG'),
    ('free', 'size', 'the free space of the disk', '40G'),
    ('from', 'instant', 'the start', '2026-11-21T09:00+09:00'),
    ('group', 'uuid', 'the group', 'UUID'),
    ('interval', 'uuid', 'the interval', 'UUID'),
    ('kind', 'text', 'the kind of mail', 'password_reset'),
    ('language', 'language', 'the language of the mail, ko or en', 'ko'),
    ('mail', 'uuid', 'the mail', 'UUID'),
    ('mail_late', 'length', 'how long a message may be due', '''10 minutes'''),
    ('month', 'month', 'the month', '2026-10'),
    ('old_addresses', 'apply', '1 to let nobody take an old address back', '1'),
    ('name', 'name', 'the new name', '''…'''),
    ('often', 'number', 'how many it takes', '3'),
    ('owner', 'uuid', 'the owner who hands it on', 'UUID'),
    ('reason', 'text', 'the reason', '''…'''),
    ('report', 'uuid', 'the report', 'UUID'),
    ('second', 'uuid', 'the second account', 'UUID'),
    ('seconds', 'number', 'the seconds', '3600'),
    ('session', 'uuid', 'the session', 'UUID'),
    ('since', 'day', 'the first day', '2026-10-01'),
    ('starts', 'time', 'the time before 12:00 at which a study day begins', '05:00'),
    ('to', 'instant', 'the end', '2026-11-21T10:30+09:00'),
    ('uid', 'uuid', 'the user', 'UUID'),
    ('until', 'instant', 'the time until which they are suspended', '2026-12-05T09:00+09:00'),
    ('waiting', 'apply', '1 for the mails that wait', '1'),
    ('zone', 'zone', 'the time zone', 'Asia/Seoul');
END $$;

-- Whether a value is written as its kind wants it.
CREATE OR REPLACE FUNCTION is_written_as(kind text, value text) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  RETURN CASE kind
    WHEN 'uuid' THEN value ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    WHEN 'month' THEN value ~ '^\d{4}-\d\d$' AND isfinite((value || '-01')::date)
    WHEN 'day' THEN value ~ '^\d{4}-\d\d-\d\d$' AND isfinite(value::date)
    WHEN 'number' THEN value ~ '^\d{1,9}$'
    WHEN 'count' THEN value ~ '^\d{1,4}$' AND value::integer > 0
    WHEN 'apply' THEN value IN ('0', '1')
    WHEN 'name' THEN btrim(value) <> ''
    WHEN 'text' THEN btrim(value) <> ''
    -- As PostgreSQL writes it, or df -h.
    WHEN 'size' THEN value ~ '^\d{1,6}(\.\d{1,3})? ?(kB|MB|GB|TB|[KMGT])$'
    -- Plain ASCII: only the program brings other addresses into the one form by which they are the same.
    WHEN 'email' THEN char_length(value) <= 254 AND position('@' IN value) <= 65
      AND value ~ '^[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&''*+/=?^_`{|}~-]+)*@'
      AND value ~ '@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$'
      AND value !~ '@.*@'
    WHEN 'language' THEN value IN ('ko', 'en')
    WHEN 'length' THEN value ~ '^\d{1,6} (second|minute|hour|day)s?$'
    WHEN 'zone' THEN EXISTS (SELECT FROM time_zones z WHERE z.name = value)
    WHEN 'time' THEN value ~ '^(0\d|1[01]):[0-5]\d$'
    -- With a zone: the same text is another instant elsewhere.
    WHEN 'instant' THEN value ~ '^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(Z|[+-]\d\d(:?\d\d)?)$'
      AND isfinite(value::timestamptz)
  END;
EXCEPTION WHEN datetime_field_overflow OR invalid_datetime_format OR invalid_time_zone_displacement_value THEN
  RETURN false;
END $$;

-- Checks the variables of a script and returns those that were given. Refuses in one sentence. takes: the names of the
-- script's variables, in brackets if they may be left out, with a star if one or two first digits are enough. given:
-- what psql has, empty where nothing was given.
CREATE OR REPLACE FUNCTION admin_variables(script text, takes text, given jsonb) RETURNS jsonb
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  v record;
  longest integer;
BEGIN
  FOR v IN
    SELECT k.*, coalesce(given ->> k.name, '') AS value,
           format(' %s ', takes) LIKE format('%% %s %%', k.name) AS needed,
           replace(format(' %s ', takes), '*', '') LIKE format('%% [%s] %%', k.name) AS allowed,
           takes LIKE format('%%[%s*]%%', k.name) AND given ->> k.name ~* '^[0-9a-f]{1,2}$' AS is_begun
    FROM variables_of_scripts() k ORDER BY position(k.name IN takes)
  LOOP
    longest := CASE v.kind WHEN 'text' THEN 500 WHEN 'name' THEN 100 END;
    IF v.value = '' AND v.needed OR v.value <> '' AND (v.needed OR v.allowed)
      AND NOT is_written_as(v.kind, v.value) AND NOT v.is_begun THEN
      PERFORM refuse('wrong_variable', format('give %s: -v %s=%s', v.meaning, v.name, v.sample));
    ELSIF v.value <> '' AND NOT v.needed AND NOT v.allowed THEN
      PERFORM refuse('wrong_variable', format('%s takes no variable %s', script, v.name));
    ELSIF char_length(v.value) > longest THEN
      PERFORM refuse('wrong_variable',
                     format('%s has %s characters, and may have %s', v.meaning, char_length(v.value), longest));
    END IF;
  END LOOP;
  given := jsonb_object_agg(g.key, btrim(g.value)) FILTER (WHERE g.value <> '') FROM jsonb_each_text(given) g;
  -- Each table is touched only if it has to be: locks.sql runs while one is locked.
  IF given ? 'uid' THEN
    -- What somebody erased left behind may begin with any digits.
    IF char_length(given ->> 'uid') > 2 AND NOT EXISTS (
      SELECT FROM users u WHERE u.uid = (given ->> 'uid')::uuid
      UNION ALL SELECT FROM groups g WHERE takes LIKE '%[uid*]%' AND g.group_id = (given ->> 'uid')::uuid
    ) THEN
      PERFORM refuse('user_not_found', format('no user has the uid %s', given ->> 'uid'));
    END IF;
  END IF;
  IF given ? 'group' THEN
    -- One that is gone is still known by its closed months and by the people who were in it.
    IF NOT EXISTS (
      SELECT FROM groups g WHERE g.group_id = (given ->> 'group')::uuid
      UNION ALL SELECT FROM month_closes c WHERE c.group_id = (given ->> 'group')::uuid
    ) THEN
      PERFORM refuse('group_not_found', format('no group has the id %s', given ->> 'group'));
    END IF;
  END IF;
  RETURN given;
END $$;
