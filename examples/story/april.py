"""The April sheets, and a review of the afternoon's work."""

from __future__ import annotations

from recorder import Stage, bash, edit, read

REPORT = '''def _report(rule: Rule, levels: Iterable[tuple[datetime, float]], settings: Settings) -> int:
    """Print the alerts of one rule; how many they were."""
    count = 0
    for alert in join(find_alerts(rule, levels), settings.settle, rule.direction):
        print(describe(alert, rule))
        count += 1
    return count


def cmd_stations('''


def play(s: Stage) -> None:
    """Two requests."""
    _april(s)
    _review(s)


def _april(s: Stage) -> None:
    s.user(
        """
Thanks. Before I forget it, I have to hand in the April sheets tomorrow. Print April for all three harbours and tell me if anything looks odd to you, you have read more tide tables today than I have in a year. And which warnings does April hold at Saltmere?
""",
        after=12,
    )
    s.agent(
        bash("python -m tidewatch table saltmere --start 2026-04-01 --days 30"),
        bash("python -m tidewatch table port-ellery --start 2026-04-01 --days 30"),
        bash("python -m tidewatch table kettle-bay --start 2026-04-01 --days 30"),
        bash("python -m tidewatch alerts --start 2026-04-01 --days 30 | grep -v ferry"),
    )
    s.agent(
        bash(
            "for n in saltmere port-ellery kettle-bay; do python -m tidewatch table $n --start 2026-01-01 --days 365 | grep -c -- ' -0\\.00 m'; done"
        ),
        bash(
            "python - <<'EOF'\n"
            "from tidewatch.units import format_height\n"
            "for metres in (-0.004, -0.0, 0.004, -0.006):\n"
            "    print(repr(metres), '->', format_height(metres), '|', format_height(metres, 'cm'))\n"
            "EOF"
        ),
        think="Highs and lows take turns everywhere. What would look odd on a sheet? A height of '-0.00 m' is possible: format of -0.004. Check over the year.",
        say="High and low waters take turns on all three sheets, and the ranges follow springs and neaps. One thing I want to rule out: a height just below zero prints as `-0.00 m`.",
    )
    s.agent(
        edit(
            "tests/test_units.py",
            '(0.3048, "ft", "1.00 ft"), (-0.2, "m", "-0.20 m")]',
            '(0.3048, "ft", "1.00 ft"), (-0.004, "m", "0.00 m")]',
        ),
        edit(
            "tidewatch/units.py",
            '        return f"{value:.0f} cm"\n    return f"{value:.2f} {unit}"',
            '        return f"{round(value) + 0} cm"\n    return f"{round(value, 2) + 0.0:.2f} {unit}"  # + 0.0: no minus before a zero',
        ),
        bash("python -m pytest -q tests/test_units.py tests/test_table.py && git diff"),
        say="It happens: three times this year at Saltmere, once at Port Ellery, twice at Kettle Bay. Small, but on a sheet it looks like a mistake.",
    )
    s.agent(
        edit("tests/test_units.py", '(-0.004, "m", "0.00 m")]', '(-0.2, "m", "-0.20 m"), (-0.004, "m", "0.00 m")]'),
        bash("scripts/check"),
        think="I replaced the case -0.2 instead of adding one. Put it back: a test must not get lost by the way. Line length! (0.3048...) line may be over 120.",
        say="The diff shows that I replaced the case `-0.2` where I meant to add one. Put back.",
    )
    s.agent(
        edit(
            "tests/test_units.py",
            '    [(1.234, "m", "1.23 m"), (1.234, "cm", "123 cm"), (0.3048, "ft", "1.00 ft"), (-0.2, "m", "-0.20 m"), (-0.004, "m", "0.00 m")],\n',
            "    [\n"
            '        (1.234, "m", "1.23 m"),\n'
            '        (1.234, "cm", "123 cm"),\n'
            '        (0.3048, "ft", "1.00 ft"),\n'
            '        (-0.2, "m", "-0.20 m"),\n'
            '        (-0.004, "m", "0.00 m"),\n'
            '        (-0.004, "cm", "0 cm"),\n'
            "    ],\n",
        ),
        bash("scripts/check && git commit -qam 'Print no minus before a zero' && git log --oneline -1"),
    )
    s.agent(
        say="""The sheets are good to hand in; nothing is missing and nothing stands out. `-0.00 m` is gone (commit "Print no minus before a zero").

The warnings at Saltmere in April come in three groups, for the quay and for the sill alike: 1 and 2 April, 15 to 19 April, and 27 to 30 April. The highest water of the month is 4.13 m on the 1st at 05:26, the lowest -0.48 m six hours later. With a surge like that of 18 February on top, the quay would be under 70 cm of water on the 1st. These are the days on which somebody should look at `outlook`.

One warning of Kettle Bay reads "2.60 m (above 2.60 m, 0 min)": it is 2.601, rounded. That is correct, if not pretty.""",
    )


