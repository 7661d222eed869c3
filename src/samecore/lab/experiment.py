"""An experiment as a small declarative file: what is measured, on which data, and what the paper has.

title = "Systems at their best threshold"
paper = "SpotSigs 2008, Table 1"
measure = "quality"                 # a function of samecore.lab.measures
data = ["spotsigs"]                 # known sets; any other can be asked for
note = "What keeps our figures from being comparable, in a sentence."
columns = ["threshold", "f1"]       # of the table; all of them by default

[settings]                          # for the measure, in every case
floor = 0.02

[[case]]
label = "SpotSigs"
method = "spotsigs-2008"            # everything but label and paper goes to the measure
paper = { f1 = 0.94 }               # the paper's own figures, by column

[[figure]]
x = "threshold"
y = "f1"
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from samecore.errors import InputError, unknown_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


#: How a figure can be drawn.
KINDS = ("line", "bar")


@dataclass(frozen=True)
class Case:
    """One line of an experiment: its name, what it sets, and the paper's figures by column."""

    label: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    paper: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """Columns to draw: a line of `y` over `x` for each case, or bars; `log` names axes ("x", "y", "xy")."""

    x: str
    y: str
    kind: str = "line"
    log: str = ""
    title: str = ""


@dataclass(frozen=True)
class Experiment:
    """What one file says."""

    name: str
    title: str
    paper: str
    measure: str
    data: tuple[str, ...]
    cases: tuple[Case, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    note: str = ""


def names() -> list[str]:
    """The experiments that come with the package."""
    files = resources.files("samecore.lab") / "experiments"
    return sorted(one.name[: -len(".toml")] for one in files.iterdir() if one.name.endswith(".toml"))


def load(name: str) -> Experiment:
    """The experiment of that name, or that of a file ending in .toml."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise InputError("expected a file with an experiment, found none", where=name)
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            raise InputError("is not TOML: expected UTF-8", where=name) from None
        return parse(text, name=path.stem, where=name)
    if name not in names():
        raise unknown_name("experiment", name, names())
    file = resources.files("samecore.lab") / "experiments" / f"{name}.toml"
    return parse(file.read_text("utf-8"), name=name, where=f"{name}.toml")


def parse(text: str, *, name: str, where: str) -> Experiment:
    """An experiment from TOML; InputError names what is missing, unknown or malformed."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"is not TOML: {error}", where=where) from None
    return of(found, name=name, where=where)


def of(found: dict[str, Any], *, name: str, where: str) -> Experiment:
    """An experiment from what its file holds."""
    try:
        for key in ("data", "columns"):
            if not isinstance(found.get(key, []), list):
                raise InputError(f"expected a list for {key!r}, found {found[key]!r}", where=where)
        cases = tuple(
            Case(
                label=str(case["label"]),
                settings={key: value for key, value in case.items() if key not in ("label", "paper")},
                paper=case.get("paper", {}),
            )
            for case in found.pop("case")
        )
        figures = tuple(Figure(**figure) for figure in found.pop("figure", []))
        for figure in figures:
            if figure.kind not in KINDS:
                raise unknown_name("kind of figure", str(figure.kind), KINDS)
        data, columns = tuple(found.pop("data")), tuple(found.pop("columns", ()))
        return Experiment(name=name, cases=cases, figures=figures, data=data, columns=columns, **found)
    except KeyError as error:
        raise InputError(f"expected a key {error}, found none", where=where) from None
    except TypeError as error:
        raise InputError(f"is not an experiment: {error}", where=where) from None
