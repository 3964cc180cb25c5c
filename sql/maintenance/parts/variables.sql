-- Checks a script's variables, for every script of this folder. Before it includes this file, the script sets
--   ON_ERROR_STOP, which here would come too late for the script itself
--   script   its name, without .sql
--   takes    the names of its variables; those that may be left out in brackets. Of one with a star, the first digits
--            are enough
-- What each variable means and how it is written is in variables_of_scripts(). Here each is empty unless it is given.

-- A script of this session may have refused in its transaction (begin.sql).
\if :{?begun}
ROLLBACK;
\unset begun
\endif
\set QUIET on
\set VERBOSITY terse
\set AUTOCOMMIT on
\pset footer off
\pset pager off
\if :{?answer} \else \set answer '' \endif
\if :{?apply} \else \set apply 0 \endif
\if :{?at} \else \set at '' \endif
\if :{?audit_months} \else \set audit_months '' \endif
\if :{?ban} \else \set ban '' \endif
\if :{?change} \else \set change '' \endif
\if :{?days} \else \set days '' \endif
\if :{?email} \else \set email '' \endif
\if :{?free} \else \set free '' \endif
\if :{?from} \else \set from '' \endif
\if :{?group} \else \set group '' \endif
\if :{?interval} \else \set interval '' \endif
\if :{?kind} \else \set kind '' \endif
\if :{?language} \else \set language '' \endif
\if :{?mail} \else \set mail '' \endif
\if :{?mail_late} \else \set mail_late '' \endif
\if :{?month} \else \set month '' \endif
\if :{?name} \else \set name '' \endif
\if :{?often} \else \set often '' \endif
\if :{?old_addresses} \else \set old_addresses '' \endif
\if :{?owner} \else \set owner '' \endif
\if :{?reason} \else \set reason '' \endif
\if :{?report} \else \set report '' \endif
\if :{?second} \else \set second '' \endif
\if :{?seconds} \else \set seconds '' \endif
\if :{?session} \else \set session '' \endif
\if :{?since} \else \set since '' \endif
\if :{?starts} \else \set starts '' \endif
\if :{?to} \else \set to '' \endif
\if :{?uid} \else \set uid '' \endif
\if :{?until} \else \set until '' \endif
\if :{?waiting} \else \set waiting '' \endif
\if :{?zone} \else \set zone '' \endif

-- Who runs it: by=NAME, or the login (also before sudo), or the role in the database.
\if :{?by} \else \getenv by SUDO_USER \endif
\if :{?by} \else \getenv by USER \endif
\if :{?by} \else \getenv by LOGNAME \endif
SELECT session_user AS role, coalesce(nullif(:'apply', ''), '0') AS apply \gset
\if :{?by} \else \set by :role \endif

SELECT admin_variables(:'script', :'takes' || ' [apply] by', jsonb_build_object(
  'answer', :'answer', 'apply', :'apply', 'at', :'at', 'audit_months', :'audit_months', 'ban', :'ban', 'by', :'by',
  'change', :'change', 'days', :'days', 'email', :'email', 'free', :'free', 'from', :'from', 'group', :'group',
  'interval', :'interval', 'kind', :'kind', 'language', :'language', 'mail', :'mail', 'mail_late', :'mail_late',
  'month', :'month', 'name', :'name', 'often', :'often', 'old_addresses', :'old_addresses', 'owner', :'owner',
  'reason', :'reason', 'report', :'report', 'second', :'second', 'seconds', :'seconds', 'session', :'session',
  'since', :'since', 'starts', :'starts', 'to', :'to', 'uid', :'uid', 'until', :'until', 'waiting', :'waiting',
  'zone', :'zone')) AS given \gset
