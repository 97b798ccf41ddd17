"""Looking around: what the project is, and the rules of the house."""

from __future__ import annotations

from recorder import Stage, bash, grep, ls, read


def play(s: Stage) -> None:
    """The user hands over the project."""
    s.use_model("heron-2")
    s.think("medium")
    s.user(
        """
I've inherited tidewatch, a small program that predicts tides for three harbours and prints warnings for the duty officer. Before we touch anything I'd like you to look around and tell me how a prediction ends up as a line on the printer. No changes yet.

House rules, they hold for everything we do today:
- Never edit anything under data/raw. It is evidence from the gauges. If a value there is wrong we correct it when we read it.
- Always run scripts/check before you commit. A commit with a red check is worse than no commit.
- Standard library only, no new dependencies. The box in the harbour office has no network.
- A bug gets a failing test first, then the fix.
""",
        after=0,
    )
    s.title("tidewatch: wrong warnings, missing tides")
    s.agent(
        ls(),
        read("README.md"),
        read("CONTRIBUTING.md"),
        think="Start with the layout and the two documents that say how people work here, then the modules in the order in which data flows.",
        say="I'll start with the layout and the two documents for people.",
    )
    s.agent(
        bash("git log --stat --format='%h %ad %s' --date=short"),
        bash("wc -l tidewatch/*.py tests/*.py tools/*.py stations/*.toml data/raw/*.csv"),
        say="History and sizes.",
    )
    s.agent(
        read("tidewatch/cli.py"),
        read("tidewatch/config.py"),
        read("tidewatch.toml"),
        say="The way in is the command line and its settings.",
    )
    s.agent(
        read("tidewatch/alerts.py"),
        read("tidewatch/harmonics.py"),
        read("tidewatch/stations.py"),
        think="cmd_alerts loops over the rules, finds the station of each, takes series() over the span and hands it to find_alerts(). So alerts, harmonics and stations are the path from prediction to printer.",
    )
    s.agent(
        read("tidewatch/units.py"),
        read("tidewatch/extrema.py"),
        read("tidewatch/table.py"),
        read("tidewatch/observations.py"),
        say="And what is left of the package.",
    )
    s.agent(read("docs/alerts.md"), read("docs/data.md"), read("stations/kettle-bay.toml"))
    s.agent(
        bash("scripts/check"),
        grep(r"TODO|FIXME|XXX", "tidewatch"),
        say="Does the check pass as things stand?",
    )
    s.agent(
        think="""Let me put it together. Path: tidewatch.toml -> load_settings -> Rule(limit in metres via parse_height) -> cmd_alerts -> find_station -> series (step_minutes) -> find_alerts -> describe -> stdout.

Things I noticed on the way and should mention without fixing:
- TidewatchError is printed on stdout by main(). If stdout is the printer, errors end up there between the alerts.
- find_alerts only yields when the level comes back, so a stretch that still runs at the end of the series disappears.
- read_log counts line numbers after dropping comments.
They asked for no changes, so only list them.""",
        say="""This is how a prediction becomes a line on the printer:

1. `config.load_settings` reads `tidewatch.toml`. Each `[[rules]]` becomes a `Rule`; its limit goes through `units.parse_height` and is in metres from there on.
2. `cli.cmd_alerts` takes each rule, loads its station from `stations/<id>.toml` (mean level plus amplitude and phase per constituent) and asks `harmonics.series` for the predicted height every `step_minutes` (10).
3. `alerts.find_alerts` walks along that series and yields an `Alert` for each stretch in which the level is past the limit, with start, end and the level furthest past it.
4. `alerts.describe` makes the one line, `cmd_alerts` prints it, and the count at the end.

Gauge data is not on that path at all: `observations` only feeds `tidewatch residual`. Tide tables go another way, through `extrema` and `table`.

The check passes: 24 files clean, 54 tests. Three things struck me while reading, I have not touched them:

- `find_alerts` yields a stretch only when the level has come back. One that still runs when the series ends is never reported.
- `cli.main` prints errors on stdout, so they would land on the printer.
- `read_log` numbers lines after the comment lines were dropped, so the line in a `ParseError` is too small for our logs.

Shall I go on with one of these, or is there something more urgent?""",
    )
