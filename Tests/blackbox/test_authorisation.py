"""Who may do what: every operation of openapi.yaml, by every kind of caller. The table below says it once."""

import contract
import pytest
from person import PASSWORD, Person, expect
from service import START, wait_until
from test_conventions import PUBLIC, concrete, operations

OPERATIONS = {operation["operationId"]: (method, path) for method, path, operation in operations()}
UNTIL = "2026-11-21T00:00:00Z"
STRANGERS = ("nobody", "outsider", "former", "warden")
# Whom each role does not let in. Roles in a group are no secret to its members: they get 403, all others 404.
DENIED = {
    "user": ("nobody",),
    "theirs": ("nobody", "outsider", "warden"),
    "member": STRANGERS,
    "admin": (*STRANGERS, "member"),
    "owner": (*STRANGERS, "member", "admin"),
    "warden": ("nobody", "outsider", "owner"),
}
# Who has the role and no higher one.
LOWEST = {"theirs": "owner", "member": "member", "admin": "admin", "owner": "owner", "warden": "warden"}

# Each operation that needs a sign-in: who may call it, and what a key needs there. "user" is anyone, about themselves;
# "theirs" is the owner of the thing that the path names; "warden" is an admin of the service.
TABLE = """
listSignIns                user   -
signOutOthers              user   -
signOut                    user   -
endSignIn                  theirs -
listAPIKeys                user   -
addAPIKey                  user   -
endAPIKey                  theirs -
getCalendarFeed            user   -
makeCalendarFeed           user   -
endCalendarFeed            user   -
getOwnBadge                user   -
makeOwnBadge               user   -
changeOwnBadge             user   -
endOwnBadge                user   -
getMe                      user   read
changeMe                   user   -
leave                      user   -
listPushSubscriptions      user   -
addPushSubscription        user   -
removePushSubscription     user   -
testPush                   user   -
testMail                   user   -
comeBack                   user   -
changePassword             user   -
setAvatar                  user   -
removeAvatar               user   -
getAvatar                  user   read
changeEmail                user   -
withdrawEmailChange        user   -
listActivity               user   -
listIdentities             user   -
linkIdentity               user   -
unlinkIdentity             user   -
confirmThroughProvider     user   -
getTimer                   user   read
moveTimerStart             user   record
startTimer                 user   record
pauseTimer                 user   record
resumeTimer                user   record
stopTimer                  user   record
cancelTimer                user   record
listPlans                  user   read
deletePlan                 user   -
savePlan                   user   -
listSessions               user   read
logSession                 user   record
listUnconfirmedSessions    user   read
logSessions                user   record
getSession                 theirs read
changeSession              theirs record
retractSession             theirs record
confirmSession             user   record
getSessionHistory          theirs read
listSubjects               user   read
addSubject                 user   record
getSubject                 theirs read
changeSubject              theirs record
removeSubject              theirs record
listProjects               user   read
addProject                 user   record
getProject                 theirs read
changeProject              theirs record
removeProject              theirs record
listTasks                  user   read
addTask                    user   record
getTask                    theirs read
changeTask                 theirs record
removeTask                 theirs record
getTotals                  user   read
exportSessionTable         user   read
exportIntervalTable        user   read
exportSessions             user   read
exportEverything           user   -
importStudy                user   record
getToday                   user   read
announcePerfect            user   -
listDays                   user   read
getRhythm                  user   read
getDayStrip                user   read
setGoals                   user   -
addTargetDate              user   -
changeTargetDate           theirs -
removeTargetDate           theirs -
planRestDay                user   -
cancelRestDay              user   -
getAlarm                   user   read
setAlarm                   user   -
askWakeUp                  user   -
answerWakeUp               user   -
listGroups                 user   read
createGroup                user   -
getGroup                   member read
changeGroup                admin  -
deleteGroup                owner  -
transferGroup              owner  -
listInvitations            admin  -
invite                     admin  -
revokeInvitation           admin  -
acceptInvitation           user   -
listMembers                member read
chooseVisibility           member -
leaveGroup                 member -
getMember                  member read
getMemberDays              member read
changeRole                 owner  -
removeMember               admin  -
listBans                   admin  -
liftBan                    admin  -
listSuspensions            member -
suspend                    admin  -
getSuspension              member -
liftSuspension             admin  -
answerSuspension           member -
listGroupEvents            admin  -
findGroups                 user   -
listWebhooks               admin  -
addWebhook                 admin  -
changeWebhook              admin  -
removeWebhook              admin  -
testWebhook                admin  -
listDeliveries             admin  -
listJoinRequests           admin  -
askToJoin                  user   -
answerJoinRequest          admin  -
listOwnJoinRequests        user   -
getOwnJoinRequest          theirs -
withdrawJoinRequest        theirs -
getGroupToday              member read
getGroupDays               member read
writeNotice                admin  -
removeNotice               admin  -
setCycle                   admin  -
endCycle                   admin  -
cheer                      member -
listSignals                admin  -
getLeaderboard             member read
getGlobalLeaderboard       user   read
watchGlobalLeaderboard     user   read
explainGlobalNumber        user   read
getGroupsLeaderboard       user   read
watchLeaderboard           member read
explainNumber              member read
listOwnStandings           user   read
listStandings              member read
getStandings               member read
getPodium                  member read
amendStanding              admin  -
listChampions              member read
exportLeaderboard          member read
makeReport                 user   -
listOwnReports             user   -
getOwnReport               theirs -
listOwnSuspensions         user   -
answerServiceSuspension    user   -
listServiceSuspensions     warden -
suspendFromService         warden -
getServiceSuspension       warden -
liftServiceSuspension      warden -
listReports                warden -
answerReport               warden -
findPeople                 warden -
makeLink                   warden -
listMails                  warden -
sendMailAgain              warden -
listServiceEvents          warden -
getFigures                 warden -
"""
ROWS = {name: (role, None if key == "-" else key) for name, role, key in (line.split() for line in TABLE.split("\n") if line)}
# What somebody may still do whose account is about to be deleted.
WHILE_LEAVING = ["getMe", "exportEverything", "leave", "comeBack", "signOut"]


