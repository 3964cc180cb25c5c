# Tells whether a closed month is as it was sealed. Its standard input is the answer of /groups/{id}/standings/{month}.
import hashlib, json, sys, uuid
standings = json.load(sys.stdin)
sha256 = lambda text: hashlib.sha256(text.encode()).hexdigest()
for entry in standings["entries"]:
    parts = [entry[name] for name in ("rank", "seconds", "manual_seconds", "person", "seal_salt")]
    if not entry["hidden"] and sha256(" ".join(map(str, parts))) != entry["line"]:
        print("CHANGED", entry)
lines = ["anthill standings 2", f"group {standings['group']['id']}", f"month {standings['month']}"]
lines += sorted(entry["line"] for entry in standings["entries"])
digest = sha256("".join(line + "\n" for line in lines))
print("sealed" if digest == standings["sha256"] else "CHANGED", digest)
if standings["me"] and len(sys.argv) > 1:  # python3 verify.py MY-UID
    person = hashlib.sha256(bytes.fromhex(standings["me"]["salt"]) + uuid.UUID(sys.argv[1]).bytes).hexdigest()
    print("this is me" if person == standings["me"]["person"] else "this is NOT me")
