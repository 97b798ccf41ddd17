"""The command line: ``tidewatch stations | table | predict | alerts | residual``."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tidewatch import __version__
from tidewatch.alerts import describe, find_alerts
from tidewatch.config import Settings, load_settings
from tidewatch.errors import TidewatchError
from tidewatch.extrema import extremes
from tidewatch.harmonics import series
from tidewatch.observations import gaps, read_log, residuals, summarise
from tidewatch.stations import find_station, load_stations
from tidewatch.table import render
from tidewatch.units import format_height


def _moment(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


def _span(args: argparse.Namespace) -> tuple[datetime, datetime]:
    start: datetime = args.start
    return start, start + timedelta(days=args.days)


def cmd_stations(_: argparse.Namespace, settings: Settings) -> int:
    for station in load_stations(settings.stations).values():
        print(f"{station.id:<14}{station.title:<18}mean {format_height(station.mean_level, settings.unit)}")
    return 0


def cmd_table(args: argparse.Namespace, settings: Settings) -> int:
    station = find_station(settings.stations, args.station)
    start, end = _span(args)
    print(render(f"{station.title}, from {start:%Y-%m-%d}", extremes(station, start, end), settings.unit))
    return 0


def cmd_predict(args: argparse.Namespace, settings: Settings) -> int:
    station = find_station(settings.stations, args.station)
    start, end = _span(args)
    for when, height in series(station, start, end, settings.step):
        print(f"{when:%Y-%m-%d %H:%M}  {format_height(height, settings.unit)}")
    return 0


def cmd_alerts(args: argparse.Namespace, settings: Settings) -> int:
    start, end = _span(args)
    count = 0
    for rule in settings.rules:
        station = find_station(settings.stations, rule.station)
        for alert in find_alerts(rule, series(station, start, end, settings.step)):
            print(describe(alert, rule))
            count += 1
    print(f"{count} alert{'' if count == 1 else 's'}")
    return 0


def cmd_residual(args: argparse.Namespace, settings: Settings) -> int:
    station = find_station(settings.stations, args.station)
    log = read_log(settings.logs / args.log)
    for before, after in gaps(log, settings.longest_gap):
        print(f"gap: {before:%Y-%m-%d %H:%M} to {after:%Y-%m-%d %H:%M}")
    found = summarise(residuals(station, log))
    print(f"{found.count} readings, mean {found.mean:+.3f} m, spread {found.spread:.3f} m")
    if found.largest_at is not None:
        print(f"largest {found.largest:+.3f} m at {found.largest_at:%Y-%m-%d %H:%M}")
    return 0


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tidewatch", description="Tides, residuals and alerts.")
    parser.add_argument("--version", action="version", version=__version__)
    parser.add_argument("--config", type=Path, default=Path("tidewatch.toml"))
    commands = parser.add_subparsers(dest="command", required=True)

    commands.add_parser("stations").set_defaults(run=cmd_stations)

    for name, run in (("table", cmd_table), ("predict", cmd_predict)):
        sub = commands.add_parser(name)
        sub.add_argument("station")
        sub.add_argument("--start", type=_moment, required=True)
        sub.add_argument("--days", type=int, default=7)
        sub.set_defaults(run=run)

    alerts = commands.add_parser("alerts")
    alerts.add_argument("--start", type=_moment, required=True)
    alerts.add_argument("--days", type=int, default=7)
    alerts.set_defaults(run=cmd_alerts)

    residual = commands.add_parser("residual")
    residual.add_argument("station")
    residual.add_argument("log")
    residual.set_defaults(run=cmd_residual)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    args = build_parser().parse_args(argv)
    try:
        settings = load_settings(args.config)
        return args.run(args, settings)
    except TidewatchError as problem:
        print(f"tidewatch: {problem}")
        return 1