def test_the_table_has_every_operation():
    assert ROWS.keys() | PUBLIC == OPERATIONS.keys() and not ROWS.keys() & PUBLIC


def ask(person, name, body=None, query="", **values):
    """The status and the code of the answer; a stream is left once it has begun."""
    method, path = OPERATIONS[name]
    for key, value in values.items():
        path = path.replace(f"{{{key}}}", str(value))
    path = concrete(path) + query
    if not name.startswith("watch"):
        answer = person.ask(method, path, body if body is not None or method == "GET" else {})
        return answer.status_code, answer.json()["code"] if answer.status_code >= 400 else None
    headers = {"Authorization": f"Bearer {person.token}"} if person.token else {}
    with person.http.stream(method, f"/api/v1{path}", headers=headers) as answer:
        return answer.status_code, None if answer.status_code < 400 else contract.json.loads(answer.read())["code"]


# By how somebody is signed in


def nobody(person):
    person.token = None


def signed_out(person):
    expect(person.delete("/sign-ins/current"), 204)


def suspended(person):
    person.service.cluster.sql("SELECT admin_suspend_user(%s, 'a test', 'Maria')", person.uid)


@pytest.mark.parametrize("become", [nobody, signed_out, suspended])
def test_whoever_is_not_signed_in_gets_401_everywhere(service, people, become):
    person = people(service)
    become(person)
    assert {name: answer for name in ROWS if (answer := ask(person, name)) != (401, "not_signed_in")} == {}


def test_whoever_leaves_gets_401_but_for_the_way_back(service, people):
    person = people(service)
    leave = {"password": PASSWORD}
    expect(person.ask("DELETE", "/me", leave), 202)
    others = [name for name in ROWS if name not in WHILE_LEAVING]
    assert {name: answer for name in others if (answer := ask(person, name)) != (401, "account_leaving")} == {}
    for name in WHILE_LEAVING:
        assert ask(person, name, leave if name == "leave" else None)[0] in (200, 202, 204), name
        if name == "comeBack":
            expect(person.get("/groups"), 200)


@pytest.mark.parametrize("scopes", [["read"], ["read", "record"]], ids=" ".join)
def test_a_key_gets_as_far_as_its_scopes(service, people, scopes):
    owner, program = people(service), people(service, "Program", registered=False)
    program.token = expect(owner.post("/me/api-keys", {"name": "My clock", "scopes": scopes}), 201).json()["key"]
    wrong = {}
    for name, (_, needed) in ROWS.items():
        status, code = ask(program, name)
        if (code == "key_not_allowed") != (needed not in scopes) or status == 401:
            wrong[name] = (status, code)
    assert wrong == {}


# By what somebody is in a group, to the owner of a thing, and in the service


