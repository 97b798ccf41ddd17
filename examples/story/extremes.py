"""High and low waters that are missing from the table; two ways are tried."""

from __future__ import annotations

from recorder import Stage, bash, edit, read, todo, write

from story.extremes_code import COUNT, DERIVATIVE, GOLDEN, MISSING, TESTS


def play(s: Stage) -> None:
    """From the complaint to a table that is complete."""
    fork = _complaint(s)
    _golden_section(s)
    s.go_back_to(fork)
    _derivative(s)


def _complaint(s: Stage) -> str:
    s.user(
        """
The exit code: good question, I don't know yet. Park it and remind me before we release.

Now something embarrassing. The tide table that hangs on the harbour office door today, 10 March, has a single line for Saltmere. There are four tides a day. People laugh. Please find out how bad it is before you fix anything, for all three harbours.
""",
        after=11,
    )
    s.agent(
        bash("python -m tidewatch table saltmere --start 2026-03-09 --days 3"),
        bash(MISSING),
        say="First the door, then a count. High and low water take turns, so wherever two of one kind follow each other, one between them is missing.",
    )
    s.agent(
        bash("python -m tidewatch table port-ellery --start 2026-02-01 --days 28"),
        read("tidewatch/extrema.py", 1, 42),
        bash(
            "python - <<'EOF'\n"
            "from datetime import UTC, datetime, timedelta\n"
            "from pathlib import Path\n"
            "from tidewatch.harmonics import series\n"
            "from tidewatch.stations import find_station\n"
            "station = find_station(Path('stations'), 'saltmere')\n"
            "start = datetime(2026, 3, 10, tzinfo=UTC)\n"
            "for when, height in series(station, start + timedelta(hours=11), start + timedelta(hours=12, minutes=48), timedelta(minutes=12)):\n"
            "    print(f'{when:%H:%M}  {height:.6f}  {round(height, 3):.3f}')\n"
            "EOF"
        ),
        think="Samples every 12 minutes, rounded to 3 decimals, strict comparison on both sides. At neaps the crest is flat: two neighbouring samples round to the same value and neither is above both neighbours. Show the samples around today's noon high water. And with sampling the times are off by up to 6 minutes as well.",
    )
    s.agent(
        think="Exactly: two equal values at the top. Also all times are multiples of 12 minutes. So even found ones are wrong by up to six minutes. Propose options.",
        say="""It is the rounding. `extremes` samples the tide every 12 minutes, rounds to millimetres and wants one sample **strictly** above both neighbours. Near a neap crest the tide changes by less than a millimetre in 12 minutes, two neighbours round to the same value, and the high water is gone. In the six weeks from 1 February 30 extremes are missing over the three harbours, counting only those between two of one kind. Where two are lost in a row this count sees nothing, and that is what happened to Saltmere today: the morning low and the noon high are both gone. (There are only three tides on the 10th, the fourth falls after midnight. But the sheet shows one of them.)

There is a second fault in the same place: every time in the table is a multiple of 12 minutes, so those that are found can be up to six minutes off.

I would write tests for both (none missing in 60 days in any harbour, and the time of high water exact to two seconds for a tide of one constituent), and then refine each extreme with a golden-section search between the neighbouring samples, without any rounding.""",
    )
    s.user("Do the tests first and commit nothing until they pass. Then go ahead.", after=1.5)
    fork = s.agent(
        todo(
            "[x] watch: rules on gauge readings, settle_minutes = 30",
            "[>] table: high and low waters are missing, times are off by up to 6 minutes",
            "[ ] Kettle Bay: mean residual is not zero",
            "[ ] before the release: should `watch` exit with 3 when it warns?",
        ),
        bash(
            "python - <<'EOF'\n"
            "from pathlib import Path\n"
            "path = Path('tests/test_extrema.py')\n"
            "text = path.read_text()\n"
            "text = text.replace('from datetime import datetime, timedelta\\n', 'import itertools\\nfrom datetime import UTC, datetime, timedelta\\nfrom pathlib import Path\\n')\n"
            "text = text.replace('from tidewatch.extrema', 'from tidewatch.constituents import BY_NAME\\nfrom tidewatch.extrema')\n"
            "text = text.replace('import Station\\n', 'import Station, find_station\\n')\n"
            f"path.write_text(text + '''{TESTS}''')\n"
            "EOF\n"
            "git diff --stat && python -m pytest -q tests/test_extrema.py"
        ),
    )
    fork = s.leaf or fork
    s.label(fork, "before the extremes are reworked")
    return fork


