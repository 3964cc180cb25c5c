"""docs/maintenance.md says of each script what its head says, and the head what the script does."""

import os
import re
import subprocess
import sys

import maintenance
import maintenance_page
import pytest
from schema import ROOT

HEADS = {head.name: head for head in maintenance_page.heads()}
# The scripts that declare their variables, and what they declare.
TAKES = {
    name: dict(re.findall(r"^\\set (script|takes) '?([^'\n]*)'?$", text, re.MULTILINE)) | {"changes": "parts/begin.sql" in text}
    for name in HEADS
    if "\\ir parts/" in (text := (ROOT / f"sql/maintenance/{name}.sql").read_text())
}


def test_the_table_of_the_page_is_made_from_the_heads():
    assert maintenance_page.page() == maintenance_page.PAGE.read_text(), "run: .venv/bin/python Tests/reference/maintenance_page.py"


def test_the_queries_of_the_page_find_what_they_say(schema):
    schema.rows("SELECT create_group(%s, 'Night Owls')", owner := schema.user())
    [queries] = re.findall(r"```sql\n(.*?)```", maintenance_page.PAGE.read_text(), re.DOTALL)
    queries = re.sub("^--.*$", "", queries, flags=re.MULTILINE).split(";")[:-1]
    [(group, name, _)] = schema.rows(queries[0].replace("%", "%%"))
    assert name == "Night Owls"
    assert [uid for uid, *_ in schema.rows(queries[1].replace("UUID", str(group)))] == [owner]
    for query in queries[2:]:
        assert schema.rows(query.replace("UUID", str(owner))) == []


def test_the_table_is_made_by_hand_without_a_database():
    made = "import maintenance_page; print(maintenance_page.table())"
    done = subprocess.run([sys.executable, "-c", made], cwd=ROOT / "Tests/reference", env={"PATH": os.environ["PATH"]},
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout == maintenance_page.table() + "\n", done.stderr


@pytest.mark.parametrize("name", TAKES)
def test_a_script_takes_the_variables_of_its_head(name):
    takes = TAKES[name]
    variables = re.findall(r"\w+", takes["takes"]) + (["reason"] if takes["changes"] else [])
    assert takes["script"] == name
    assert variables + (["by", "apply"] if "reason" in variables else []) == list(HEADS[name].variables)


@pytest.mark.parametrize("name", HEADS)
def test_the_example_of_a_script_names_its_variables(name):
    examples = re.findall(rf"script/psql .*-f sql/maintenance/{name}\.sql", HEADS[name].example)
    assert examples
    for example in examples:
        assert set(re.findall(r"-v (\w+)=", example)) <= HEADS[name].variables.keys()


@pytest.mark.parametrize("name", [name for name in TAKES if TAKES[name]["changes"]])
def test_a_script_refuses_a_missing_reason_a_strange_apply_and_a_foreign_variable(schema, name):
    needed = [(v, meaning, sample) for v, meaning, sample in schema.rows("SELECT name, meaning, sample FROM variables_of_scripts()")
              if re.search(rf"(?<!\[)\b{v}\b", TAKES[name]["takes"])]  # fmt: skip
    given = {variable: sample.replace("UUID", "3f0e4a52-0000-4000-8000-000000000000") for variable, _, sample in needed}
    assert maintenance.refused(schema, name, **given, reason=" ") == "give the reason: -v reason='…'"
    assert maintenance.refused(schema, name, **given, apply="yes") == "give 1 to do it: -v apply=1"
    assert maintenance.refused(schema, name, **given, by=" ") == "give your name: -v by=NAME"
    for variable, meaning, sample in needed:
        # Any text is an answer or a name.
        for wrong in [{}] + ([{variable: "marmalade!"}] if variable not in ("answer", "name") else []):
            said = maintenance.refused(schema, name, **{v: value for v, value in given.items() if v != variable} | wrong)
            assert said == f"give {meaning}: -v {variable}={sample}"
    [foreign, *_] = {"uid", "group", "interval", "seconds"} - set(re.findall(r"\w+", TAKES[name]["takes"]))
    assert maintenance.refused(schema, name, **given, **{foreign: "7"}) == f"{name} takes no variable {foreign}"
