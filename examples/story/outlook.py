"""The surge carried into the next hours, and a number that is measured instead of guessed."""

from __future__ import annotations

from recorder import Stage, bash, edit, read, todo, write

MODULE = '''"""The outlook: the prediction plus what is left of the present surge."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from tidewatch.harmonics import height_at
from tidewatch.observations import Residual
from tidewatch.stations import Station

WINDOW = timedelta(hours=2)
FEWEST = 4  # readings in the window, else we know nothing


@dataclass(frozen=True, slots=True)
class Surge:
    """How much the water stands above the prediction, and when that was so."""

    when: datetime
    height: float

    def left_at(self, when: datetime, half_life: timedelta) -> float:
        """What is left of it at a later moment: half after each half-life."""
        return self.height * 0.5 ** ((when - self.when) / half_life)


def newest_surge(rows: Iterable[Residual], at: datetime | None = None) -> Surge | None:
    """The median residual of the last two hours before a moment (default: the last reading)."""
    known = [row for row in rows if at is None or row.when <= at]
    if not known:
        return None
    last = at or known[-1].when
    recent = [row.value for row in known if last - row.when < WINDOW]
    if len(recent) < FEWEST:
        return None
    return Surge(last, statistics.median(recent))


def outlook(
    station: Station, surge: Surge, length: timedelta, step: timedelta, half_life: timedelta
) -> Iterator[tuple[datetime, float]]:
    """Expected levels from the moment of the surge on."""
    when = surge.when
    while when <= surge.when + length:
        yield when, height_at(station, when) + surge.left_at(when, half_life)
        when += step
'''

TESTS = '''"""The outlook."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from tidewatch.harmonics import height_at
from tidewatch.observations import Residual
from tidewatch.stations import Station
from tidewatch.surge import Surge, newest_surge, outlook


def rows(start: datetime, *values: float) -> list[Residual]:
    return [Residual(start + timedelta(minutes=10 * i), 2.0 + v, 2.0) for i, v in enumerate(values)]


def test_the_newest_surge_is_a_median(start: datetime) -> None:
    found = newest_surge(rows(start, *[0.0] * 30, *[0.4] * 11, 3.0))
    assert found is not None
    assert found.height == pytest.approx(0.4)
    assert found.when == start + timedelta(minutes=410)


def test_nothing_after_the_moment_is_used(start: datetime) -> None:
    found = newest_surge(rows(start, *[0.1] * 20, *[0.9] * 20), at=start + timedelta(minutes=190))
    assert found == Surge(start + timedelta(minutes=190), pytest.approx(0.1))


def test_too_few_readings(start: datetime) -> None:
    assert newest_surge([]) is None
    assert newest_surge(rows(start, 0.1, 0.1, 0.1)) is None


def test_half_is_left_after_a_half_life(start: datetime) -> None:
    surge = Surge(start, 0.4)
    assert surge.left_at(start, timedelta(hours=6)) == pytest.approx(0.4)
    assert surge.left_at(start + timedelta(hours=6), timedelta(hours=6)) == pytest.approx(0.2)


def test_outlook_starts_at_the_measured_level(plain: Station, start: datetime) -> None:
    levels = list(outlook(plain, Surge(start, 0.4), timedelta(hours=1), timedelta(minutes=10), timedelta(hours=6)))
    assert len(levels) == 7
    assert levels[0] == (start, pytest.approx(height_at(plain, start) + 0.4))
'''

COMMAND = """def cmd_outlook(args: argparse.Namespace, settings: Settings) -> int:
    station = find_station(settings.stations, args.station)
    surge = newest_surge(residuals(station, read_log(settings.logs / args.log)), args.at)
    if surge is None:
        raise TidewatchError(f"{args.log}: too few readings in the last two hours for an outlook")
    print(f"surge {surge.height:+.2f} m at {surge.when:%Y-%m-%d %H:%M}")
    levels = list(outlook(station, surge, timedelta(hours=args.hours), settings.step, settings.surge_half_life))
    for rule in settings.rules:
        if rule.station == station.id:
            for alert in join(find_alerts(rule, levels), settings.settle, rule.direction):
                print(describe(alert, rule))
    return 0


def cmd_residual("""

