-- Ends a script that changes something: prints which ranks change, and keeps the change only if apply=1.

CREATE TEMPORARY TABLE ranks_changed ON COMMIT DROP AS
  SELECT coalesce(a.board, b.board) AS board, month, uid, coalesce(a.nickname, b.nickname) AS nickname,
         b.rank AS old_rank, a.rank AS new_rank,
         make_interval(secs => b.seconds) AS old_time, make_interval(secs => a.seconds) AS new_time
  FROM ranks_before b FULL JOIN admin_ranks(:'given', :'now') a USING (board_id, month, uid)
  WHERE a.rank IS DISTINCT FROM b.rank
    OR (a.touched OR b.touched) AND a.seconds IS DISTINCT FROM b.seconds;
SELECT EXISTS (SELECT FROM ranks_changed) AS ranks_change \gset
\if :ranks_change
SELECT board, to_char(month, 'YYYY-MM') AS month, nickname AS who,
       format('%s → %s', coalesce(old_rank::text, '–'), coalesce(new_rank::text, '–')) AS rank,
       CASE WHEN old_time = new_time THEN new_time::text
            ELSE format('%s → %s', coalesce(old_time::text, '–'), coalesce(new_time::text, '–')) END AS time
FROM ranks_changed ORDER BY board, 2, coalesce(new_rank, old_rank), nickname, uid;
\else
\echo 'No rank changes.'
\endif
SELECT CASE WHEN :apply = 1 THEN admin_result(:change) ELSE 'Nothing has changed: add -v apply=1.' END AS result,
       CASE WHEN :apply = 1 THEN 'COMMIT' ELSE 'ROLLBACK' END AS finish \gset
:finish;
\echo :result
