"""What must stay secret is searched for at the end of all tests (conftest.py). Here: the search finds it in any form."""

import base64

import citus
import used_secrets


@citus.not_spread("the log of the nodes is elsewhere")
def test_a_secret_that_is_left_behind_is_found(service, people):
    text, octets, plain = (people(service, name).token for name in ("Ahn", "Baek", "Choi"))
    sql = service.cluster.sql
    sql("CREATE TABLE careless (note text, bytes bytea)")
    try:
        raw = base64.urlsafe_b64decode(octets + "=")
        sql("INSERT INTO careless VALUES (%s, %s), ('', %s)", f"it is {text}.", raw, plain.encode())
        assert used_secrets.left_behind(service) == sorted([text, octets, plain])
    finally:
        sql("DROP TABLE careless")
