"""Runs experiments cell by cell. A cell is one case on one set of data; what it gave is kept.

    OUT/cells/KEY.json     the rows of one cell; KEY is a digest of the data, the settings, the versions and our code
    OUT/NAME.json          an experiment: its rows, the paper's figures, the versions
    OUT/NAME.md, NAME-N.svg

A run that is stopped goes on where it was: cells that are there are not measured again.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import multiprocessing
import os
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import samecore
from samecore import _core
from samecore.errors import InputError, SamecoreError, SettingError, unknown_name
from samecore.lab import data as sets
from samecore.lab import experiment as experiments
from samecore.lab import made
from samecore.lab.data import Labelled
from samecore.lab.experiment import Case, Experiment
from samecore.lab.measures import MEASURES
from samecore.read import atomic_path
from samecore.version import __version__

Row = dict[str, Any]
#: Called with a line for people.
Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """What an experiment gave: one row per case, set and whatever the measure runs over."""

    experiment: Experiment
    rows: tuple[Row, ...]
    missing: tuple[str, ...] = ()
    """Sets that are not here, and cases that need a library that is not."""
    measured: int = 0
    """Cells that were measured now; the others had been before."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        one = self.experiment
        return {
            "name": one.name,
            "title": one.title,
            "paper": one.paper,
            "note": one.note,
            "measure": one.measure,
            "settings": dict(one.settings),
            "data": list(one.data),
            "columns": list(one.columns),
            "case": [{**case.settings, "label": case.label, "paper": dict(case.paper)} for case in one.cases],
            "figure": [asdict(figure) for figure in one.figures],
            "rows": list(self.rows),
            "missing": list(self.missing),
            "versions": versions(),
        }


def run(
    experiment: Experiment,
    out: str | os.PathLike[str],
    *,
    data: Sequence[str] = (),
    base: str | None = None,
    isolate: bool = True,
    say: Say = lambda line: None,
) -> Outcome:
    """Measure every cell of an experiment that `out` does not have yet, and write the outcome there.

    data: the sets to use instead of the experiment's own: names, folders, or "made" for made-up pages.
    base: where the known sets are; `SAMECORE_DATA` by default.
    isolate: measure each cell in a process of its own, which gives it a peak of memory.
    """
    if experiment.measure not in MEASURES:
        raise unknown_name("measure", experiment.measure, MEASURES)
    cells = Path(out) / "cells"
    cells.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    missing: list[str] = []
    measured = 0
    for name in data or experiment.data:
        try:
            labelled = _load(name, base)
        except InputError as error:
            missing.append(str(error))
            say(f"{experiment.name}: {error}")
            continue
        mark = labelled.fingerprint()
        for case in experiment.cases:
            path = cells / f"{_key(experiment, case, mark)}.json"
            if path.exists():
                found = json.loads(path.read_text("utf-8"))
            else:
                say(f"{experiment.name}: {case.label} on {name}")
                settings = {**experiment.settings, **case.settings}
                try:
                    found = _cell(experiment.measure, name, base, labelled, settings, isolate=isolate)
                except SamecoreError as error:
                    missing.append(f"{case.label}: {error}")
                    say(f"{experiment.name}: {case.label}: {error}")
                    continue
                measured += 1
                _write(path, json.dumps(found))
            rows += [{"data": name, "case": case.label, **row} for row in found]
    outcome = Outcome(experiment, tuple(rows), tuple(missing), measured)
    _write(Path(out) / f"{experiment.name}.json", json.dumps(outcome.to_dict(), indent=1, ensure_ascii=False))
    return outcome


def _load(name: str, base: str | None) -> Labelled:
    return made.labelled(name) if name.partition(":")[0] == "made" else sets.load(name, base)


def _key(experiment: Experiment, case: Case, mark: str) -> str:
    settings = {**experiment.settings, **case.settings}
    what = json.dumps([versions(), _code(), experiment.measure, settings, mark], sort_keys=True)
    return hashlib.blake2b(what.encode(), digest_size=12).hexdigest()


