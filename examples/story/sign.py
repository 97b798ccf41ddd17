"""The first bug: a limit loses its sign."""

from __future__ import annotations

from recorder import Stage, bash, edit, grep, read, todo


def play(s: Stage) -> None:
    """False "sill dries" warnings."""
    s.user(
        """
Good summary. The open stretch at the end of a series first has to wait, there is something more urgent: the duty officer says "sill dries" at Saltmere comes nearly twice a day. The sill is at -0.20 m, so it should come at springs and at no other time, a dozen times a month at most. Look at the week from 16 February, that is the one he complained about.

And start a task list please, I want to see where we are. Put your three findings on it as well.
""",
        after=3.5,
    )
    s.agent(
        todo(
            "[>] Saltmere: too many 'sill dries' warnings",
            "[ ] find_alerts: a stretch that runs to the end of the series is lost",
            "[ ] cli: errors go to stdout, that is the printer",
            "[ ] read_log: line numbers in errors ignore comment lines",
        ),
        bash("python -m tidewatch alerts --start 2026-02-16 --days 7"),
    )
    s.agent(
        bash(
            "python - <<'EOF'\n"
            "from pathlib import Path\n"
            "from tidewatch.config import load_settings\n"
            "for rule in load_settings(Path('tidewatch.toml')).rules:\n"
            "    print(rule)\n"
            "EOF"
        ),
        grep("parse_height"),
        think="The lines say 'below 0.20 m', not -0.20. The rule itself has the wrong limit, so the loss happens while the settings are read. parse_height has no sign in its pattern: search() finds '0.20' inside '-0.20 m'.",
        say="Every line says `below 0.20 m`. The minus is gone before any tide is computed. Let me see the rules as they are loaded, and who else calls `parse_height`.",
    )
    s.agent(
        bash(
            "python - <<'EOF'\n"
            "from tidewatch.units import parse_height\n"
            "for text in ['-0.20 m', '+0.3', '3,2 m', 'about 4 ft', '1.5 m 20', '-12cm', '2 fathoms', '\\u22120.20 m']:\n"
            "    try:\n"
            "        print(f'{text!r:16} -> {parse_height(text):.4f}')\n"
            "    except Exception as e:\n"
            "        print(f'{text!r:16} -> {type(e).__name__}: {e}')\n"
            "EOF"
        ),
        bash("grep -c ',-' data/raw/*.csv; grep -n ',-' data/raw/saltmere-2026-02.csv | head -12"),
        think="read_log also goes through parse_height, so negative gauge readings lose their sign as well. And search() accepts any rubbish around the number.",
        say="`read_log` goes through the same function, so negative gauge readings would be flipped too. What else does the pattern let through?",
    )
    s.agent(
        say="""Confirmed, and it is wider than the warning:

- `_HEIGHT` has no sign, and `search` picks the first number it finds. `-0.20 m` becomes 0.20, `3,2 m` silently becomes 3.00, `1.5 m 20` becomes 1.50.
- 35 readings of the Saltmere log are negative and were read as positive. So the residual at low water springs is wrong as well: a reading of -0.24 counts as +0.24.

I would make the pattern match the whole text, with an optional sign, and refuse everything else. `3,2 m` would then be an error that names the setting's text. Is that what you want for the comma, or should it be read as 3.2?""",
    )
    s.user(
        """
An error for the comma, please. I don't want two ways to write a number. But do accept the typographic minus (U+2212): the office pastes limits out of a spreadsheet that "improves" them.
""",
        after=1.5,
    )
    s.agent(
        edit(
            "tests/test_units.py",
            '        ("  0.5 m ", 0.5),\n',
            '        ("  0.5 m ", 0.5),\n        ("-0.20 m", -0.2),\n        ("+0.3", 0.3),\n        ("-12cm", -0.12),\n'
            '        ("\\u22120.20 m", -0.2),\n',
        ),
        edit(
            "tests/test_units.py",
            '@pytest.mark.parametrize("text", ["", "high", "m"])',
            '@pytest.mark.parametrize("text", ["", "high", "m", "3,2 m", "about 4 ft", "1.5 m 20", "--1", "1.5 miles"])',
        ),
        edit(
            "tests/test_observations.py",
            "def test_wrong_columns(",
            "def test_a_level_below_zero(tmp_path: Path) -> None:\n"
            '    (found,) = read_log(write(tmp_path, "time,level,flag\\n2026-02-01T00:00:00Z,-0.24,\\n"))\n'
            "    assert found.level == -0.24\n\n\n"
            "def test_wrong_columns(",
        ),
        bash("python -m pytest -q tests/test_units.py tests/test_observations.py"),
        say="Tests first.",
    )
    s.agent(
        edit(
            "tidewatch/units.py",
            '_HEIGHT = re.compile(r"(\\d+(?:\\.\\d+)?)\\s*(m|cm|ft|fathom)?\\b")',
            '_HEIGHT = re.compile(r"([+-]?\\d+(?:\\.\\d+)?)\\s*(m|cm|ft|fathom)?")\n_MINUS = "\\u2212"  # what spreadsheets write',
        ),
        edit(
            "tidewatch/units.py",
            "    match = _HEIGHT.search(text)\n",
            '    match = _HEIGHT.match(text.replace(_MINUS, "-"))\n',
        ),
        bash("python -m pytest -q tests/test_units.py tests/test_observations.py"),
        say="They fail as they should. Now the sign.",
    )
    s.agent(
        edit("tidewatch/units.py", "_HEIGHT.match(text.replace(", "_HEIGHT.fullmatch(text.strip().replace("),
        bash("python -m pytest -q tests/test_units.py tests/test_observations.py"),
        think="match() only anchors the start: leading blanks now fail, and '3,2 m' still passes as 3. I need fullmatch on the stripped text.",
        say="My mistake: `match` anchors the start only. Leading blanks are refused now and `3,2 m` still gets through. It has to be `fullmatch` on the stripped text.",
    )
    s.agent(
        bash("python -m tidewatch alerts --start 2026-02-16 --days 7"),
        bash("python -m tidewatch residual saltmere saltmere-2026-02.csv"),
        bash("python -m tidewatch alerts --start 2026-02-01 --days 28 | grep -c 'sill dries'"),
        bash("scripts/check"),
        say="Green. The week he complained about, the residual at Saltmere, the whole month, and the full check:",
    )
    s.agent(
        edit(
            "CHANGELOG.md",
            "# Changes\n",
            '# Changes\n\n## Unreleased\n\n- Limits and gauge readings below zero keep their sign. "sill dries" at Saltmere no longer warns at +0.20 m.\n'
            "- A height with anything around it (`3,2 m`, `about 4 ft`) is refused, where the first number was taken before.\n",
        ),
        bash(
            "git add -A && git commit -q -m 'Keep the sign of a height' && git log --oneline -1 && git show --stat --format= HEAD"
        ),
        read("tidewatch/units.py"),
        say="The changelog gets two lines, since the office will notice both.",
    )
    s.agent(
        todo(
            "[x] Saltmere: too many 'sill dries' warnings",
            "[ ] find_alerts: a stretch that runs to the end of the series is lost",
            "[ ] cli: errors go to stdout, that is the printer",
            "[ ] read_log: line numbers in errors ignore comment lines",
        ),
    )
    s.agent(
        say="""Fixed and committed as "Keep the sign of a height".

In the week from 16 February "sill dries" now comes twice instead of ten times (16 February 11:20, -0.23 m, and 17 February 11:40, -0.24 m), and in all of February twelve times, around the springs. The residual at Saltmere has a mean of +0.06 m and a spread of 0.13 m now; what is left of it is the surge on the 18th.

One thing I see in the same output and have not looked into: Port Ellery has a spread of 0.44 m, three and a half times that of Saltmere.""",
    )
