"""Alerts from the gauge: open stretches, the printer, and warnings that flap."""

from __future__ import annotations

from recorder import Stage, bash, edit, grep, read, todo


def play(s: Stage) -> None:
    """Three small jobs and a new command."""
    _open_stretches(s)
    _watch(s)
    _flapping(s)


def _open_stretches(s: Stage) -> None:
    s.user(
        """
Kettle Bay later, I have a suspicion there and need to ask someone first.

Now the two from your list: stretches that run to the end, and errors on the printer. For the stretch: the duty officer must see that it isn't over. Put "still going on" at the end of the line, and don't invent an end time that we don't know.

Please do each on its own commit.
""",
        after=8,
    )
    s.agent(
        bash("python -m tidewatch alerts --start 2026-02-17 --days 1"),
        bash("python -m tidewatch alerts --start 2026-02-16T12:00 --days 1"),
        bash("git checkout -q -b open-stretches && git status --short --branch"),
        think="On which day is a stretch open at midnight? Port Ellery's ferry ramp runs 20:40 to 00:00 on the 18th. Starting 12:00 for one day: sill dries at 17 Feb 11:40 to 12:20 crosses the end. Good example.",
        say="I want a real example first: a day at whose end something still runs. And a branch for it.",
    )
    s.user(
        """
Two remarks. `git switch -c`, please, not `git checkout`: we had an accident here with checkout eating someone's work, so nobody uses it any more. And no branches for changes this small, just stay on main.
""",
        after=0.7,
    )
    s.agent(
        bash("git switch -q main && git branch -d open-stretches && git status --short --branch"),
        edit(
            "tests/test_alerts.py",
            "def test_the_limit_itself_is_allowed(",
            "def test_a_stretch_that_is_not_over(start: datetime) -> None:\n"
            "    (found,) = find_alerts(LOW, levels(start, 1.0, 0.4, 0.3))\n"
            "    assert found.start == start + timedelta(minutes=10)\n"
            "    assert found.extreme == 0.3\n"
            "    assert found.ongoing\n"
            '    line = "2026-01-01 00:10 UTC  plain  sill dries: 0.30 m (below 0.50 m), still going on"\n'
            "    assert describe(found, LOW) == line\n\n\n"
            "def test_a_stretch_that_is_over_is_not_ongoing(start: datetime) -> None:\n"
            "    (found,) = find_alerts(LOW, levels(start, 0.4, 0.9))\n"
            "    assert not found.ongoing\n\n\n"
            "def test_the_limit_itself_is_allowed(",
        ),
        bash("python -m pytest -q tests/test_alerts.py"),
        say="Understood: `git switch` and `git restore`, and small changes go straight to main. Back there, and the test.",
    )
    s.agent(
        edit(
            "tidewatch/alerts.py",
            "    extreme: float  # the level that is furthest past the limit\n",
            "    extreme: float  # the level that is furthest past the limit\n"
            "    ongoing: bool = False  # the levels ended first; `end` is the last moment known\n",
        ),
        edit(
            "tidewatch/alerts.py",
            "            start = end = None\n",
            "            start = end = None\n"
            "    if start is not None and end is not None:\n"
            "        yield Alert(rule.name, rule.station, start, end, extreme, ongoing=True)\n",
        ),
        edit(
            "tidewatch/alerts.py",
            '    """One line for people."""\n    return (',
            '    """One line for people."""\n'
            "    if alert.ongoing:\n"
            "        return (\n"
            '            f"{alert.start:%Y-%m-%d %H:%M} UTC  {alert.station}  {alert.rule}: "\n'
            '            f"{alert.extreme:.2f} m ({rule.direction} {rule.limit:.2f} m), still going on"\n'
            "        )\n"
            "    return (",
        ),
        bash(
            "python -m pytest -q tests/test_alerts.py && python -m tidewatch alerts --start 2026-02-16T12:00 --days 1"
        ),
    )
    s.agent(
        edit(
            "CHANGELOG.md",
            "- Time stamps of gauge logs",
            '- A warning that is not over at the end of the span is printed, with "still going on". It was lost before.\n'
            "- Time stamps of gauge logs",
        ),
        edit(
            "docs/alerts.md",
            "so a line must make sense alone: date, times, station, rule, the level that is furthest past the limit.\n",
            "so a line must make sense alone: date, times, station, rule, the level that is furthest past the limit.\n"
            'A stretch that is not over when the span ends has no end time, and says "still going on".\n',
        ),
        bash(
            "scripts/check && git add -A && git commit -q -m 'Report a stretch that is not over' && git log --oneline -3"
        ),
        say="There it is: the sill on the 17th, 11:40. It was missing in the list before.",
    )
    s.agent(
        edit(
            "tests/test_cli.py",
            "    assert \"unknown station 'atlantis'\" in capsys.readouterr().out",
            "    printed = capsys.readouterr()\n"
            '    assert printed.out == ""\n'
            "    assert \"unknown station 'atlantis'\" in printed.err",
        ),
        edit(
            "tidewatch/cli.py",
            '        print(f"tidewatch: {problem}")',
            '        print(f"tidewatch: {problem}", file=sys.stderr)',
        ),
        bash("scripts/check"),
        say="Now the errors. The existing test asserts stdout, so it changes too.",
    )
    s.agent(
        edit("tidewatch/cli.py", "import argparse\n", "import argparse\nimport sys\n"),
        bash("scripts/check && git commit -qam 'Print errors on stderr' && git log --oneline -1"),
        say="I forgot the import.",
    )
    s.agent(
        say="""Both are in, each on its own commit:

- "Report a stretch that is not over": the line has no end time and closes with "still going on".
- "Print errors on stderr": nothing but warnings reaches the printer. The exit code is 1 as before.""",
    )


