"""openapi.yaml as a judge: every answer that a test gets is checked against it."""

import functools
import json
import re
from pathlib import Path

import jsonschema_rs
import yaml

DOCUMENT = Path(__file__).resolve().parents[2] / "Sources/AnthillServer/openapi.yaml"
SPEC = yaml.load(DOCUMENT.read_text(), Loader=yaml.CSafeLoader)

_registry = jsonschema_rs.Registry([("urn:anthill", SPEC)], draft=jsonschema_rs.Draft202012)
# What the wire refuses before a route is known; any request may meet these.
_WIRE_CODES = {"400", "405", "408", "413", "414", "417", "431", "500", "501", "503", "505"}

# The schemas of problems that say more, and what they say.
_MORE = {"StudyProblem": {"timer", "overlaps"}, "ImportProblem": {"line", "date_formats", "people"}, "LeavingProblem": {"groups"}}


def _resolve(node):
    while isinstance(node, dict) and "$ref" in node:
        target = SPEC
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def _matcher(path):
    return re.compile("/".join("[^/]+" if part.startswith("{") else re.escape(part) for part in path.split("/")))


_PATHS = sorted(
    (
        (path.count("{"), _matcher((item.get("servers", SPEC["servers"])[0]["url"].rstrip("/")) + path), path, item)
        for path, item in SPEC["paths"].items()
    ),
    key=lambda entry: entry[0],
)


def find(path):
    """The documented path that a request's path is, the most literal one, or nothing."""
    return next(((name, item) for _, matcher, name, item in _PATHS if matcher.fullmatch(path)), None)


@functools.cache
def _validator(schema):
    """The judge of a schema of the document, which is given as JSON."""
    absolute = json.loads(schema.replace('"#/', '"urn:anthill#/'))
    return jsonschema_rs.Draft202012Validator(absolute, registry=_registry, validate_formats=True)


def validate(schema, value, where):
    errors = list(_validator(json.dumps(schema)).iter_errors(value))
    assert not errors, f"{where}: " + "; ".join(f"{error.instance_path}: {error.message}" for error in errors)


def check(method, path, status, headers, body):
    """Asserts that the document allows this answer: its status, headers, media type and every member of its body."""
    where = f"{method} {path} → {status} {body[:500]!r}"
    media = headers.get("content-type", "").split(";")[0]
    if status >= 400:
        assert media == "application/problem+json", f"{where}: {media or 'no media type'}"
        problem = json.loads(body)
        if status != 500:
            more = [name for name, members in _MORE.items() if members & set(problem)]
            validate({"$ref": f"#/components/schemas/{(more or ['Problem'])[0]}"}, problem, where)
            assert problem["status"] == status, where
        else:
            assert set(problem) == {"request_id"}, where
        if status in (429, 503):
            assert re.fullmatch("[0-9]+", headers.get("retry-after", "")), f"{where}: no Retry-After"
        if status == 405:
            assert headers.get("allow"), f"{where}: no Allow"
    if path.startswith("/api/v1/") or path in ("/healthz", "/readyz"):
        assert headers.get("x-content-type-options") == "nosniff", f"{where}: may be sniffed"
        for uuid in re.findall(rb'"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"', body):
            assert uuid == uuid.lower(), f"{where}: {uuid} is not in lower case"
    found = find(path)
    if not found:
        assert not path.startswith("/api/v1/") or status >= 400, f"{where}: not documented"
        return
    name, item = found
    if method in ("HEAD", "OPTIONS") and method.lower() not in item:
        return
    operation = item.get(method.lower())
    if operation is None:
        assert status in (405, 400, 413), f"{where}: not documented"
        return
    response = _resolve(operation["responses"].get(str(status)))
    if response is None:
        assert str(status) in _WIRE_CODES and status >= 400, f"{where}: this status is not documented"
        return
    described = response.get("headers", {})
    if status < 300:
        hidden = [
            header for header in ("ETag", "Location", "Idempotency-Replayed") if header.lower() in headers and header not in described
        ]
        assert not hidden, f"{where}: {hidden} not documented"
    for header, rule in described.items():
        rule = _resolve(rule)
        value = headers.get(header.lower())
        if value is None:
            assert not rule.get("required"), f"{where}: no {header}"
        else:
            validate(rule["schema"], value, f"{where}: {header}")
    content = response.get("content", {})
    if not content:
        assert not body, f"{where}: a body where there is none"
        return
    assert media in content, f"{where}: media type {media}"
    if media.endswith("json"):
        validate(content[media]["schema"], json.loads(body), where)
