"""The changes that run.py makes: small ones, each of which somebody could make by mistake.

A change replaces a text that is in its file exactly once. `tests` names the rings that can notice it, and what of each is
tried first: arguments of pytest, or a pattern of `swift test --filter`; with "" the whole ring at once. `same` says why a
change changes nothing that anybody could notice.
"""

import dataclasses

RULES = "Tests/reference/test_rules.py"
RACES = "Tests/reference/test_races.py"
RANDOM = "Tests/reference/test_random_study.py"


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    before: str
    after: str
    tests: dict[str, str]
    same: str | None = None

    def applied(self, text):
        """The text of the file after the change."""
        if text.count(self.before) != 1:
            raise SystemExit(f"{self.name}: {self.file} has its text {text.count(self.before)} times, not once.")
        return text.replace(self.before, self.after)


def rings(**tests):
    return {ring: first for ring, first in tests.items() if first is not None}


def sql(name, file, before, after, tests=RULES, swift="", blackbox=None, same=None):
    return Mutant(name, f"sql/functions/{file}.sql", before, after, rings(reference=tests, swift=swift, blackbox=blackbox), same)


def swift(name, file, before, after, tests, blackbox=None):
    return Mutant(name, f"Sources/{file}.swift", before, after, rings(swift=tests, blackbox=blackbox))


def js(name, file, before, after, tests):
    return Mutant(name, f"Sources/AnthillServer/Web/js/{file}.js", before, after, rings(browser=tests))


