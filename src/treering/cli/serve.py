"""`serve-summaries`: a summary endpoint for agents that know how to ask one."""

from __future__ import annotations

import click

from treering.cli.common import echo
from treering.config import load_settings
from treering.errors import MissingExtraError
from treering.summarizers.choose import choose_summarizer


@click.command("serve-summaries", short_help="Answer requests for summaries over HTTP.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8787, show_default=True, metavar="N", help="0: any free."
)
@click.option("--token", envvar="TREERING_SERVE_TOKEN", help="Callers must send it; needed unless HOST is loopback.")
@click.option(
    "--summarizer",
    "summarizers",
    multiple=True,
    metavar="NAME",
    help="As for compact: extractive, a model, a URL.  [default: by the settings]",
)
@click.option(
    "--budget",
    type=click.IntRange(min=64),
    default=8192,
    show_default=True,
    metavar="N",
    help="Tokens the summary may have.",
)
def serve_summaries(host: str, port: int, token: str | None, summarizers: tuple[str, ...], budget: int) -> None:
    """Answer POST {systemPrompt, prompt} with {summary}, by any summarizer.

    Point an agent's compaction.remoteEndpoint at the address that is printed. Nothing is kept.
    """
    from treering.summarizers.serve import ServerOptions, check_access, make_app

    check_access(host, token)
    summarizer = choose_summarizer(load_settings(), summarizers)
    app = make_app(summarizer, ServerOptions(token=token, budget=budget))
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError("the summary server", "serve") from error
    config = uvicorn.Config(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=5)
    with config.bind_socket() as listening:
        listening.listen()  # who reads the address below may ask at once
        address = listening.getsockname()
        shown = f"[{address[0]}]" if ":" in address[0] else address[0]
        echo(f"summaries by {summarizer.name} at http://{shown}:{address[1]}/summarize")
        uvicorn.Server(config).run(sockets=[listening])
