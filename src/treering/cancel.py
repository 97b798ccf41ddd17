"""Cancelling: a token that may be set from any thread, and what an operation raises inside when it is."""

from __future__ import annotations

import threading
from collections.abc import Callable

from treering.errors import TreeringError


class OperationCancelledError(TreeringError):
    """The cancel token was set while something was waited for. Operations turn it into the outcome `cancelled`."""


class CancelToken:
    """Asks a running operation to stop. Any thread may set it; it stays set."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancelled = False
        self._listeners: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._cancelled

    def cancel(self) -> None:
        """Ask to stop. A second time does nothing."""
        with self._lock:
            listeners, self._listeners = self._listeners, []
            self._cancelled = True
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], object]) -> Callable[[], None]:
        """Call `listener` (in the thread that cancels) once the token is set, at once if it is already.

        Returns a function that takes the listener away again.
        """
        with self._lock:
            if not self._cancelled:
                self._listeners.append(listener)
                return lambda: self._forget(listener)
        listener()
        return lambda: None

    def check(self) -> None:
        """Go on only if nobody asked to stop.

        Raises:
            OperationCancelledError: somebody did.
        """
        if self._cancelled:
            raise OperationCancelledError("cancelled")

    def _forget(self, listener: Callable[[], object]) -> None:
        with self._lock:
            self._listeners = [other for other in self._listeners if other is not listener]
