"""The end of the afternoon: an exit code, and the gauge that is still off."""

from __future__ import annotations

from recorder import Stage, bash, edit, grep, read, todo

HOURLY = """python - <<'EOF'
from collections import defaultdict
from pathlib import Path
import statistics
from tidewatch.harmonics import rate_at
from tidewatch.observations import read_log, residuals
from tidewatch.stations import find_station
station = find_station(Path('stations'), 'kettle-bay')
rows = list(residuals(station, read_log(Path('data/raw/kettle-bay-2026-02.csv'))))
calm = [r for r in rows if r.when.day != 18]
by = defaultdict(list)
for r in calm:
    by['day', f'{r.when:%d}'].append(r.value)
    by['hour', f'{r.when.hour // 3 * 3:02d} to {r.when.hour // 3 * 3 + 3:02d}'].append(r.value)
    by['level', f'{int(r.predicted / 0.5) * 0.5:.1f} m'].append(r.value)
    rate = rate_at(station, r.when)
    by['tide', 'rising' if rate > 0.1 else 'falling' if rate < -0.1 else 'stand'].append(r.value)
print(f'without the 18th: {len(calm)} readings, median {statistics.median(r.value for r in calm):+.3f}')
for key in sorted(by):
    values = by[key]
    print(f'  {key[0]:6}{key[1]:10} n {len(values):3}  mean {statistics.fmean(values):+.3f}  spread {statistics.pstdev(values):.3f}')
EOF"""

HINDCAST = '''"""The gauges and the prediction have to agree: a wrong clock, sign or datum shows here first."""

from __future__ import annotations

import statistics
from pathlib import Path

import pytest

from tidewatch.observations import read_log, residuals
from tidewatch.stations import find_station


@pytest.mark.parametrize("station_id", ["saltmere", "port-ellery", "kettle-bay"])
def test_the_median_residual_is_small(root: Path, station_id: str) -> None:
    station = find_station(root / "stations", station_id)
    log = read_log(root / "data/raw" / f"{station_id}-2026-02.csv")
    assert abs(statistics.median(r.value for r in residuals(station, log))) < 0.10
'''


def play(s: Stage) -> None:
    """Two requests, and a question that stays open."""
    _exit_code(s)
    _kettle_bay(s)


def _exit_code(s: Stage) -> None:
    s.agent(
        todo(
            "[x] table, calendar, outlook",
            "[x] settle_minutes = 45 (was 30), surge_half_life_hours = 4 (was 12)",
            "[x] review of the package",
            "[ ] Kettle Bay: mean residual is not zero",
            "[>] before the release: should `watch` exit with 3 when it warns?",
        ),
    )
    s.agent(
        say="""All five points are done, in two commits. You asked to be reminded before a release: should `watch` exit with 3 when it prints a warning, so that a script can ring the bell?""",
    )
    s.user(
        """
Right. Yes, 3, but only when asked for: `watch --bell`. Without the option always 0, the cron job on the box mails every exit code that isn't 0, and it must not start mailing. Same option for `outlook`. An error stays 1.
""",
        after=3,
    )
    s.agent(
        grep("set_defaults|choices|return 0", "tidewatch/cli.py"),
        edit(
            "tests/test_cli.py",
            "def test_unknown_station(",
            '@pytest.mark.parametrize("command", ["watch", "outlook"])\n'
            "def test_the_bell(capsys: pytest.CaptureFixture[str], command: str) -> None:\n"
            '    noisy = [command, "port-ellery", "port-ellery-2026-02.csv"]\n'
            "    assert main(noisy) == 0\n"
            '    assert main([*noisy, "--bell"]) == 3\n'
            '    assert main([command, "port-ellery", "port-ellery-2026-02.csv", "--config", "x.toml"]) == 1\n'
            "    capsys.readouterr()\n\n\n"
            "def test_unknown_station(",
        ),
        bash("python -m pytest -q tests/test_cli.py 2>&1 | tail -15"),
    )
    s.agent(
        bash(
            "python - <<'EOF'\n"
            "from pathlib import Path\n"
            "path = Path('tidewatch/cli.py')\n"
            "text = path.read_text()\n"
            "old = '    count = sum(_report(rule, levels, settings) for rule in settings.rules if rule.station == station.id)\\n    print(_counted(count))\\n    return 0\\n'\n"
            "assert text.count(old) == 2\n"
            "text = text.replace(old, old.replace('return 0', 'return BELL if args.bell and count else 0'))\n"
            "old = '    outlook_options = commands'\n"
            "assert text.count(old) == 1\n"
            'text = text.replace(old, \'    for name in ("watch", "outlook"):\\n        commands.choices[name].add_argument("--bell", action="store_true", help="exit with 3 if there is an alert")\\n\' + old)\n'
            "old = 'def _moment('\n"
            "text = text.replace(old, 'BELL = 3  # exit code of `--bell` when there is an alert\\n\\n\\n' + old, 1)\n"
            "path.write_text(text)\n"
            "EOF\n"
            "python -m pytest -q tests/test_cli.py 2>&1 | tail -15"
        ),
    )
    s.agent(
        edit(
            "tests/test_cli.py",
            '    assert main([command, "port-ellery", "port-ellery-2026-02.csv", "--config", "x.toml"]) == 1\n',
            '    assert main([command, "atlantis", "port-ellery-2026-02.csv", "--bell"]) == 1\n',
        ),
        bash("scripts/check"),
        think="--config is an option of the main parser, so it has to come before the command: argparse exits with 2 there. And with a missing config file load_settings raises FileNotFoundError, which main doesn't catch: a traceback. That's another small bug, note it. For this test use an unknown station.",
        say="`--config` belongs before the command, my test was wrong there. An unknown station is the better error to test with.",
    )
    s.agent(
        bash(
            'python -m tidewatch --config x.toml stations; echo "exit code $?"; python -m tidewatch watch saltmere nope.csv; echo "exit code $?"'
        ),
        say="While I was at it: what happens with a settings file or a log that does not exist?",
    )
    s.agent(
        edit(
            "tests/test_cli.py",
            "def test_unknown_station(",
            '@pytest.mark.parametrize("command", [["--config", "x.toml", "stations"], ["watch", "saltmere", "nope.csv"]])\n'
            "def test_a_missing_file(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:\n"
            "    assert main(command) == 1\n"
            '    assert "No such file" in capsys.readouterr().err\n\n\n'
            "def test_unknown_station(",
        ),
        edit(
            "tidewatch/cli.py",
            "    except TidewatchError as problem:\n",
            "    except (TidewatchError, OSError) as problem:\n",
        ),
        edit(
            "CHANGELOG.md",
            "## Unreleased\n\n",
            "## Unreleased\n\n- `watch --bell` and `outlook --bell` exit with 3 if there is a warning.\n- A missing file is one line on stderr, not a traceback.\n",
        ),
        bash(
            "scripts/check && git add -A && git commit -q -m 'Ring the bell when asked, and report missing files' && git show --stat --format='%h %s' HEAD"
        ),
        say="Tracebacks, both. One line for each instead, with exit code 1.",
    )