@cache
def _code() -> str:
    """A digest of the package itself, core included: one version has many states while it is worked on."""
    files = {path for folder in samecore.__path__ for path in Path(folder).rglob("*.py")}
    digest = hashlib.blake2b(digest_size=12)
    for path in (*sorted(files), Path(_core.__file__)):
        digest.update(hashlib.blake2b(path.read_bytes()).digest())
    return digest.hexdigest()


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as target:
        Path(target).write_text(text, "utf-8")


def _cell(
    measure: str,
    name: str,
    base: str | None,
    labelled: Labelled,
    settings: Mapping[str, Any],
    *,
    isolate: bool,
) -> list[Row]:
    if not isolate:
        return _measured(measure, labelled, settings)
    context = multiprocessing.get_context("spawn")
    receive, send = context.Pipe(duplex=False)
    child = context.Process(target=_alone, args=(send, measure, name, base, dict(settings)), daemon=True)
    child.start()
    send.close()
    try:
        answer = receive.recv()
    except EOFError:
        child.join()
        raise SamecoreError(f"the measuring process ended with code {child.exitcode}") from None
    child.join()
    if isinstance(answer, str):
        raise SamecoreError(answer)
    return list(answer)


def _alone(send: Any, measure: str, name: str, base: str | None, settings: dict[str, Any]) -> None:
    """In a process of its own: measure, and add the peak of memory above what loading the data took."""
    try:
        labelled = _load(name, base)
        before = _memory("VmRSS")
        rows = _measured(measure, labelled, settings)
        peak = round(max(0, _memory("VmHWM") - before) / 1e6, 1)
        send.send([{**row, "peak MB": peak} for row in rows] if before else rows)
    except SamecoreError as error:
        send.send(str(error))
    except Exception as error:  # the other cells are measured all the same
        send.send(f"{type(error).__name__}: {error}")


def _measured(measure: str, labelled: Labelled, settings: Mapping[str, Any]) -> list[Row]:
    own = Settings(settings)
    rows = MEASURES[measure](labelled, own)
    unknown = sorted(own.keys() - own.asked)
    if unknown:
        raise SettingError(unknown[0], found=own[unknown[0]], expected=f"settings that {measure!r} looks at")
    return rows


class Settings(dict[str, Any]):
    """The settings of a cell. One that the measure needs and that is not there is named; which it asked for is kept."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.asked: set[object] = set()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.asked.add(name)
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """The setting, or `default`."""
        self.asked.add(name)
        return super().get(name, default)

    def __missing__(self, name: str) -> Any:
        raise SettingError(
            name, found=None, expected="a value among the settings of the case or the experiment"
        )


def _memory(line: str) -> int:
    """A line of this process's status in bytes, such as VmRSS, now, or VmHWM, the most so far; 0 if not told."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0
    found = [one.split()[1] for one in status.splitlines() if one.startswith(line + ":")]
    return int(found[0]) * 1024 if found else 0


def versions() -> dict[str, str]:
    """What the figures depend on: cells of other versions are measured again."""
    found = {"samecore": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in (
        "numpy",
        "pyarrow",
        "cramjam",
        "datasketch",
        "rensa",
        "simhash-pybind",
        "SetSimilaritySearch",
    ):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def outcomes(out: str | os.PathLike[str]) -> Iterator[Outcome]:
    """What has been run into `out` so far, by name. Files that are no outcomes are passed over."""
    for path in sorted(Path(out).glob("*.json")):
        try:
            kept = json.loads(path.read_text("utf-8"))
            rows, missing = tuple(kept["rows"]), tuple(kept["missing"])
            if path.stem in experiments.names():
                one = experiments.load(path.stem)
            else:
                parts = ("title", "paper", "note", "measure", "settings", "data", "columns", "case", "figure")
                one = experiments.of({part: kept[part] for part in parts}, name=path.stem, where=str(path))
        except (ValueError, KeyError, TypeError, InputError):
            continue
        yield Outcome(one, rows, missing)
