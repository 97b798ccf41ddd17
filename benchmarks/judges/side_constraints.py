"""conpact: does a side constraint of the user survive, wherever in a long session it was said?

Its fifteen constraints are put at the top, in the middle and at the bottom of our real sessions. Its judge is a model;
in its place stands a small local endpoint that looks for the words of the constraint, on one line of the context.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("TQDM_DISABLE", "1")

from conpact.evaluate import Endpoint, evaluate
from conpact.generate import build_instances

from benchmarks.judges.common import judged_name, summarise, tokens
from benchmarks.judges.sessions import histories
from treering.evaluation.words import content_words, share

BUDGET = 2000
KEEP_TOKENS = 20_000
POSITIONS = ("top", "middle", "bottom")
NEEDED = 0.9
"""Share of the constraint's words that must stand together: nearly all, since a rule is to be kept word for word."""
SESSIONS = 3
LENGTH = 200_000


def compact(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """A summary, then the newest messages as they are."""
    first = first_kept(messages)
    old = [(message["role"], message["content"]) for message in messages[:first]]
    return [{"role": "user", "content": summarise(old, BUDGET)}, *messages[first:]]


def last_tokens(messages: list[dict[str, str]]) -> list[dict[str, str]]:
    """The newest messages alone, to see that the harness can tell."""
    return messages[first_kept(messages) :]


def first_kept(messages: list[dict[str, str]]) -> int:
    """Where the newest 20 000 tokens begin."""
    first, kept = len(messages), 0
    while first > 0 and kept < KEEP_TOKENS:
        first -= 1
        kept += tokens(messages[first]["content"])
    return first


class LexicalJudge(BaseHTTPRequestHandler):
    """An OpenAI-compatible endpoint that answers YES or NO to conpact's retention question."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = "YES" if retained(body["messages"][-1]["content"]) else "NO"
        message = {"role": "assistant", "content": answer}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "x", "object": "chat.completion", "created": 0, "model": "lexical", "choices": [choice]}
        data = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def retained(question: str) -> bool:
    """Whether the context of the question holds the constraint of the question."""
    constraint, _, context = question.partition("[Compacted Context]")
    needed = content_words(constraint.replace("[Injected SSSC]", ""))
    return any(share(needed, set(content_words(line))) >= NEEDED for line in context.split("\n"))


@contextmanager
def judge() -> Iterator[Endpoint]:
    """The judge, running on a free local port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), LexicalJudge)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Endpoint(model="lexical", base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none")
    finally:
        server.shutdown()
        thread.join()


def haystacks() -> list[dict]:
    """The largest of our sessions in conpact's form."""
    made = []
    for name, turns in histories()[-SESSIONS:]:
        messages = [{"role": role, "content": text} for role, text in turns]
        made.append(
            {
                "haystack_id": name,
                "source": "treering",
                "messages": messages,
                "message_tokens": [tokens(message["content"]) for message in messages],
                "system_prompt": "",
                "source_conversation_count": 1,
            }
        )
    return made


def main() -> None:
    stacks = haystacks()
    print(f"conpact, {judged_name()}: 15 constraints × {len(stacks)} sessions, {BUDGET} tokens of summary")
    print(f"{'position':8} {'retention':>10} {'last 20k only':>14} {'largest summary':>16}")
    with judge() as endpoint, tempfile.TemporaryDirectory() as folder:
        for position in POSITIONS:
            instances = build_instances(stacks, length=LENGTH, position=position)
            largest = 0
            rates = []
            for name, compactor in (("summary", compact), ("last", last_tokens)):
                seen: list[int] = []

                def counted(messages: list[dict[str, str]], run=compactor, sizes=seen) -> list[dict[str, str]]:
                    context = run(messages)
                    sizes.append(tokens(context[0]["content"]) if context else 0)
                    return context

                out = Path(folder) / f"{position}-{name}"
                rows = evaluate(instances, counted, out_dir=out, judge=endpoint, retention_only=True, compact_workers=1)
                rates.append(next(row for row in rows if row["sc_type"] == "all")["retention_rate_pct"])
                largest = max(largest, *seen) if name == "summary" else largest
            print(f"{position:8} {rates[0]:9.1f}% {rates[1]:13.1f}% {largest:16}")


if __name__ == "__main__":
    main()
