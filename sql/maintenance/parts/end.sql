-- Ends a script that changes something: keeps the change only if apply=1, and prints which ranks change. It prints
-- after the transaction, so that no lock waits for a slow terminal.

SELECT jsonb_agg(jsonb_build_object(
           'board', coalesce(a.board, b.board), 'month', to_char(month, 'YYYY-MM'), 'who', x.who,
           'rank', format('%s → %s', coalesce(b.rank::text, '–'), coalesce(a.rank::text, '–')),
           'time', CASE WHEN x.new_time = x.old_time THEN x.new_time::text
                        ELSE format('%s → %s', coalesce(x.old_time::text, '–'), coalesce(x.new_time::text, '–')) END)
         ORDER BY coalesce(a.board, b.board), month, coalesce(a.rank, b.rank), x.who, uid) AS ranks,
       CASE WHEN :apply = 1 THEN admin_result(:change) ELSE 'Nothing has changed: add -v apply=1.' END AS result,
       CASE WHEN :apply = 1 THEN 'COMMIT' ELSE 'ROLLBACK' END AS finish
FROM ranks_before b
FULL JOIN admin_ranks(:'given'::jsonb || jsonb_build_object('boards', ARRAY(
  SELECT DISTINCT board_id FROM ranks_before WHERE board_id <> 'global')), :'now') a USING (board_id, month, uid)
CROSS JOIN LATERAL (
  SELECT coalesce(a.nickname, b.nickname) AS who, make_interval(secs => b.seconds) AS old_time,
         make_interval(secs => a.seconds) AS new_time
) x
WHERE a.rank IS DISTINCT FROM b.rank OR (a.touched OR b.touched) AND a.seconds IS DISTINCT FROM b.seconds \gset
:finish;
\unset begun
\if :{?ranks}
SELECT * FROM jsonb_to_recordset(:'ranks') r (board text, month text, who text, rank text, "time" text);
\else
\echo 'No rank changes.'
\endif
\echo :result
-- It would be a variable of the next script in this session.
\unset change
