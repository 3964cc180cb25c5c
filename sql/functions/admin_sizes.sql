-- Sizes: what the database's tables and indexes take on the disk, and how fast they grow.

-- The statement that looks at a share (in percent) of a table's pages. It returns the number of rows in them, the mean
-- width of each column, how many of the rows were made in the $1 days before $2, and how many of these days have passed
-- since the first row.
CREATE OR REPLACE FUNCTION sampling_statement(sampled oid, share real) RETURNS text
  LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  -- The first of these that a table has tells when a row was made.
  told_by text[] := ARRAY['recorded_at', 'created_at', 'at', 'noted_at', 'joined_at', 'asked_at', 'closed_at',
                          'earned_at', 'planned_at', 'started_at', 'changed_at', 'day', 'month', 'set_at', 'first_day',
                          'from_month', 'since', 'made_at', 'written_at', 'banned_at'];
BEGIN
  RETURN (
    SELECT format('SELECT count(*), ARRAY[%1$s]::float8[],'
                  '  count(*) FILTER (WHERE %2$s > $2 - make_interval(days => $1)),'
                  '  greatest(1, least($1, extract(epoch FROM $2 - min(%2$s)::timestamptz) / 86400))'
                  ' FROM %3$s TABLESAMPLE SYSTEM (%4$s)',
                  string_agg(format('coalesce(avg(pg_column_size(%I)), 0)', a.attname), ', ' ORDER BY a.attnum),
                  coalesce(quote_ident(told_by[min(array_position(told_by, a.attname::text))]), 'NULL::timestamptz'),
                  sampled::regclass, share)
    FROM pg_attribute a WHERE a.attrelid = sampled AND a.attnum > 0 AND NOT a.attisdropped);
END $$;

-- How large each table and each index is. A table's rows, the bytes that nothing is in, and its growth are estimated
-- from at most `pages` of its pages. Its growth is that of the rows of the last days that are still there, each with
-- the bytes that a row takes now, in the table and in its indexes; a younger table is measured since its first row.
-- Unused bytes of an index are unknown (empty) where its keys are not plain columns of all rows.
CREATE OR REPLACE FUNCTION admin_sizes(over_days integer DEFAULT 30, pages integer DEFAULT 2000) RETURNS TABLE (
  relation text, of_table text, row_count bigint, bytes bigint, unused_bytes bigint, daily_bytes bigint
) LANGUAGE plpgsql STABLE ROWS 200 SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  t record;
  share real;
  seen bigint;
  widths float8[];
  made bigint;
  days float8;
BEGIN
  FOR t IN
    SELECT c.oid, c.relname::text AS name, pg_relation_size(c.oid) AS heap, pg_table_size(c.oid) AS own,
           pg_total_relation_size(c.oid) AS whole,
           coalesce((SELECT o.option_value::integer FROM pg_options_to_table(c.reloptions) o
                     WHERE o.option_name = 'fillfactor'), 100) AS fillfactor
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname
  LOOP
    share := least(100, 100.0 * pages * current_setting('block_size')::integer / greatest(t.heap, 1));
    EXECUTE sampling_statement(t.oid, share) INTO seen, widths, made, days USING over_days, anthill_clock();
    relation := t.name;
    of_table := NULL;
    row_count := seen * 100 / share;
    bytes := t.own;
    -- A row has a head of 24 bytes and a pointer of 4, and begins at a multiple of 8.
    unused_bytes := greatest(0, t.own - row_count * (32 + (SELECT sum(w) FROM unnest(widths) w)) * 100 / t.fillfactor);
    daily_bytes := CASE WHEN seen > 0 THEN made / seen::float8 * t.whole / days ELSE 0 END;
    RETURN NEXT;
    RETURN QUERY
      SELECT i.relname::text, t.name, NULL::bigint, pg_relation_size(i.oid),
             CASE WHEN x.indpred IS NULL AND x.indexprs IS NULL AND m.amname = 'btree' THEN
               -- A key has a head of 8 bytes and a pointer of 4; its pages are filled to nine tenths.
               greatest(0, pg_relation_size(i.oid) - 8192 - row_count * (16 + k.width) / 0.9)::bigint END,
             NULL::bigint
      FROM pg_index x
      JOIN pg_class i ON i.oid = x.indexrelid
      JOIN pg_am m ON m.oid = i.relam
      CROSS JOIN LATERAL (
        SELECT sum(widths[(SELECT count(*) FROM pg_attribute a
                           WHERE a.attrelid = t.oid AND a.attnum BETWEEN 1 AND k.attnum
                             AND NOT a.attisdropped)]) AS width
        FROM unnest(x.indkey::smallint[]) k (attnum)
      ) k
      WHERE x.indrelid = t.oid ORDER BY i.relname;
  END LOOP;
END $$;