def _kettle_bay(s: Stage) -> None:
    s.user(
        """
Excellent. Last thing for today: Kettle Bay. My contact at the survey office is on leave till Monday, so we will not get the levelling report before. Please find out what you can from the data: is it really a constant offset, or a clock, or a scale? And write a test that would have caught all of today's gauge bugs: the median residual of each station's log must be below 10 cm. No xfail and no exception for Kettle Bay in it, if it is red, it is red.
""",
        after=14,
    )
    s.agent(
        read("data/raw/kettle-bay-2026-02.csv"),
        read("stations/kettle-bay.toml"),
        bash(HOURLY),
        think="Constant offset: residual independent of level, tide direction and hour. Scale: residual grows with level. Clock: sign differs between rising and falling. Drift: changes by day. Leave the 18th out (surge).",
        say="A clock error would differ between rising and falling tide, a scale error would grow with the level, a drift would change from day to day. I split the residuals by all of these and leave out the 18th because of the surge.",
    )
    s.agent(
        bash(f"cat > tests/test_hindcast.py <<'EOF'\n{HINDCAST}EOF\nscripts/check"),
        bash("git status --short"),
    )
    s.agent(
        bash("python -m pytest -v tests 2>&1 | grep -v '^platform\\|^rootdir\\|^configfile\\|^plugins' | tail -130"),
        grep("datum", "."),
        say="Two pass and Kettle Bay is red, as you expected. Everything else for the record, and where the datum is mentioned:",
    )
    s.agent(
        todo(
            "[x] table, calendar, outlook",
            "[x] settle_minutes = 45 (was 30), surge_half_life_hours = 4 (was 12)",
            "[x] review of the package",
            "[x] `--bell`: exit with 3, only when asked for",
            "[>] Kettle Bay: constant offset of 0.41 m, test_hindcast is red and not committed",
            "[ ] release 0.5.0",
        ),
    )
    s.agent(
        think="Rule: no commit with a red check. So test_hindcast.py stays uncommitted. Don't change station file: datum unknown, the user wants to wait? They've not decided. Ask: enter offset when reading (per station setting `gauge_offset`), or wait for the report.",
        say="""What the data says about Kettle Bay:

- It is a **constant offset of +0.41 m**. Without the 18th the median is 0.410, and it is the same on both days, at all hours, on rising and falling tide and at all levels, to within a centimetre or two. So the clock is right and the scale is right; the zero of the new gauge lies 0.41 m lower than the station's datum.
- `tests/test_hindcast.py` checks the median residual of each log against 10 cm. Saltmere and Port Ellery pass, **`test_the_median_residual_is_small[kettle-bay]` fails** with 0.417, surge included. One honest remark: it would not have caught the wrong hour at Port Ellery. That moves the spread and hardly the median, so that bug keeps its own test.
- Since `scripts/check` is red, I have **not** committed it. `tests/test_hindcast.py` is the only uncommitted file. The last commit is "Ring the bell when asked, and report missing files", and it is green.

Until this is settled, `watch` and `outlook` are not to be trusted for Kettle Bay: "slipway under water" comes at every high water.

What I can not know is which of the two is right, the gauge or the station file, and that decides where the 0.41 m belongs. Shall I add a `gauge_offset = -0.41` to `stations/kettle-bay.toml`, applied when the log is read, so that the warnings are usable from tomorrow on; or do you want to leave it red until the levelling report is here on Monday?""",
    )
