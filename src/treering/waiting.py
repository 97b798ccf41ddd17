"""Waiting for functions that may be plain or asynchronous, with or without an event loop.

An operation is written once, as a coroutine, and is handed one of two ways to wait:

- `Concurrent`: under a running event loop. Plain functions run in a thread, so that the loop goes on.
- `Blocking`: without one. Plain functions are called where they are, nothing suspends, and `run_blocking` drives the
  coroutine to its end. asyncio is imported only if an awaitable really turns up (its import alone costs 45 ms).

Threads are daemons: one that hangs keeps no program from ending.
"""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from treering.cancel import CancelToken, OperationCancelledError

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")

Call = Callable[[], T | Awaitable[T]]


class Waiting(Protocol):
    """How an operation calls what may take long."""

    async def call(self, function: Call[T], *, timeout: float | None = None, cancel: CancelToken | None = None) -> T:
        """The result of `function()`, which may be plain or asynchronous.

        Args:
            function: what to call, without arguments.
            timeout: seconds to wait; None for ever.
            cancel: ends the waiting when it is set.

        Raises:
            TimeoutError: the time is over; the function may still be running.
            OperationCancelledError: `cancel` was set.
        """
        ...


class Blocking:
    """Waits by blocking this thread."""

    async def call(self, function: Call[T], *, timeout: float | None = None, cancel: CancelToken | None = None) -> T:
        """The result; see `Waiting`. Without a time-out, the function runs in this thread."""
        if cancel:
            cancel.check()

        def whole() -> T:
            result = function()
            return _run_loop(result, timeout, cancel) if inspect.isawaitable(result) else result

        if timeout is None:
            return whole()
        done = threading.Event()
        outcome = _start(whole, lambda _: done.set())
        stop = cancel.listen(done.set) if cancel else _nothing
        try:
            in_time = done.wait(timeout)
        finally:
            stop()
        if outcome.ready:
            return outcome.get()
        if cancel:
            cancel.check()
        assert not in_time, "only the end of the function and the token set the event"
        raise TimeoutError


class Concurrent:
    """Waits under the running event loop."""

    async def call(self, function: Call[T], *, timeout: float | None = None, cancel: CancelToken | None = None) -> T:
        """The result; see `Waiting`. A plain function runs in a thread of its own."""
        import asyncio

        if cancel:
            cancel.check()
        if inspect.iscoroutinefunction(function):
            return await _wait(function(), timeout, cancel)
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Outcome[T | Awaitable[T]]] = loop.create_future()

        def finish(outcome: Outcome[T | Awaitable[T]]) -> None:
            if not done.done():
                done.set_result(outcome)

        def tell(outcome: Outcome[T | Awaitable[T]]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed: nobody waits any more
                loop.call_soon_threadsafe(finish, outcome)

        _start(function, tell)
        result = (await _wait(done, timeout, cancel)).get()
        return await _wait(result, timeout, cancel) if inspect.isawaitable(result) else result


class Outcome(Generic[T]):
    """What a function in a thread came to."""

    ready = False
    _value: T
    _error: BaseException | None = None

    def run(self, function: Callable[[], T]) -> None:
        """Call it and keep its result or its error."""
        try:
            self._value = function()
        except BaseException as error:  # it is raised again where it is waited for
            self._error = error
        self.ready = True

    def get(self) -> T:
        """The result, or the error raised."""
        if self._error is not None:
            raise self._error
        return self._value


def run_blocking(coroutine: Coroutine[Any, Any, T]) -> T:
    """Drive a coroutine that never suspends (it waits with `Blocking`) to its end, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise RuntimeError("this operation suspended although it was to wait by blocking")


def _start(function: Callable[[], T], tell: Callable[[Outcome[T]], None]) -> Outcome[T]:
    outcome: Outcome[T] = Outcome()

    def work() -> None:
        outcome.run(function)
        tell(outcome)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="treering", daemon=True).start()
    return outcome


def _run_loop(awaitable: Awaitable[T], timeout: float | None, cancel: CancelToken | None) -> T:
    """Wait for an awaitable in an event loop of its own; in a thread if this one runs a loop already."""
    import asyncio

    def run() -> T:
        return asyncio.run(_wait(awaitable, timeout, cancel))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    done = threading.Event()
    outcome = _start(run, lambda _: done.set())
    done.wait()
    return outcome.get()


async def _wait(awaitable: Awaitable[T], timeout: float | None, cancel: CancelToken | None) -> T:
    import asyncio

    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(awaitable)

    def stop() -> None:
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(task.cancel)

    forget = cancel.listen(stop) if cancel else _nothing
    try:
        done, _ = await asyncio.wait({task}, timeout=timeout)
    except BaseException:
        task.cancel()
        # Its own tidying up (closing a connection, reporting a call) belongs before what comes after us.
        await asyncio.wait({task}, timeout=1)
        raise
    finally:
        forget()
    if not done:
        task.cancel()
        raise TimeoutError
    if task.cancelled():
        if cancel and cancel.cancelled:
            raise OperationCancelledError("cancelled")
        raise RuntimeError("it was cancelled from inside")  # a CancelledError would say that our caller is
    return task.result()


def _nothing() -> None:
    """No listener to take away."""
