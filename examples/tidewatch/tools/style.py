"""House style that no linter of ours covers. Exits with 1 if a file breaks it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

LONGEST_LINE = 120
PRINTERS = {"cli.py", "style.py"}


def problems(path: Path) -> list[str]:
    """What is wrong in one file."""
    text = path.read_text(encoding="utf-8")
    found = [
        f"{path}:{number}: line has {len(line)} characters, {LONGEST_LINE} are allowed"
        for number, line in enumerate(text.splitlines(), start=1)
        if len(line) > LONGEST_LINE
    ]
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name == "print" and path.name not in PRINTERS:
            found.append(f"{path}:{node.lineno}: print() outside the command line")
        if name in {"datetime.now", "datetime.utcnow"} and not node.args:
            found.append(f"{path}:{node.lineno}: {name}() without a time zone")
    return found


def main() -> int:
    """Check the package, the tools and the tests."""
    files = [path for folder in ("tidewatch", "tools", "tests") for path in sorted(Path(folder).rglob("*.py"))]
    found = [line for path in files for line in problems(path)]
    for line in found:
        print(line)
    print(f"style: {len(files)} files, {len(found)} problem{'' if len(found) == 1 else 's'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