def _review(s: Stage) -> None:
    s.user(
        """
Now a review, please. Read everything that changed in tidewatch/ since this morning as if somebody else had written it, and be unkind. Only the package, I'll read the tests myself.
""",
        after=6,
    )
    s.agent(
        bash("git log --oneline --since='2026-03-10 00:00' --stat --format='%h %s' | grep -v '^$'"),
        bash("git diff $(git rev-list -1 --before='2026-03-10 00:00' HEAD) HEAD -- tidewatch"),
    )
    s.agent(
        read("tidewatch/cli.py"),
        read("tidewatch/alerts.py"),
        think="""Be unkind:

1. cli: the loop "rules of this station -> find_alerts -> join -> describe -> print" exists three times (alerts, watch, outlook), and outlook prints no count. Real duplication; a helper _report().
2. alerts.join: `worst` line duplicated with find_alerts. Small. Could be property of Rule. Leave or fix? A tiny method Rule.worse(a, b) would remove `direction` parameter from join... join(alerts, settle, rule.direction). Nice but not needed. Mention.
3. config: defaults stand twice: in Settings and in load_settings (timedelta(hours=4) twice). I had to change 12 -> 4 in two places today. That's a trap; fix it: take the defaults from a Settings() instance.
4. calendar._escape does not escape newlines. Titles come from TOML and could hold one. Real bug against the RFC. Fix with a test.
5. surge: FEWEST / WINDOW constants fine.
6. observations.read_log: csv per line: next(csv.reader([line])) breaks on quoted fields with newlines; gauge logs have none. Blank line: next(csv.reader([''])) -> csv.reader of ['\\n'] yields [] -> len 0 != 3 -> ParseError "found 0". Was: csv.reader skips? It yields [] as well. Fine.
7. argparse: `if name == "outlook"` inside the loop is ugly.
8. cmd_alerts: a rule with unknown station raises only when it is run; fine.

Fix 1, 3, 4, 7. One commit for the refactoring, one for the bug.""",
        say="I have read the diff and want to see the two files that changed most in one piece.",
    )
    s.agent(
        say="""Unkindly, then:

1. **The same loop three times.** `alerts`, `watch` and `outlook` each walk over the rules, find, join, describe, print. They have already drifted: `outlook` prints no count.
2. **Defaults in two places.** Each default of `Settings` stands in the class and again in `load_settings`. I changed 12 to 4 hours today and had to do it twice. The third time somebody will forget one.
3. **A bug in `calendar._escape`.** The RFC wants a newline in a text as `\\n`. A title with a newline would break the file.
4. **`if name == "outlook"`** in the loop that builds the parser is ugly; its two options belong with it.
5. Smaller: `worst = max if direction == "above" else min` stands in `find_alerts` and in `join`.

I would fix 3 with a test in one commit and 1, 2, 4, 5 in a second that changes no behaviour except the count of `outlook`. All right?""",
    )
    s.user("Yes to all. In that order.", after=2)
    s.agent(
        edit(
            "tests/test_calendar.py",
            "def test_the_note_stays_in_the_house(",
            "def test_a_newline_in_a_title_is_escaped(start: datetime) -> None:\n"
            '    station = Station("x", "Two\\nlines\\\\", 1.0, ())\n'
            '    lines = unfold(render(station, [Extreme(start, 1.0, "low")], start))\n'
            '    assert "SUMMARY:Two\\\\nlines\\\\\\\\: low water 1.00 m" in lines\n\n\n'
            "def test_the_note_stays_in_the_house(",
        ),
        bash("python -m pytest -q tests/test_calendar.py"),
        edit(
            "tidewatch/calendar.py",
            '        text = text.replace(special, f"\\\\{special}")\n    return text\n',
            '        text = text.replace(special, f"\\\\{special}")\n    return text.replace("\\n", "\\\\n")\n',
        ),
        bash("scripts/check && git commit -qam 'Escape newlines in calendar files' && git log --oneline -1"),
    )
    s.agent(
        bash(
            "python - <<'EOF'\n"
            "from pathlib import Path\n"
            "path = Path('tidewatch/cli.py')\n"
            "text = path.read_text()\n"
            "def swap(old, new):\n"
            "    global text\n"
            "    assert text.count(old) == 1, (text.count(old), old)\n"
            "    text = text.replace(old, new)\n"
            f"swap('def cmd_stations(', {REPORT!r})\n"
            "swap('''        found = find_alerts(rule, series(station, start, end, settings.step))\n"
            "        for alert in join(found, settings.settle, rule.direction):\n"
            "            print(describe(alert, rule))\n"
            "            count += 1\n"
            "''', '''        count += _report(rule, series(station, start, end, settings.step), settings)\n"
            "''')\n"
            "swap('''    count = 0\n"
            "    for rule in settings.rules:\n"
            "        if rule.station != station.id:\n"
            "            continue\n"
            "        for alert in join(find_alerts(rule, levels), settings.settle, rule.direction):\n"
            "            print(describe(alert, rule))\n"
            "            count += 1\n"
            "''', '''    count = sum(_report(rule, levels, settings) for rule in settings.rules if rule.station == station.id)\n"
            "''')\n"
            "swap('''    for rule in settings.rules:\n"
            "        if rule.station == station.id:\n"
            "            for alert in join(find_alerts(rule, levels), settings.settle, rule.direction):\n"
            "                print(describe(alert, rule))\n"
            "    return 0\n"
            "''', '''    count = sum(_report(rule, levels, settings) for rule in settings.rules if rule.station == station.id)\n"
            "    print(_counted(count))\n"
            "    return 0\n"
            "''')\n"
            "count = '''    print(f\"{count} alert{'' if count == 1 else 's'}\")\n'''\n"
            "assert text.count(count) == 2\n"
            "text = text.replace(count, '    print(_counted(count))\\n')\n"
            "swap('def cmd_stations(', '''def _counted(count: int) -> str:\n"
            "    return f\"{count} alert{'' if count == 1 else 's'}\"\n"
            "\n"
            "\n"
            "def cmd_stations(''')\n"
            "swap('''        if name == \"outlook\":\n"
            '            sub.add_argument("--hours", type=int, default=24)\n'
            '            sub.add_argument("--at", type=_moment)\n'
            "''', '')\n"
            "swap('''        sub.add_argument(\"log\")\n"
            "        sub.set_defaults(run=run)\n"
            "''', '''        sub.add_argument(\"log\")\n"
            "        sub.set_defaults(run=run)\n"
            '    outlook_options = commands.choices["outlook"]\n'
            '    outlook_options.add_argument("--hours", type=int, default=24)\n'
            '    outlook_options.add_argument("--at", type=_moment)\n'
            "''')\n"
            "swap('import argparse\\nimport sys\\n', 'import argparse\\nimport sys\\nfrom collections.abc import Iterable\\n')\n"
            "swap('import describe, find_alerts, join', 'import Rule, describe, find_alerts, join')\n"
            "path.write_text(text)\n"
            "EOF\n"
            "git diff --stat && python -m pytest -q tests/test_cli.py"
        ),
        say="The first is in. Now the duplication in `cli`, with a script that insists that each old piece occurs exactly once.",
    )
    s.agent(
        edit(
            "tidewatch/config.py",
            '        step=_minutes(raw, "step_minutes", timedelta(minutes=10)),\n'
            '        longest_gap=_minutes(raw, "longest_gap_minutes", timedelta(minutes=30)),\n'
            '        settle=_minutes(raw, "settle_minutes", timedelta(0), least=0),\n'
            '        surge_half_life=_hours(raw, "surge_half_life_hours", timedelta(hours=4)),\n',
            '        step=_minutes(raw, "step_minutes", default.step),\n'
            '        longest_gap=_minutes(raw, "longest_gap_minutes", default.longest_gap),\n'
            '        settle=_minutes(raw, "settle_minutes", default.settle, least=0),\n'
            '        surge_half_life=_hours(raw, "surge_half_life_hours", default.surge_half_life),\n',
        ),
        edit("tidewatch/config.py", "    base = path.parent\n", "    base = path.parent\n    default = Settings()\n"),
        edit("tidewatch/config.py", 'unit = raw.get("unit", "m")', 'unit = raw.get("unit", Settings().unit)'),
        edit(
            "tidewatch/alerts.py",
            "        return level < self.limit\n",
            "        return level < self.limit\n\n"
            "    def worst(self, one: float, other: float) -> float:\n"
            '        """The level that is further past the limit."""\n'
            '        return max(one, other) if self.direction == "above" else min(one, other)\n',
        ),
        edit("tidewatch/alerts.py", '    worst = max if rule.direction == "above" else min\n', ""),
        edit("tidewatch/alerts.py", '    worst = max if direction == "above" else min\n', ""),
        edit(
            "tidewatch/alerts.py",
            "            extreme = worst(extreme, level)\n",
            "            extreme = rule.worst(extreme, level)\n",
        ),
        edit(
            "tidewatch/alerts.py",
            "            extreme = worst(held.extreme, alert.extreme)\n",
            "            extreme = rule.worst(held.extreme, alert.extreme)\n",
        ),
        edit(
            "tidewatch/alerts.py",
            "def join(alerts: Iterable[Alert], settle: timedelta, direction: Direction)",
            "def join(alerts: Iterable[Alert], settle: timedelta, rule: Rule)",
        ),
        bash(
            "sed -i 's/join(find_alerts(rule, levels), settings.settle, rule.direction)/join(find_alerts(rule, levels), settings.settle, rule)/' tidewatch/cli.py && sed -i 's/, LOW.direction))/, LOW))/; s/, HIGH.direction)$/, HIGH)/' tests/test_alerts.py && scripts/check"
        ),
        say="And the defaults in one place, `worst` as a method of the rule.",
    )
    s.agent(
        bash(
            "for n in saltmere port-ellery kettle-bay; do python -m tidewatch watch $n $n-2026-02.csv; done; python -m tidewatch outlook saltmere saltmere-2026-02.csv --at 2026-02-18T17:00"
        ),
        bash("git diff tidewatch/cli.py"),
        bash(
            "git commit -qam 'Say in one place how alerts are reported and what the defaults are' && git log --oneline -1 && python -m pytest --co -q | tail -1"
        ),
        say="Same output as before for `watch`, and `outlook` has its count.",
    )
