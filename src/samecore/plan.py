"""What a run would read and cost, said before it starts."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from samecore import read
from samecore.errors import InputError
from samecore.methods import Method

#: Measured on 330 MB of text (docs/decisions/0003): features, the index of the join and its pairs together take
#: less than three times the text, besides a fixed part.
MEMORY_PER_TEXT_BYTE = 3
FIXED_MEMORY = 300 << 20

#: Methods that compare strings keep these as well.
STRINGS_PER_TEXT_BYTE = 2

#: What a pair costs on its way from the matcher to a group, at the most; and more pairs than this serve nobody.
MEMORY_PER_PAIR = 180
MAX_PAIRS = 2_000_000_000


@dataclass(frozen=True)
class Plan:
    """What is known of the input, and the memory and time a run may take. None where it cannot be known."""

    inputs: tuple[str, ...]
    documents: int | None
    bytes: int | None
    memory: int | None
    available: int | None
    method: Method
    threshold: float

    @property
    def fits(self) -> bool:
        """False only if the run is known to need more memory than there is."""
        return self.memory is None or self.available is None or self.memory <= self.available

    def lines(self) -> list[str]:
        """For people."""
        read = ", ".join(self.inputs)
        size = "of unknown size" if self.bytes is None else f"{_size(self.bytes)}"
        number = "an unknown number of" if self.documents is None else f"{self.documents:,}"
        lines = [
            f"would read {number} documents, {size}: {read}",
            f"would compare them with {self.method.name} ({self.method.match.name}) at {self.threshold:g} or more",
        ]
        if self.memory is not None:
            has = "" if self.available is None else f", {_size(self.available)} are free"
            lines.append(f"would need up to about {_size(self.memory)} of memory{has}")
        return lines


def plan(
    source: Any, *, against: Any = None, method: Method, threshold: float | None = None, **reading: Any
) -> Plan:
    """A plan for `find` with these arguments. Looks at names and footers, reads no document."""
    sources = [read.open(one, **reading) for one in (source, against) if one is not None]
    return plan_of(sources, method, method.threshold if threshold is None else threshold)


def plan_of(sources: list[read.Source], method: Method, threshold: float) -> Plan:
    """A plan for sources that are open already."""
    hints = [source.size_hint() for source in sources]
    documents = [hint.documents for hint in hints]
    sizes = [hint.bytes for hint in hints]
    total = None if None in sizes else sum(size or 0 for size in sizes)
    per_byte = MEMORY_PER_TEXT_BYTE + (STRINGS_PER_TEXT_BYTE if method.strings is not None else 0)
    return Plan(
        inputs=tuple(part.name for source in sources for part in source.parts),
        documents=None if None in documents else sum(count or 0 for count in documents),
        bytes=total,
        memory=None if total is None else FIXED_MEMORY + per_byte * total,
        available=available_memory(),
        method=method,
        threshold=threshold,
    )


def check_memory(made: Plan) -> None:
    """Refuse a run that is known not to fit."""
    if not made.fits:
        assert made.memory is not None
        assert made.available is not None
        raise InputError(
            f"this run needs about {_size(made.memory)} of memory, {_size(made.available)} are free; "
            "split the input and compare the parts with --against, or use a machine with more memory",
            where=", ".join(made.inputs),
        )


def pair_limit() -> int:
    """How many pairs of contents half of the free memory can hold; a match that finds more stops and says so."""
    available = available_memory()
    return MAX_PAIRS if available is None else min(MAX_PAIRS, available // 2 // MEMORY_PER_PAIR)


def available_memory() -> int | None:
    """Bytes a process can still take, or None where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _size(count: int) -> str:
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):.0f} MiB"