WATCH = """def cmd_watch(args: argparse.Namespace, settings: Settings) -> int:
    station = find_station(settings.stations, args.station)
    log = read_log(settings.logs / args.log)
    levels = [(reading.when, reading.level) for reading in log if reading.flag == ""]
    count = 0
    for rule in settings.rules:
        if rule.station != station.id:
            continue
        for alert in find_alerts(rule, levels):
            print(describe(alert, rule))
            count += 1
    print(f"{count} alert{'' if count == 1 else 's'}")
    return 0


def cmd_residual("""


def _watch(s: Stage) -> None:
    s.user(
        """
Very good. Next, the thing I actually wanted to do today. The warnings come from the prediction only. On the 18th we had half a metre of surge and the printer had no idea. I want a command `tidewatch watch STATION LOG` that applies the rules of that station to what the gauge measured, with the same lines as `alerts`. Suspect readings must not count. Keep it simple, reuse what is there.
""",
        after=5,
    )
    s.agent(
        todo(
            "[x] Saltmere: too many 'sill dries' warnings",
            "[x] Port Ellery: residuals an hour off",
            "[x] read_log: line numbers in errors ignore comment lines",
            "[x] find_alerts: a stretch that runs to the end of the series is lost",
            "[x] cli: errors go to stdout, that is the printer",
            "[>] watch: rules on gauge readings",
            "[ ] Kettle Bay: mean residual is not zero",
        ),
        read("tidewatch/cli.py", 50, 40),
        read("tests/test_cli.py"),
        read("tidewatch/alerts.py", 40, 50),
        think="find_alerts takes any iterable of (when, level), so watch is a few lines in cli: read the log, drop flagged readings, loop over the rules of the station. Test: Saltmere log, surge on the 18th.",
        say="`find_alerts` takes any series of levels, so this is mostly wiring.",
    )
    s.agent(
        edit(
            "tests/test_cli.py",
            "def test_unknown_station(",
            "def test_watch_applies_the_rules_of_one_station(capsys: pytest.CaptureFixture[str]) -> None:\n"
            '    assert main(["watch", "saltmere", "saltmere-2026-02.csv"]) == 0\n'
            "    lines = capsys.readouterr().out.splitlines()\n"
            '    assert all("saltmere" in line for line in lines[:-1])\n'
            '    assert any("sill dries: -0.29 m" in line for line in lines)\n'
            '    assert lines[-1] == f"{len(lines) - 1} alerts"\n\n\n'
            "def test_watch_leaves_suspect_readings_out(capsys: pytest.CaptureFixture[str]) -> None:\n"
            '    assert main(["watch", "saltmere", "saltmere-2026-02.csv"]) == 0\n'
            '    assert "quay floods: 5" not in capsys.readouterr().out\n\n\n'
            "def test_unknown_station(",
        ),
        bash("python -m pytest -q tests/test_cli.py 2>&1 | tail -32"),
    )
    s.agent(
        edit("tidewatch/cli.py", "def cmd_residual(", WATCH),
        edit(
            "tidewatch/cli.py",
            """    residual = commands.add_parser("residual")
    residual.add_argument("station")
    residual.add_argument("log")
    residual.set_defaults(run=cmd_residual)
""",
            """    for name, run in (("watch", cmd_watch), ("residual", cmd_residual)):
        sub = commands.add_parser(name)
        sub.add_argument("station")
        sub.add_argument("log")
        sub.set_defaults(run=run)
""",
        ),
        edit(
            "tidewatch/cli.py",
            "``tidewatch stations | table | predict | alerts | residual``",
            "``tidewatch stations | table | predict | alerts | watch | residual``",
        ),
        bash("python -m pytest -q tests/test_cli.py"),
        bash(
            'for n in saltmere port-ellery kettle-bay; do echo "== $n"; python -m tidewatch watch $n $n-2026-02.csv; done'
        ),
    )
    s.agent(
        say="""`watch` works, and its first output shows two things that I would not print like this:

1. **It flaps.** Near the limit the gauge at Saltmere is noisy by five or six centimetres, so the low water of the 17th becomes two warnings and the high water before it two as well, one of them 0 minutes long.
2. **Kettle Bay is off.** "slipway under water" comes at every single high water, for hours. That is the +0.45 m of mean residual again. The rule is not wrong, the level is.

For the flapping I see two ways: a hysteresis (the level has to come back past the limit by, say, 5 cm before a stretch ends), or a settling time (two stretches that are less than N minutes apart are one). The settling time is easier to explain to the person at the printer. Which one, and how much?""",
    )


