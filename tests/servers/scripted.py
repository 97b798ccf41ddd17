"""An HTTP server that answers exactly what it is told to, for what a real one will not do on demand."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Write = Callable[[bytes], None]


@dataclass
class Answer:
    """One answer: plain (`body`), or streamed by a function that gets a writer and may stop half-way."""

    body: bytes | dict[str, Any] = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    length: int | None = None
    """A Content-Length to claim; more than is sent breaks the answer off."""
    stream: Callable[[Write, threading.Event], None] | None = None
    """Writes the body itself; the event is set when the server is closed."""


@dataclass
class Request:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Scripted:
    """The server. Answers are used up in order; the last one is repeated if `repeat` is set."""

    def __init__(self, *answers: Answer, repeat: bool = False) -> None:
        self.answers = list(answers)
        self.requests: list[Request] = []
        self.gone = threading.Event()
        """Set when a client hung up while its answer was written."""
        self._repeat = repeat
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def model(self) -> str:
        """The name of a chat model behind this server."""
        return f"scripted@{self.url}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._server.shutdown()
        self._server.server_close()

    def _next(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            if len(self.answers) > 1 or (self.answers and not self._repeat):
                return self.answers.pop(0)
            return self.answers[0] if self.answers else Answer({"error": {"message": "no answer left"}}, status=418)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        scripted = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                answer = scripted._next(Request(self.path, headers, body))
                raw = json.dumps(answer.body).encode() if isinstance(answer.body, dict) else answer.body
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.content_type)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                if answer.stream is None:
                    self.send_header("Content-Length", str(len(raw) if answer.length is None else answer.length))
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    if answer.stream is None:
                        self.wfile.write(raw)
                    else:
                        answer.stream(self.wfile.write, scripted._closed)
                except (BrokenPipeError, ConnectionResetError):
                    scripted.gone.set()
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the standard library's name)
                pass

        return Handler


def chat(
    text: str | None = "", *, finish: str = "stop", usage: tuple[int, int] | None = None, **message: Any
) -> Answer:
    """An answer of OpenAI's chat completions."""
    body: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
        ],
    }
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Answer(body)


def failure(status: int, message: str = "no", **headers: str) -> Answer:
    """An error of OpenAI's form; the names of headers with _ for -."""
    error = {"error": {"message": message, "type": "error"}}
    return Answer(error, status=status, headers={name.replace("_", "-"): value for name, value in headers.items()})


def drip(write: Write, closed: threading.Event) -> None:
    """One space every 20 ms, without end: valid so far, never an answer."""
    while not closed.wait(0.02):
        write(b" ")


def flood(write: Write, closed: threading.Event) -> None:
    """A JSON text without end."""
    write(b'{"choices": "')
    while not closed.is_set():
        write(b"x" * 1_000_000)


@contextlib.contextmanager
def scripted(*answers: Answer, repeat: bool = False) -> Iterator[Scripted]:
    """A running server with these answers."""
    with Scripted(*answers, repeat=repeat) as server:
        yield server