class World:
    """A group with an owner, an admin and members, one who has left, an outsider, and an admin of the service."""

    def __init__(self, service):
        self.service = service
        names = ("owner", "admin", "member", "second", "former", "outsider", "warden", "nobody")
        self.people = {name: Person(service, name.title()) for name in names}
        for name, person in self.people.items():
            if name != "nobody":
                person.register()
        self.owner, self.member = self.people["owner"], self.people["member"]
        self.second = self.people["second"].uid
        service.cluster.sql("SELECT make_site_admin(%s, 'the operator')", self.people["warden"].uid)
        self.group = self.owner.found_group("Night owls", listed=True)["id"]
        self.at = f"/groups/{self.group}"
        code = self.owner.invite({"id": self.group})["code"]
        for name in ("admin", "member", "second", "former"):
            self.people[name].join(code)
        expect(self.owner.patch(f"{self.at}/members/{self.people['admin'].uid}", {"role": "admin"}), 200)
        expect(self.people["former"].delete(f"{self.at}/members/me"), 204)

    def close(self):
        for person in self.people.values():
            person.close()

    def made(self, path, body, status=201, name="id", by=None):
        return expect((by or self.owner).post(path, body), status).json()[name]

    def suspension(self, uid):
        return self.made(f"{self.at}/suspensions", {"uid": uid, "reason": "late", "until": UNTIL})

    def webhook(self):
        body = {"url": "https://hooks.example.org/x", "kind": "json", "events": ["new_member"], "locale": "en"}
        return self.made(f"{self.at}/webhooks", body)

    def session(self):
        body = {"started_at": "2026-11-20T01:00:00Z", "ended_at": "2026-11-20T02:00:00Z"}
        return self.made("/me/sessions", body)

    def date(self):
        return self.made("/me/target-dates", {"title": "Exam", "day": "2026-12-24"})

    def join_request(self, by):
        other = self.people["outsider"].found_group("Larks", listed=True)["id"]
        return other, self.made(f"/groups/{other}/join-requests", {}, by=by)

    def report(self):
        return self.made("/reports", {"uid": self.second, "reason": "never sleeps", "group_id": self.group})

    def service_suspension(self):
        body = {"uid": self.second, "reason": "late", "until": UNTIL}
        return self.made("/admin/suspensions", body, by=self.people["warden"])

    def mail(self):
        """One that was sent: nobody can send it again, but only an admin of the service learns that."""
        [[mail]] = self.service.cluster.sql(
            "INSERT INTO mail_outbox (kind, to_address, sent_at) VALUES ('old', 'x@example.org', anthill_clock()) RETURNING id::text"
        )
        return mail

    def showing(self):
        expect(self.people["second"].patch("/me", {"days_shown": True}), 200)
        return self.second

    def closed_month(self):
        self.service.set_clock("2026-12-04T03:00:00Z")
        for person in self.people.values():
            if person.token:
                person.sign_in()
        wait_until(lambda: self.owner.get(f"{self.at}/standings").json()["items"], what="the month to be closed")
        return "2026-11"

    def banned(self):
        former = self.people["second"].uid
        expect(self.owner.delete(f"{self.at}/members/{former}?ban=true"), 204)
        return former

    def asked(self):
        self.made(f"{self.at}/join-requests", {}, by=self.people["outsider"])
        return expect(self.owner.get(f"{self.at}/join-requests"), 200).json()["items"][0]["id"]


def ours(make, body=None, **more):
    """A request whose {id} is a thing of the owner's."""
    return lambda world: {"id": make(world), "body": body, **more}


def label(kind, name):
    return lambda world: world.made(f"/me/{kind}", {name: "Latin"})