def _golden_section(s: Stage) -> None:
    s.agent(
        bash(
            "python - <<'EOF'\n"
            "from pathlib import Path\n"
            "path = Path('tidewatch/extrema.py')\n"
            "text = path.read_text()\n"
            "head, rest = text.split('def extremes(')\n"
            "tail = rest.split('def next_extreme(')[1]\n"
            "head = head.replace('from collections.abc', 'import math\\nfrom collections.abc').replace('import series', 'import height_at, series')\n"
            f"path.write_text(head + '''{GOLDEN}''' + tail)\n"
            "EOF\n"
            "python -m pytest -q tests/test_extrema.py"
        ),
        say="The four new tests fail as expected. Now the golden-section search.",
    )
    s.agent(
        bash(MISSING),
        bash(COUNT),
        think="Passes. What does it cost? The box is slow, count evaluations rather than time.",
        say="All pass. What it costs, counted in evaluations of the harmonics rather than in seconds:",
    )
    s.agent(
        say="""Nothing is missing any more and the times are right to a second. It needs some 6 900 evaluations of the harmonics for a month of one harbour, about half of them for the 12-minute samples, the rest for the search. Shall I run the full check and commit?""",
    )


def _derivative(s: Stage) -> None:
    s.user_shell("git restore tidewatch/extrema.py && git status --short", after=3)
    s.use_model("heron-2-large")
    s.think("high")
    s.user(
        """
I went back to before the search and restored extrema.py; your tests are still there. The golden section works, but I don't want it: we search for the top of a curve that is flat there, in steps, when we know the curve in closed form. The derivative of a cosine is no secret. High water is where the rate is zero, and that is a clean sign change. Use the derivative, and no sampling every few minutes.
""",
        after=4,
    )
    s.agent(
        read("tidewatch/harmonics.py"),
        read("tidewatch/constituents.py"),
        think="""h(t) = z0 + sum A cos(w t - p), so h'(t) = -sum A w sin(w t - p), w in radians per hour. Metres per hour.

Sign changes: step with a stride that cannot hop over two extremes. The fastest constituent we know is MS4 with 58.98 deg/h, period 6.1 h. Two zeros of the rate can in principle be arbitrarily close (a stand, double high water), but with one hour and amplitudes of a few centimetres for the quarter-diurnal ones that does not happen here; and if two are within an hour, hopping over both still leaves high and low taking turns, so the table stays sound. Good property, and worth a comment.

Zero exactly at a stride end: conditions left > 0 >= right and left < 0 <= right. If left is exactly 0 then it was the right end of the step before and has been reported there, except at the start. Fine: the start itself isn't 'between'.

Bisection from 1 h to 1 s: 12 halvings. Per extreme 12 + one height. 28 days: 672 strides + 108 * 13 = about 2100 evaluations.

Test for rate_at: compare with a difference quotient.""",
        say="Agreed, that is the better way: the rate is `-Σ A·ω·sin(ωt − φ)`, and it changes sign once between a high and a low water. Let me see what `harmonics` offers.",
    )
    s.agent(
        edit(
            "tests/test_harmonics.py",
            "def test_series_includes_both_ends(",
            "def test_the_rate_is_the_slope_of_the_height(root: Path) -> None:\n"
            '    station = find_station(root / "stations", "saltmere")\n'
            "    second = timedelta(seconds=1)\n"
            "    for hours in range(0, 200, 7):\n"
            "        when = datetime(2026, 2, 1, tzinfo=UTC) + timedelta(hours=hours)\n"
            "        slope = (height_at(station, when + second) - height_at(station, when - second)) * 1800\n"
            "        assert rate_at(station, when) == pytest.approx(slope, abs=1e-6)\n\n\n"
            "def test_series_includes_both_ends(",
        ),
        edit(
            "tests/test_harmonics.py",
            "from datetime import datetime, timedelta\n",
            "from datetime import UTC, datetime, timedelta\nfrom pathlib import Path\n",
        ),
        edit(
            "tests/test_harmonics.py",
            "import height_at, hours_since_epoch, series\n",
            "import height_at, hours_since_epoch, rate_at, series\n",
        ),
        edit("tests/test_harmonics.py", "import Station\n", "import Station, find_station\n"),
        edit(
            "tidewatch/harmonics.py",
            "def series(",
            "def rate_at(station: Station, when: datetime) -> float:\n"
            '    """How fast the predicted height changes, in metres per hour."""\n'
            "    hours = hours_since_epoch(when)\n"
            "    rate = 0.0\n"
            "    for part in station.harmonics:\n"
            "        speed = math.radians(speed_of(part.name))\n"
            "        rate -= part.amplitude * speed * math.sin(speed * hours - part.phase)\n"
            "    return rate\n\n\n"
            "def series(",
        ),
        bash("python -m pytest -q tests/test_harmonics.py"),
        say="The rate with its own test, against the slope of the height.",
    )
    s.agent(
        edit(
            "tidewatch/harmonics.py",
            "math.sin(speed * hours - part.phase)",
            "math.sin(speed * hours - math.radians(part.phase))",
        ),
        bash("python -m pytest -q tests/test_harmonics.py"),
        think="Phase is in degrees. I mixed radians and degrees; good that the test compares with the slope.",
        say="I subtracted degrees from radians. The test against the slope caught it.",
    )
    s.agent(
        write("tidewatch/extrema.py", DERIVATIVE),
        bash("python -m pytest -q tests/test_extrema.py"),
        bash(MISSING),
        bash(COUNT),
        say="Now `extrema` on top of it.",
    )
    s.agent(
        bash("python -m tidewatch table saltmere --start 2026-03-09 --days 3"),
        bash("scripts/check"),
        say="Complete, exact to a second, and with some 2 100 evaluations for a month; the 12-minute samples alone were 3 361. Today's table, and the whole check:",
    )
    s.user(
        """
That's the one. One detail for the door: the table cuts the seconds off. A tide at 11:46:50 should read 11:47. Round to the nearest minute, in the table only, the library keeps the exact time.
""",
        after=2,
    )
    s.agent(
        edit(
            "tests/test_table.py",
            "def test_render(",
            "def test_times_are_rounded_to_the_minute(start: datetime) -> None:\n"
            '    late = Extreme(start + timedelta(hours=23, minutes=59, seconds=40), 3.1, "high")\n'
            '    early = Extreme(start + timedelta(hours=4, minutes=10, seconds=29), 0.4, "low")\n'
            '    assert list(rows([early])) == ["2026-01-01  04:10     0.40 m  low"]\n'
            '    assert list(rows([late])) == ["2026-01-02  00:00     3.10 m  high"]\n\n\n'
            "def test_render(",
        ),
        bash("python -m pytest -q tests/test_table.py"),
        think="The rounding can carry into the next day, so the date has to be taken after rounding, before groupby.",
        say="Rounding may carry into the next day, so the date has to come after it. Test:",
    )
    s.agent(
        edit(
            "tidewatch/table.py",
            """    for day, group in groupby(extremes, key=lambda e: e.when.date()):
        for number, extreme in enumerate(group):
            date = f"{day:%Y-%m-%d}" if number == 0 else ""
            yield f"{date:<12}{extreme.when:%H:%M}  {format_height(extreme.height, unit):>9}  {extreme.kind}"
""",
            """    rounded = ((to_minute(extreme.when), extreme) for extreme in extremes)
    for day, group in groupby(rounded, key=lambda pair: pair[0].date()):
        for number, (when, extreme) in enumerate(group):
            date = f"{day:%Y-%m-%d}" if number == 0 else ""
            yield f"{date:<12}{when:%H:%M}  {format_height(extreme.height, unit):>9}  {extreme.kind}"
""",
        ),
        edit(
            "tidewatch/table.py",
            "def rows(",
            "def to_minute(when: datetime) -> datetime:\n"
            '    """The nearest full minute."""\n'
            "    return (when + timedelta(seconds=30)).replace(second=0, microsecond=0)\n\n\n"
            "def rows(",
        ),
        edit(
            "tidewatch/table.py",
            "from itertools import groupby\n",
            "from datetime import datetime, timedelta\nfrom itertools import groupby\n",
        ),
        bash("python -m pytest -q tests/test_table.py tests/test_cli.py"),
    )
    s.agent(
        edit(
            "CHANGELOG.md",
            "## Unreleased\n\n",
            "## Unreleased\n\n- Tide tables are complete. Near neaps high and low waters were missing, sometimes two in a row.\n"
            "- Times in tide tables are exact to the minute; they were multiples of 12 minutes.\n",
        ),
        bash(
            "scripts/check && git add -A && git commit -q -m 'Find high and low waters where the rate changes its sign' && git show --stat --format='%h %s' HEAD"
        ),
        bash("python -m tidewatch table saltmere --start 2026-03-01 --days 28"),
        say="Changelog, check, commit; and March for Saltmere as it will hang on the door:",
    )
    s.agent(
        todo(
            "[x] watch: rules on gauge readings, settle_minutes = 30",
            "[x] table: high and low waters are missing, times are off by up to 6 minutes",
            "[ ] Kettle Bay: mean residual is not zero",
            "[ ] before the release: should `watch` exit with 3 when it warns?",
        ),
    )
    s.agent(
        say="""Committed as "Find high and low waters where the rate changes its sign". March for Saltmere has two highs and two lows on every day that has room for them, and no time in it is a multiple of twelve by anything but chance. The sheet for the door can be printed again.""",
    )
