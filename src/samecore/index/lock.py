"""One writer at a time, across processes; the lock says who holds it.

The system releases it when the process ends in whatever way, so no lock is ever left behind.
"""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from datetime import datetime, timezone
from pathlib import Path

from samecore.index.errors import IndexFault, IndexLocked

NAME = "writer.lock"


class WriterLock:
    """The lock on an index folder. `take` is an IndexLocked if another holds it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._handle is not None

    def take(self) -> None:
        """Take the lock, or say who has it. Taking it twice is fine."""
        if self._handle is not None:
            return
        try:
            import fcntl
        except ImportError:
            raise IndexFault("writing needs flock, which this system does not have", path=self.path) from None
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 500, 0).decode("utf-8", "replace").strip()
            os.close(handle)
            ours = f"{_process()} "
            own = holder.startswith(ours)
            holder = f"this process {holder.removeprefix(ours)}" if own else holder or "another process"
            raise IndexLocked(holder, path=self.path.parent, own=own) from None
        except OSError:
            os.close(handle)
            raise
        command = " ".join([os.path.basename(sys.argv[0] or "python"), *sys.argv[1:]])[:200]
        since = datetime.now(timezone.utc).isoformat(timespec="seconds")
        said = f"{_process()} since {since} ({command})"
        with contextlib.suppress(OSError):  # a full disk must not stop a removal
            os.ftruncate(handle, 0)
            os.pwrite(handle, said.encode("utf-8", "replace"), 0)
        self._handle = handle

    def release(self) -> None:
        """Let others write. Without the lock, nothing happens."""
        if self._handle is not None:
            handle, self._handle = self._handle, None
            os.close(handle)


def _process() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"