# What makes each request one that would succeed, if it is not an empty body to the group. Where a function makes a thing, the
# owner does so before.
REQUESTS = {
    "endSignIn": ours(lambda world: Person(world.service, "Owner")._signed_in(
        world.owner.post("/sign-ins", {"email": world.owner.email, "password": PASSWORD}, token=None)) and next(
        item["id"] for item in world.owner.get("/sign-ins").json()["items"] if not item["current"])),
    "endAPIKey": ours(lambda world: world.made("/me/api-keys", {"name": "My clock", "scopes": ["read"]})),
    "getSession": ours(World.session),
    "changeSession": ours(World.session, {"note": "Latin"}),
    "retractSession": ours(World.session),
    "getSessionHistory": ours(World.session),
    "changeTargetDate": ours(World.date, {"day": "2026-12-23"}),
    "removeTargetDate": ours(World.date),
    "getOwnJoinRequest": lambda world: {"request": world.join_request(world.owner)[1]},
    "withdrawJoinRequest": lambda world: {"request": world.join_request(world.owner)[1]},
    "getOwnReport": lambda world: {"report": world.report()},
    "changeGroup": lambda world: {"body": {"description": "Quiet"}},
    "transferGroup": lambda world: {"body": {"uid": world.people["admin"].uid}},
    "revokeInvitation": lambda world: {"invitation": world.made(f"{world.at}/invitations", {})},
    "chooseVisibility": lambda world: {"body": {"visibility": "nickname"}},
    "getMember": lambda world: {"uid": world.second},
    "getMemberDays": lambda world: {"uid": world.showing()},
    "changeRole": lambda world: {"uid": world.second, "body": {"role": "admin"}},
    "removeMember": lambda world: {"uid": world.second},
    "liftBan": lambda world: {"uid": world.banned()},
    "suspend": lambda world: {"body": {"uid": world.second, "reason": "late", "until": UNTIL}},
    "getSuspension": lambda world: {"suspension": world.suspension(world.member.uid)},
    "liftSuspension": lambda world: {"suspension": world.suspension(world.second)},
    "answerSuspension": lambda world: {"suspension": world.suspension(world.member.uid), "body": {"answer": "I was ill"}},
    "addWebhook": lambda world: {
        "body": {"url": "https://hooks.example.org/x", "kind": "json", "events": ["new_member"], "locale": "en"}},
    "changeWebhook": lambda world: {"webhook": world.webhook(), "body": {"active": False}},
    "removeWebhook": lambda world: {"webhook": world.webhook()},
    "testWebhook": lambda world: {"webhook": world.webhook()},
    "listDeliveries": lambda world: {"webhook": world.webhook()},
    "answerJoinRequest": lambda world: {"request": world.asked(), "body": {"accepted": False}},
    "writeNotice": lambda world: {"body": {"text": "The library at nine"}},
    "removeNotice": lambda world: expect(world.owner.put(f"{world.at}/notice", {"text": "At nine"}), 204) and {},
    "setCycle": lambda world: {"body": {"study_minutes": 50, "rest_minutes": 10, "minute": 0}},
    "endCycle": lambda world: expect(
        world.owner.put(f"{world.at}/cycle", {"study_minutes": 50, "rest_minutes": 10, "minute": 0}), 204) and {},
    "cheer": lambda world: {"body": {"uid": world.second}},
    "getStandings": lambda world: {"month": world.closed_month()},
    "getPodium": lambda world: {"month": world.closed_month()},
    "amendStanding": lambda world: {
        "month": world.closed_month(), "body": {"uid": world.second, "seconds": 60, "reason": "a mistake"}},
    "suspendFromService": lambda world: {"body": {"uid": world.second, "reason": "late", "until": UNTIL}},
    "getServiceSuspension": lambda world: {"suspension": world.service_suspension()},
    "liftServiceSuspension": lambda world: {"suspension": world.service_suspension()},
    "answerReport": lambda world: {"report": world.report(), "body": {"answer": "We looked"}},
    "findPeople": lambda world: {"query": "?q=Owner"},
    "makeLink": lambda world: {"body": {"email": world.owner.email}},
    "sendMailAgain": lambda world: {"mail": world.mail()},
}  # fmt: skip
for kind, name in (("Subject", "name"), ("Project", "name"), ("Task", "title")):
    make = label(f"{kind.lower()}s", name)
    REQUESTS |= {f"get{kind}": ours(make), f"change{kind}": ours(make, {name: "Greek"}), f"remove{kind}": ours(make)}


@pytest.fixture
def world(service):
    world = World(service)
    yield world
    world.close()
    service.set_clock(START)


@pytest.mark.parametrize("name", [name for name, (role, _) in ROWS.items() if role != "user"])
def test_whom_the_table_does_not_let_in_gets_nothing(world, name):
    """Last comes somebody who is let in, so that nobody was refused for another reason."""
    role = ROWS[name][0]
    request = {"id": world.group, **REQUESTS.get(name, lambda _: {})(world)}
    for who in DENIED[role]:
        status = ask(world.people[who], name, **request)[0]
        assert status == (401 if who == "nobody" else 403 if who in ("member", "admin") else 404), who
    status, code = ask(world.people[LOWEST[role]], name, **request)
    assert status < 300 or (name, code) == ("sendMailAgain", "mail_sent"), (status, code)