JOIN = '''def join(alerts: Iterable[Alert], settle: timedelta, direction: Direction) -> Iterator[Alert]:
    """Make one alert of those that are at most `settle` apart: near the limit a gauge flaps."""
    worst = max if direction == "above" else min
    held: Alert | None = None
    for alert in alerts:
        print("join", held, alert)
        if held is None:
            held = alert
        elif alert.start - held.end <= settle:
            extreme = worst(held.extreme, alert.extreme)
            held = replace(held, end=alert.end, extreme=extreme, ongoing=alert.ongoing)
        else:
            yield held
            held = alert
    if held is not None:
        yield held


def describe('''


def _flapping(s: Stage) -> None:
    s.user(
        """
Settling time. Let's say 30 minutes, as a setting `settle_minutes` in tidewatch.toml, default 0 so that nothing changes for others. It should hold for `watch` and for `alerts`.

About Kettle Bay: leave the rule alone, as I said, I'm asking around.
""",
        after=2.5,
    )
    s.agent(
        edit(
            "tests/test_alerts.py",
            "def test_describe(",
            "def test_stretches_close_together_are_joined(start: datetime) -> None:\n"
            "    flapping = levels(start, 0.4, 0.6, 0.3, 0.6, 0.6, 0.6, 0.6, 0.4, 0.6)\n"
            "    found = list(join(find_alerts(LOW, flapping), timedelta(minutes=30), LOW.direction))\n"
            "    assert [(a.start, a.end, a.extreme) for a in found] == [\n"
            "        (start, start + timedelta(minutes=20), 0.3),\n"
            "        (start + timedelta(minutes=70), start + timedelta(minutes=70), 0.4),\n"
            "    ]\n\n\n"
            "def test_joined_with_one_that_is_not_over(start: datetime) -> None:\n"
            "    (found,) = join(find_alerts(HIGH, levels(start, 2.1, 1.9, 2.4)), timedelta(minutes=30), HIGH.direction)\n"
            "    assert found.ongoing\n"
            "    assert found.extreme == 2.4\n\n\n"
            "def test_nothing_is_joined_without_a_settling_time(start: datetime) -> None:\n"
            "    found = list(join(find_alerts(LOW, levels(start, 0.4, 0.6, 0.3, 0.6)), timedelta(0), LOW.direction))\n"
            "    assert len(found) == 2\n\n\n"
            "def test_describe(",
        ),
        edit(
            "tests/test_alerts.py",
            "import Alert, Rule, describe, find_alerts",
            "import Alert, Rule, describe, find_alerts, join",
        ),
        edit(
            "tests/test_config.py",
            '        ("step_minutes = true\\n",',
            '        ("settle_minutes = -5\\n", "config: settle_minutes: "),\n        ("step_minutes = true\\n",',
        ),
        bash("python -m pytest -q tests/test_alerts.py tests/test_config.py"),
        think="settle_minutes may be 0, while _minutes() refuses 0. So _minutes needs a parameter for the smallest value allowed.",
        say="Tests first again: joining, joining with an open one, no joining at 0, and a bad setting.",
    )
    s.agent(
        edit("tidewatch/alerts.py", "def describe(", JOIN),
        edit(
            "tidewatch/alerts.py",
            "from dataclasses import dataclass\nfrom datetime import datetime\n",
            "from dataclasses import dataclass, replace\nfrom datetime import datetime, timedelta\n",
        ),
        edit(
            "tidewatch/config.py",
            """def _minutes(raw: dict[str, Any], key: str, default: timedelta) -> timedelta:
    value = raw.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ConfigError(key, f"a positive whole number of minutes is needed, not {value!r}")
""",
            """def _minutes(raw: dict[str, Any], key: str, default: timedelta, least: int = 1) -> timedelta:
    value = raw.get(key)
    if value is None:
        return default
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        kind = "positive whole number" if least else "whole number"
        raise ConfigError(key, f"a {kind} of minutes is needed, not {value!r}")
""",
        ),
        edit(
            "tidewatch/config.py",
            '"longest_gap_minutes", "rules"}',
            '"longest_gap_minutes", "settle_minutes", "rules"}',
        ),
        edit(
            "tidewatch/config.py",
            "    longest_gap: timedelta = timedelta(minutes=30)\n",
            "    longest_gap: timedelta = timedelta(minutes=30)\n    settle: timedelta = timedelta(0)\n",
        ),
        edit(
            "tidewatch/config.py",
            "        rules=tuple(",
            '        settle=_minutes(raw, "settle_minutes", timedelta(0), least=0),\n        rules=tuple(',
        ),
        bash("python -m pytest -q tests/test_alerts.py tests/test_config.py"),
    )
    s.agent(
        grep("find_alerts\\(", "tidewatch"),
        edit(
            "tidewatch/cli.py",
            "        for alert in find_alerts(rule, series(station, start, end, settings.step)):\n",
            "        found = find_alerts(rule, series(station, start, end, settings.step))\n"
            "        for alert in join(found, settings.settle, rule.direction):\n",
        ),
        edit(
            "tidewatch/cli.py",
            "        for alert in find_alerts(rule, levels):\n",
            "        for alert in join(find_alerts(rule, levels), settings.settle, rule.direction):\n",
        ),
        edit("tidewatch/cli.py", "import describe, find_alerts\n", "import describe, find_alerts, join\n"),
        edit("tidewatch.toml", "longest_gap_minutes = 30\n", "longest_gap_minutes = 30\nsettle_minutes = 30\n"),
        bash("scripts/check"),
        say="Both commands go through `join` now, and our own settings get the 30 minutes.",
    )
    s.agent(
        edit("tidewatch/alerts.py", '        print("join", held, alert)\n', ""),
        bash("scripts/check"),
        bash(
            "python -m tidewatch watch saltmere saltmere-2026-02.csv; python -m tidewatch watch port-ellery port-ellery-2026-02.csv"
        ),
        say="Caught by the house style, rightly: I had a `print` in there to look at the joining.",
    )
    s.agent(
        edit(
            "docs/alerts.md",
            "## What an alert is not\n",
            "`tidewatch watch STATION LOG` applies the rules of one station to a gauge log instead. Readings with a flag do\n"
            "not count.\n\n"
            "Near the limit a gauge flaps. Stretches of one rule that are at most `settle_minutes` apart (default 0) are one\n"
            "alert, from the first start to the last end.\n\n"
            "## What an alert is not\n",
        ),
        edit(
            "CHANGELOG.md",
            "## Unreleased\n\n",
            "## Unreleased\n\n- New command `watch`: the rules of a station on what its gauge measured.\n"
            "- New setting `settle_minutes`: warnings of one rule that are at most so far apart are one. 30 in our settings.\n",
        ),
        edit(
            "README.md",
            "    python -m tidewatch residual saltmere",
            "    python -m tidewatch watch saltmere saltmere-2026-02.csv\n    python -m tidewatch residual saltmere",
        ),
        bash(
            "scripts/check && git add -A && git commit -q -m 'Watch gauge logs, and join warnings that flap' && git show --stat --format='%h %s' HEAD"
        ),
        todo(
            "[x] Saltmere: too many 'sill dries' warnings",
            "[x] Port Ellery: residuals an hour off",
            "[x] read_log: line numbers in errors ignore comment lines",
            "[x] find_alerts: a stretch that runs to the end of the series is lost",
            "[x] cli: errors go to stdout, that is the printer",
            "[x] watch: rules on gauge readings, settle_minutes = 30",
            "[ ] Kettle Bay: mean residual is not zero",
        ),
    )
    s.agent(
        say="""`tidewatch watch` is in, with `settle_minutes = 30` in our settings and 0 as the default. Each tide at Saltmere is one line now, and the flood of 18 February is there: 18:00 to 19:40, 4.15 m. The prediction had no warning for that tide at all.

One thing to decide some time, it does not block anything: `watch` exits with 0 whether or not it found a warning. Should it exit with 3 if there is one, so that a script on the box can ring a bell?""",
    )