MUTANTS = [
    # Windows and edges
    sql(
        "a session can be changed for 49 hours instead of 48",
        "sessions",
        "IF finished < clock - logging_window() THEN",
        "IF finished < clock - logging_window() - interval '1 hour' THEN",
        swift="SessionChangeTests",
    ),
    sql(
        "a session can no longer be changed at 48 hours to the second",
        "sessions",
        "IF finished < clock - logging_window() THEN",
        "IF finished <= clock - logging_window() THEN",
        swift="SessionChangeTests",
    ),
    sql(
        "study that began 48 hours ago to the second is too old to be logged",
        "recording",
        """began < clock - logging_window()
      AND lower(tstzmultirange(tstzrange(began, cut)) - recorded) < clock - logging_window() THEN""",
        """began <= clock - logging_window()
      AND lower(tstzmultirange(tstzrange(began, cut)) - recorded) <= clock - logging_window() THEN""",
        swift="SessionTests",
        blackbox="Tests/blackbox/test_study.py",
    ),
    sql(
        "a stretch of 12 hours to the second is too long",
        "recording",
        "WHEN cut > began + longest_interval() THEN 'too_long'",
        "WHEN cut >= began + longest_interval() THEN 'too_long'",
        swift="SessionTests",
        blackbox="Tests/blackbox/test_study.py",
    ),
    sql(
        "a timer still runs at 12 hours to the second when its owner writes",
        "students",
        "i.started_at <= anthill_clock() - longest_interval();",
        "i.started_at < anthill_clock() - longest_interval();",
    ),
    sql(
        "study can be logged in the second in which its month closes",
        "totals",
        "IF clock >= closes_at THEN",
        "IF clock > closes_at THEN",
    ),
    sql(
        "a forgotten timer that is answered in the second of the close counts",
        "totals",
        "CONTINUE WHEN i.recorded_at >= closes_at;",
        "CONTINUE WHEN i.recorded_at > closes_at;",
    ),
    sql(
        "a month is written down a second after it closed",
        "standings",
        "(clock >= closes_at) IS NOT TRUE",
        "(clock > closes_at) IS NOT TRUE",
    ),
    sql(
        "whoever leaves in the second in which a month ends is not on its board",
        "boards",
        """      WHERE h.group_id = for_group AND h.joined_at < ends_at AND h.uid <> ALL (suspended)
        AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at >= ends_at))""",
        """      WHERE h.group_id = for_group AND h.joined_at < ends_at AND h.uid <> ALL (suspended)
        AND (h.left_at IS NULL OR (ends_at <= at AND h.left_at > ends_at))""",
        swift="RankingTests.MembershipTests",
    ),
    sql(
        "whoever joins in the second in which a month ends is on its board",
        "boards",
        "h.joined_at < ends_at AND h.uid <> ALL (suspended)",
        "h.joined_at <= ends_at AND h.uid <> ALL (suspended)",
        swift="RankingTests.MembershipTests",
    ),
    sql(
        "another time of the alarm counts only a second after the half hour",
        "alarm",
        "AND f.first_ring >= greatest(a.set_at, a.counts_from) AND f.first_ring < a.until",
        "AND f.first_ring > greatest(a.set_at, a.counts_from) AND f.first_ring < a.until",
        tests="Tests/reference/test_alarm.py",
        swift="StudyTests.AlarmTests",
    ),
    sql(
        "a ring can be answered six times",
        "alarm",
        "ELSIF asked.tries >= alarm_tries() THEN",
        "ELSIF asked.tries > alarm_tries() THEN",
        tests=None,
        swift="StudyTests.WakeUpTests",
    ),
    sql(
        "a third rest day can be planned in a month",
        "days",
        ">= rest_days_a_month() THEN 'too_many_rest_days'",
        "> rest_days_a_month() THEN 'too_many_rest_days'",
        tests=None,
        swift="StudyTests.StreakTests",
    ),
    sql(
        "a suspension goes on in the second in which it ends",
        "suspensions",
        "tstzrange(s.since, coalesce(s.lifted_at, s.until)) @> at",
        "tstzrange(s.since, coalesce(s.lifted_at, s.until), '[]') @> at",
        swift="GroupsTests.SuspensionTests|RankingTests.SuspendedTests",
    ),
    sql(
        "an invitation admits people in the second in which it expires",
        "invitations",
        "RETURN invitation.expires_at > anthill_clock()",
        "RETURN invitation.expires_at >= anthill_clock()",
        swift="GroupsTests.InvitationTests",
    ),
    sql(
        "an invitation that was taken back admits people",
        "invitations",
        "    AND invitation.revoked_at IS NULL\n",
        "",
        tests=None,
        swift="GroupsTests.InvitationTests",
    ),
    sql(
        "rules declared 48 hours before a month to the second wait for the month after",
        "rules",
        "- rules_notice() < clock THEN",
        "- rules_notice() <= clock THEN",
        tests=None,
        swift="GroupsTests.GroupTests",
    ),
    sql(
        "the window of a limit ends a second late",
        "limits",
        "hits = CASE WHEN r.expires_at <= t THEN 1 ELSE r.hits + 1 END",
        "hits = CASE WHEN r.expires_at < t THEN 1 ELSE r.hits + 1 END",
        tests=None,
        swift="AccountsTests.LimitsTests",
    ),
    sql(
        "the fifth wrong password costs two seconds already",
        "limits",
        "IF here.hits > free THEN",
        "IF here.hits >= free THEN",
        tests=None,
        swift="AccountsTests.LimitsTests",
    ),
    # Orders and ranks
    sql(
        "two who are first on a board are followed by a second",
        "boards",
        "(rank() OVER by_score)::integer,",
        "(dense_rank() OVER by_score)::integer,",
        tests=f"{RANDOM}",
        swift="RankingTests.LeaderboardTests",
    ),
    sql(
        "two who are first in a closed month are followed by a second",
        "standings",
        "sha256(s.salt || uuid_send(s.uid)), rank() OVER (ORDER BY s.seconds DESC)",
        "sha256(s.salt || uuid_send(s.uid)), dense_rank() OVER (ORDER BY s.seconds DESC)",
        swift="RankingTests.StandingsTests",
    ),
    sql(
        "those who hide stand first among equals",
        "boards",
        "ORDER BY s.score DESC, s.visibility = 'hidden', s.uid DESC;",
        "ORDER BY s.score DESC, s.visibility <> 'hidden', s.uid DESC;",
        tests=f"{RULES} {RANDOM} Tests/reference/test_boards.py",
        swift="RankingTests.LeaderboardTests",
    ),
    sql(
        "equals on the global board are below one another",
        "global",
        "AND t.counted_seconds > seconds AND t.counted_seconds <",
        "AND t.counted_seconds >= seconds AND t.counted_seconds <",
        tests="Tests/reference/test_global_board.py",
        swift="RankingTests.GlobalBoardTests",
    ),
    # Sums and roundings
    sql(
        "the sum of a group tells of two who hide",
        "badge",
        "OVER () >= fewest_hidden() AS counts",
        "OVER () >= fewest_hidden() - 1 AS counts",
        tests="Tests/reference/test_boards.py",
        swift="RankingTests.BadgeTests",
    ),
    sql(
        "the cap cuts before time by hand is left out",
        "totals",
        "RETURN least(cap, CASE WHEN manual_counts THEN seconds ELSE seconds - manual_seconds END);",
        "RETURN CASE WHEN manual_counts THEN least(cap, seconds) ELSE least(cap, seconds) - manual_seconds END;",
        tests=RANDOM,
    ),
    sql(
        "the mean of a group is rounded instead of cut",
        "means",
        "count(*) AS members, sum(x.seconds) / count(*) AS mean",
        "count(*) AS members, round(sum(x.seconds)::numeric / count(*)) AS mean",
        tests=f"{RANDOM} Tests/reference/test_group_means.py",
        swift="RankingTests.GroupsBoardTests",
    ),
    sql(
        "thousandths of a goal are rounded instead of cut",
        "boards",
        "coalesce(s.seconds * 1000::bigint / w.goal, 0)::integer AS permille,",
        "coalesce(round(s.seconds * 1000.0 / w.goal), 0)::integer AS permille,",
        tests=RANDOM,
        swift="RankingTests.BoardOrderTests",
    ),
    sql(
        "a day is near the cap only above 90 percent of it",
        "signals",
        "10 * d.counted_seconds >= 9 * rules.daily_cap_seconds",
        "10 * d.counted_seconds > 9 * rules.daily_cap_seconds",
        tests=None,
        swift="RankingTests.SignalsTests",
    ),
    sql(
        "a planned rest day breaks a streak",
        "days",
        "(k.study OR r.day IS NOT NULL) AND day <= today AS keeps",
        "k.study AND day <= today AS keeps",
        tests="Tests/reference/test_days.py",
        swift="StudyTests.StreakTests",
    ),
    sql(
        "the rest days are missing in what one takes away",
        "export",
        "'past_goals', 'rest_days', 'wake_ups'",
        "'past_goals', 'wake_ups'",
        tests=None,
        swift="StudyTests.ExportTests",
    ),
    # Roles
    sql(
        "a member amends a closed month",
        "standings",
        """  PERFORM require_role(actor, held.group_id, 'owner', 'admin');
  IF NOT EXISTS (SELECT FROM month_closes c""",
        """  PERFORM require_role(actor, held.group_id, 'owner', 'admin', 'member');
  IF NOT EXISTS (SELECT FROM month_closes c""",
        tests=None,
        swift="GroupsTests.AuthorisationTests|RankingTests.StandingsTests",
    ),
    sql(
        "an admin suspends an admin",
        "suspensions",
        "    PERFORM require_role(actor, for_group, 'owner');",
        "    PERFORM require_role(actor, for_group, 'owner', 'admin');",
        tests=None,
        swift="GroupsTests.SuspensionTests",
    ),
    sql(
        "an admin removes an admin",
        "membership",
        "ELSIF member_role <> 'member' THEN",
        "ELSIF member_role = 'owner' THEN",
        tests=None,
        swift="GroupsTests.MemberTests",
    ),
    sql(
        "the last owner can leave",
        "membership",
        "IF member_role = 'owner' THEN PERFORM require_other_owner(for_group, member); END IF;",
        "IF member_role = 'owner' AND actor <> member THEN PERFORM require_other_owner(for_group, member); END IF;",
        tests=None,
        swift="GroupsTests.MemberTests",
    ),
    sql(
        "a member reads what another's figure consists of",
        "explanation",
        "IF uid <> viewer_id THEN PERFORM require_role(viewer_id, for_group, 'owner', 'admin'); END IF;",
        "IF uid <> viewer_id THEN PERFORM require_role(viewer_id, for_group, 'owner', 'admin', 'member'); END IF;",
        tests=None,
        swift="RankingTests.ExplanationTests",
    ),
    # Locks
    sql(
        "a student's row is not locked",
        "students",
        "SELECT * INTO owner FROM students s WHERE s.uid = user_id FOR NO KEY UPDATE;",
        "SELECT * INTO owner FROM students s WHERE s.uid = user_id;",
        tests=RACES,
        blackbox="Tests/blackbox/test_races.py",
    ),
    sql(
        "a group's row is not locked",
        "membership",
        "SELECT * INTO held FROM groups g WHERE g.group_id = for_group FOR NO KEY UPDATE;",
        "SELECT * INTO held FROM groups g WHERE g.group_id = for_group;",
        tests=RACES,
        swift="GroupsTests.SuspensionTests|GroupsTests.MemberTests",
        blackbox="Tests/blackbox/test_races.py",
    ),
    sql(
        "whoever closes a month does not wait for its members",
        "standings",
        "IF anthill_clock() >= closes_at THEN\n    PERFORM lock_students(",
        "IF anthill_clock() < closes_at THEN\n    PERFORM lock_students(",
        tests=RACES,
        swift="RankingTests.StandingsTests",
        blackbox="Tests/blackbox/test_standings.py",
    ),
    # The program
    swift(
        "scripts can read the cookie",
        "Accounts/SignIns/TokenCookie",
        '"; HttpOnly; SameSite=Lax"',
        '"; SameSite=Lax"',
        "AccountsTests.SiteAddressTests",
    ),
    swift(
        "other sites send the cookie",
        "Accounts/SignIns/TokenCookie",
        '"; HttpOnly; SameSite=Lax"',
        '"; HttpOnly"',
        "AccountsTests.SiteAddressTests",
    ),
    swift(
        "the cookie is sent without TLS",
        "Accounts/SignIns/TokenCookie",
        '(site.isSecure ? "; Path=/; Secure" : "; Path=/")',
        '"; Path=/"',
        "AccountsTests.SiteAddressTests",
    ),
    swift(
        "signing out leaves the cookie for a second",
        "Accounts/SignIns/TokenCookie",
        "Max-Age=0",
        "Max-Age=1",
        "AccountsTests.SignInTests",
    ),
    swift(
        "a page of another subdomain can write with the cookie",
        "Accounts/Gate/SiteAddress",
        'return site == "same-origin"',
        'return site != "cross-site"',
        "AccountsTests.SiteAddressTests|AccountsTests.AccessTests",
    ),
    swift(
        "a token with another nonce is believed",
        "Accounts/Providers/IDToken",
        'guard claims["nonce"] == .string(nonce) else',
        'guard claims["nonce"] != nil else',
        "AccountsTests.IDTokenTests",
    ),
    swift(
        "a token for several is believed without a word for whom",
        "Accounts/Providers/IDToken",
        "audience.count == 1 ? .string(clientID) : .null",
        "audience.count >= 1 ? .string(clientID) : .null",
        "AccountsTests.IDTokenTests",
    ),
    swift(
        "a token may declare something critical",
        "Accounts/Providers/SignedToken",
        ', header["crit"] == nil',
        "",
        "AccountsTests.SignedTokenTests",
        blackbox="Tests/blackbox/test_providers.py",
    ),
    swift(
        "the state is not compared",
        "Accounts/Providers/ProviderDoor",
        'guard secrets.isState(request.query["state"]), let flow',
        "guard let flow",
        None,
        blackbox="Tests/blackbox/test_providers.py",
    ),
    swift(
        "an answer of a provider is taken more than once",
        "Accounts/Providers/FlowStore",
        "AND used_at IS NULL AND expires_at > anthill_clock()",
        "AND expires_at > anthill_clock()",
        None,
        blackbox="Tests/blackbox/test_providers.py",
    ),
    swift(
        "a ticket opens any number of accounts",
        "Accounts/Providers/TicketStore",
        "UPDATE provider_tickets SET used_at = anthill_clock()",
        "UPDATE provider_tickets SET used_at = NULL",
        None,
        blackbox="Tests/blackbox/test_providers.py",
    ),
    swift(
        "an address that nobody has verified opens an account",
        "Accounts/Providers/IDToken",
        'guard claims["email_verified"] == .bool(true) || claims["email_verified"] == .string("true"),',
        'guard claims["email_verified"] != nil,',
        "AccountsTests.IDTokenTests",
        blackbox="Tests/blackbox/test_providers.py",
    ),
    swift(
        "a password of nine characters is enough",
        "Accounts/Passwords/PasswordPolicy",
        "if points < 10 {",
        "if points < 9 {",
        "AccountsTests.PasswordPolicyTests",
    ),
    swift(
        "a head has room for one field more",
        "HTTP/Wire/FieldSection",
        "fields.count < HeadParser.maxFields",
        "fields.count <= HeadParser.maxFields",
        "HTTPTests.WireTests|HTTPTests.ParserTests",
    ),
    swift(
        "a link to a new password works for an hour",
        "Accounts/Tokens/TokenStore",
        ".emailChange: 30 * 60",
        ".emailChange: 60 * 60",
        "AccountsTests.PasswordTests|AccountsTests.RegistrationTests",
    ),
    swift(
        "Retry-After is a second too short",
        "Accounts/Gate/RequestBudget",
        ".rounded(.up)",
        ".rounded(.down)",
        "AccountsTests.RequestBudgetTests",
    ),
    swift(
        "a page of a list has 201 entries",
        "API/Paging",
        "(1...200).contains(limit)",
        "(1...201).contains(limit)",
        "StudyTests.SessionTests",
    ),
    swift(
        "a route says that members may do what admins may",
        "Groups/MemberRoutes",
        '"/api/v1/groups/{id}/bans", access: .admin,',
        '"/api/v1/groups/{id}/bans", access: .member,',
        "GroupsTests.AuthorisationTests",
    ),
    swift(
        "a body as long as allowed is too long",
        "HTTP/Wire/BodyReader",
        "guard length <= limit else",
        "guard length < limit else",
        "HTTPTests.WireTests|HTTPTests.ServerTests",
    ),
    swift(
        "a weak ETag is not known again",
        "HTTP/Routing/Router",
        '(entry.hasPrefix("W/") ? entry.dropFirst(2) : entry) == tag',
        "entry == tag",
        "HTTPTests.RouterTests",
    ),
    swift(
        "what was read before the last change is taken for new",
        "Accounts/Gate/Kept",
        "where load.number >= position.number:",
        "where load.number + 1 >= position.number:",
        "AccountsTests.Kept",
    ),
    swift(
        "what one has not looked for is taken for looked at",
        "Accounts/Gate/Kept",
        "if own.isEmpty { state.entries",
        "if true { state.entries",
        "AccountsTests.Kept|RankingTests.Kept|RankingTests.LeaderboardTests",
    ),
    swift(
        "changes that nobody remembers are no news",
        "Accounts/Gate/ChangeFeed",
        "if number < state.forgotten { return true }",
        "if number < state.forgotten { return false }",
        "AccountsTests.ChangeFeedTests",
    ),
    swift(
        "the feed is asked for what the database has forgotten",
        "Accounts/Gate/ChangeFeed",
        "askedAt - $0.askedAt < .seconds(60)",
        "askedAt - $0.askedAt < .seconds(180)",
        "AccountsTests.ChangeFeedTests",
    ),
    # The pages
    js(
        "minutes are rounded up",
        "words/time",
        "export const hm = (seconds) => `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}`;",
        "export const hm = (seconds) => `${Math.floor(seconds / 3600)}:${two(Math.ceil(seconds / 60) % 60)}`;",
        "Tests/browser/test_words.py",
    ),
    js(
        "the minutes at which a study day begins are left out",
        "words/time",
        "- (hours * 60 + minutes) * 60_000",
        "- hours * 60 * 60_000",
        "Tests/browser/test_words.py",
    ),
    js(
        "a week begins on Sunday",
        "words/time",
        "-((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7)",
        "-new Date(`${day}T00:00:00Z`).getUTCDay()",
        "Tests/browser/test_words.py",
    ),
    js(
        "a countdown stops at zero",
        "timer/stopwatch",
        "return this.aim === null ? null : this.aim - this.done;",
        "return this.aim === null ? null : Math.max(0, this.aim - this.done);",
        "Tests/browser/test_timer.py",
    ),
    js(
        "who has risen on a board is said to have fallen",
        "boards/board",
        "change > 0 ? words.board.up(change) : words.board.down(-change)",
        "change < 0 ? words.board.up(-change) : words.board.down(change)",
        "Tests/browser/test_words.py",
    ),
    js(
        "the smallest share of time by hand is no share",
        "boards/board",
        "Math.max(1, Math.round((manual / seconds) * 100))",
        "Math.round((manual / seconds) * 100)",
        "Tests/browser/test_words.py",
    ),
    js(
        "each attempt of a request has a key of its own",
        "server/api",
        'return await once("POST", path, body, key);',
        'return await once("POST", path, body, uuid());',
        "Tests/browser/test_log.py",
    ),
    js(
        "a form that is being sent can be sent again",
        "parts/form",
        "    submit.disabled = true;\n",
        "",
        "Tests/browser/test_log.py",
    ),
    js(
        "a nickname is read as markup",
        "parts/dom",
        "  element.append(...nodes(children));\n",
        '  for (const child of nodes(children)) child instanceof Node ? element.append(child) : element.insertAdjacentHTML("beforeend", child);\n',
        "Tests/browser/test_story.py",
    ),
    js(
        "an English page has a Korean word",
        "words/en",
        'loading: "Loading",',
        'loading: "불러오고 있어요",',
        "Tests/browser/test_words.py",
    ),
]
