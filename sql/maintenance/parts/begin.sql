-- Begins a script that changes something: checks its variables (variables.sql), which include a reason, and begins a
-- transaction that remembers the ranks as they are. The script then makes its change by one function, admin_SCRIPT,
-- puts the number that it returns into :change, and includes end.sql.

\set takes :takes ' reason'
\ir variables.sql

BEGIN;
\set begun 1
SET LOCAL lock_timeout = '5s';
-- Should psql stand still, what the change has locked is free again after this.
SET LOCAL idle_in_transaction_session_timeout = '5s';
SELECT anthill_clock() AS now \gset
CREATE TEMPORARY TABLE ranks_before ON COMMIT DROP AS SELECT * FROM admin_ranks(:'given', :'now');
SELECT admin_touches(:'given') AS touches \gset
\if :{?touches} \echo :touches \endif