MEASURE = """python - <<'EOF'
from datetime import UTC, datetime, timedelta
from pathlib import Path
import statistics
from tidewatch.observations import read_log, residuals
from tidewatch.stations import find_station
from tidewatch.surge import newest_surge
for name in ('saltmere', 'port-ellery'):
    station = find_station(Path('stations'), name)
    rows = list(residuals(station, read_log(Path(f'data/raw/{name}-2026-02.csv'))))
    print(name)
    for hours in (None, 2, 3, 4, 6, 9, 12, 24):
        errors = []
        for hour in range(6, 66):
            at = datetime(2026, 2, 17, tzinfo=UTC) + timedelta(hours=hour)
            surge = newest_surge(rows, at)
            if surge is None:
                continue
            for row in rows:
                if at < row.when <= at + timedelta(hours=6):
                    left = surge.left_at(row.when, timedelta(hours=hours)) if hours else 0.0
                    errors.append(row.value - left)
        size = statistics.fmean(abs(e) for e in errors)
        worst = max(errors, key=abs)
        label = f'half-life {hours:2} h' if hours else 'prediction alone'
        print(f'  {label:17} mean error {size:.4f} m   worst {worst:+.2f} m   ({len(errors)} pairs)')
EOF"""


def play(s: Stage) -> None:
    """The outlook command."""
    s.user(
        """
Good. Next, the idea that started all this. If the gauge shows +0.4 m right now, the next high water will not come as predicted either. I want `tidewatch outlook STATION LOG [--hours 24] [--at MOMENT]`: take the surge of the last two hours from the log, add it to the prediction, let it fade, and apply the rules of the station to that. `--at` pretends that it is that moment, so that we can check it against what really came.

Let it fade with a half-life of 12 hours, weather lasts half a day here. Make it a setting, `surge_half_life_hours`.
""",
        after=7,
    )
    s.agent(
        todo(
            "[x] table: high and low waters are missing, times are off by up to 6 minutes",
            "[x] calendar: high and low waters as .ics, same bytes on each run",
            "[>] outlook: surge of the last two hours, half-life 12 h",
            "[ ] Kettle Bay: mean residual is not zero",
            "[ ] before the release: should `watch` exit with 3 when it warns?",
        ),
        read("tidewatch/observations.py", 70, 45),
        read("tidewatch/config.py"),
        bash("sed -n '/^def cmd_watch/,/^def build_parser/p' tidewatch/cli.py"),
        think="Median of the last two hours, so that one spike that the filter missed does not matter. Fewer than, say, 4 readings in two hours: no outlook, say so. Module surge.py.",
        say="A module `surge` with three small things: the surge of the last two hours (a median, so one bad reading does no harm), how much of it is left later, and the series. The command then reuses `find_alerts`, `join` and `describe`.",
    )
    s.agent(
        write("tests/test_surge.py", TESTS),
        write("tidewatch/surge.py", MODULE),
        bash("python -m pytest -q tests/test_surge.py"),
    )
    s.agent(
        edit("tidewatch/cli.py", "def cmd_residual(", COMMAND),
        edit(
            "tidewatch/cli.py",
            "from tidewatch.table import render\n",
            "from tidewatch.surge import newest_surge, outlook\nfrom tidewatch.table import render\n",
        ),
        edit(
            "tidewatch/cli.py",
            """        sub.add_argument("log")
        sub.set_defaults(run=run)
""",
            """        sub.add_argument("log")
        sub.set_defaults(run=run)
        if name == "outlook":
            sub.add_argument("--hours", type=int, default=24)
            sub.add_argument("--at", type=_moment)
""",
        ),
        edit(
            "tidewatch/cli.py",
            '(("watch", cmd_watch), ("residual", cmd_residual))',
            '(("watch", cmd_watch), ("outlook", cmd_outlook), ("residual", cmd_residual))',
        ),
        edit("tidewatch/cli.py", "| watch | residual``", "| watch | outlook | residual``"),
        edit("tidewatch/config.py", ', "rules"}', ', "surge_half_life_hours", "rules"}'),
        edit(
            "tidewatch/config.py",
            "    settle: timedelta = timedelta(0)\n",
            "    settle: timedelta = timedelta(0)\n    surge_half_life: timedelta = timedelta(hours=12)\n",
        ),
        edit(
            "tidewatch/config.py",
            "        rules=tuple(",
            '        surge_half_life=_hours(raw, "surge_half_life_hours", timedelta(hours=12)),\n        rules=tuple(',
        ),
        bash("scripts/check"),
        say="The command and the setting.",
    )
    s.agent(
        edit(
            "tidewatch/config.py",
            'KNOWN = {"stations", "logs", "unit", "step_minutes", "longest_gap_minutes", "settle_minutes", "surge_half_life_hours", "rules"}',
            'KNOWN_MINUTES = {"step_minutes", "longest_gap_minutes", "settle_minutes"}\n'
            'KNOWN = {"stations", "logs", "unit", "surge_half_life_hours", "rules"} | KNOWN_MINUTES',
        ),
        edit(
            "tidewatch/config.py",
            "def _rule(number",
            "def _hours(raw: dict[str, Any], key: str, default: timedelta) -> timedelta:\n"
            "    value = raw.get(key)\n"
            "    if value is None:\n"
            "        return default\n"
            "    if not isinstance(value, int | float) or isinstance(value, bool) or not value > 0:\n"
            '        raise ConfigError(key, f"a positive number of hours is needed, not {value!r}")\n'
            "    return timedelta(hours=value)\n\n\n"
            "def _rule(number",
        ),
        edit(
            "tests/test_config.py",
            '        ("settle_minutes = -5\\n",',
            '        ("surge_half_life_hours = 0\\n", "config: surge_half_life_hours: a positive number of hours"),\n        ("settle_minutes = -5\\n",',
        ),
        edit(
            "tests/test_cli.py",
            "def test_unknown_station(",
            "def test_outlook_of_the_eighteenth(capsys: pytest.CaptureFixture[str]) -> None:\n"
            '    command = ["outlook", "saltmere", "saltmere-2026-02.csv", "--at", "2026-02-18T17:00", "--hours", "6"]\n'
            "    assert main(command) == 0\n"
            "    lines = capsys.readouterr().out.splitlines()\n"
            '    assert lines[0].startswith("surge +0.34")\n'
            '    assert "quay floods" in lines[1]\n\n\n'
            "def test_outlook_in_a_gap(capsys: pytest.CaptureFixture[str]) -> None:\n"
            '    assert main(["outlook", "kettle-bay", "kettle-bay-2026-02.csv", "--at", "2026-02-19T02:00"]) == 1\n'
            '    assert "too few readings" in capsys.readouterr().err\n\n\n'
            "def test_unknown_station(",
        ),
        bash("scripts/check"),
        bash(
            "python -m tidewatch outlook saltmere saltmere-2026-02.csv --at 2026-02-18T17:00 --hours 8; python -m tidewatch watch saltmere saltmere-2026-02.csv"
        ),
        say="Another long line; and I referred to `_hours` before writing it. Both repaired, with tests for the setting, for the evening of the 18th and for a gap.",
    )
    s.agent(
        bash(MEASURE),
        think="It works. But 12 h was a guess by the user. We have two logs with a surge: measure. For every full hour, take the surge, predict six hours, compare with what came; different half-lives, and the prediction alone as the base line. Kettle Bay left out because of its constant offset, which would count as an eternal surge.",
        say="It works: at 17:00 it warns of the quay, an hour before the water was there. The 12 hours are easy to check against the logs, so I did: for each hour an outlook of six hours, compared with what the gauge then measured. Kettle Bay is left out, its constant offset would look like a surge that never ends.",
    )
    s.agent(
        say="""The outlook is clearly better than the prediction alone, with any half-life. But 12 hours is not the best one: at Saltmere the error is smallest around 3 hours, at Port Ellery between 4 and 6. The differences are small against the gain (at Saltmere 0.091 m without, 0.068 with 3 or 4 hours, 0.073 with 12), and it is **one** storm, so I would not read more into it than "shorter than 12". Shall I keep 12 or take 4?""",
    )
    s.user(
        """
I like that you measured it. Take 4 hours then, as the default and in our settings. My 12 was a guess. Write into the docs that it comes from one storm only, so that somebody measures again next winter.

While you're at it: `settle_minutes` goes up to 45. I showed the duty officer the list and he says two warnings 40 minutes apart are still the same tide to him. So 45, not 30.
""",
        after=4,
    )
    s.agent(
        edit(
            "tidewatch/config.py",
            "surge_half_life: timedelta = timedelta(hours=12)",
            "surge_half_life: timedelta = timedelta(hours=4)",
        ),
        edit(
            "tidewatch/config.py",
            '"surge_half_life_hours", timedelta(hours=12)',
            '"surge_half_life_hours", timedelta(hours=4)',
        ),
        edit("tidewatch.toml", "settle_minutes = 30\n", "settle_minutes = 45\nsurge_half_life_hours = 4\n"),
        edit(
            "docs/alerts.md",
            "Near the limit a gauge flaps.",
            "`tidewatch outlook STATION LOG` takes the surge of the last two hours (the median of the residuals), adds it to\n"
            "the prediction, lets it fade with `surge_half_life_hours` and applies the rules to that. The default of 4 hours was\n"
            "measured on one storm, 17 to 19 February 2026, at Saltmere and Port Ellery: measure again when there are more.\n\n"
            "Near the limit a gauge flaps.",
        ),
        edit(
            "CHANGELOG.md",
            "## Unreleased\n\n",
            "## Unreleased\n\n- New command `outlook`: the rules on the prediction plus the present surge, which fades by half in 4 hours\n"
            "  (`surge_half_life_hours`).\n",
        ),
        edit(
            "CHANGELOG.md",
            "are at most so far apart are one. 30 in our settings.",
            "are at most so far apart are one. 45 in our settings.",
        ),
        bash("scripts/check"),
    )
    s.agent(
        edit(
            "README.md",
            "    python -m tidewatch residual saltmere",
            "    python -m tidewatch outlook saltmere saltmere-2026-02.csv --hours 24\n    python -m tidewatch residual saltmere",
        ),
        edit(
            "README.md",
            "| `alerts` | stretches",
            "| `surge` | the surge of the last two hours, and what is left of it later |\n| `alerts` | stretches",
        ),
        bash(
            "python -m tidewatch watch saltmere saltmere-2026-02.csv; grep -rn '30' tidewatch.toml docs/alerts.md CHANGELOG.md | sort"
        ),
        bash(
            "git add -A && git commit -q -m 'Add an outlook that carries the surge on, settle after 45 minutes' && git show --stat --format='%h %s' HEAD"
        ),
        todo(
            "[x] table: high and low waters are missing, times are off by up to 6 minutes",
            "[x] calendar: high and low waters as .ics, same bytes on each run",
            "[x] outlook: surge of the last two hours, half-life 4 h (was 12)",
            "[x] settle_minutes = 45 (was 30)",
            "[ ] Kettle Bay: mean residual is not zero",
            "[ ] before the release: should `watch` exit with 3 when it warns?",
        ),
        say="Both numbers changed, everywhere where the old ones stood.",
    )
    s.agent(
        say="""Committed. `surge_half_life_hours` is 4 and `settle_minutes` is 45, in the settings and in the documents; no 12 and no 30 of the old ones is left (the 30 that remains in `tidewatch.toml` is `longest_gap_minutes`).""",
    )
