"""Makes the table of docs/maintenance.md from the heads of the scripts. Run it to write the page again."""

import itertools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/maintenance.md"
ABOVE, BELOW = "<!-- This table is made from the heads of the scripts. -->", "<!-- End of the table. -->"

# What every script that changes something takes; the page explains them once.
COMMON = ("reason", "by", "apply")


class Head:
    """The comment on top of a script: its purpose, its variables and their meaning, what undoes it, and an example."""

    def __init__(self, file):
        self.name = file.stem
        lines = itertools.takewhile(lambda line: line.startswith("--"), file.read_text().splitlines())
        paragraphs = "\n".join(line[3:] for line in lines).split("\n\n")
        self.purpose = re.fullmatch(rf"{file.name}: (.*)", paragraphs[0], re.DOTALL)[1].replace("\n", " ")
        fields = dict(re.findall(r"^(\w+): +(.*?)(?=\n\w+:|\Z)", paragraphs[-1], re.DOTALL | re.MULTILINE))
        self.undo = " ".join(fields["Undo"].split())
        # A long one goes on in a second line.
        self.example = re.sub(r" \\\n +", " ", fields["Example"])
        self.variables = {
            name: " ".join(meaning.split())
            for name, meaning in re.findall(
                r"^ *(\w+) {2,}(\S.*?)(?=\n {12}\w+ {2,}|\Z)", fields.get("Variables", ""), re.DOTALL | re.MULTILINE
            )
        }


def heads():
    return [Head(file) for file in sorted((ROOT / "sql/maintenance").glob("*.sql"))]


def table():
    rows = ["| script | what it does | its variables | undo |", "|---|---|---|---|"]
    for head in heads():
        variables = "<br>".join(f"`{name}` {meaning}" for name, meaning in head.variables.items() if name not in COMMON)
        rows.append(f"| `{head.name}` | {head.purpose} | {variables} | {head.undo} |")
    return "\n".join(rows)


def page():
    """The page as it must be."""
    before, rest = PAGE.read_text().split(ABOVE)
    return f"{before}{ABOVE}\n\n{table()}\n\n{BELOW}{rest.split(BELOW)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page())
