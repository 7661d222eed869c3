"""Every method on the labelled sets: `SAMECORE_DATA=... python bench/quality.py [SET...]`, a Markdown table.

An entry is the best pair F1 and its threshold. Exact methods are looked at from the floor up; those
made for one threshold are tried at several, and fixed bands at all, since their pairs are verified.
docs/which-method.md says what the sets are and what the table means.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import samecore
from samecore.errors import SamecoreError, SettingError
from samecore.lab import metrics
from samecore.lab.data import Labelled, available, load
from samecore.lab.data import sweep as sweep_of
from samecore.methods import METHODS, Method, method

FLOOR = 0.02
#: Thresholds at which methods made for one are tried. Fixed bands find the same candidates at any.
TRIED = {
    "minhash": (0.7, 0.5, 0.3, 0.1),
    "henzinger": (0.5, 0.1),
    "henzinger-2006": (0.5, 0.1),
    "shingles-modp": (FLOOR,),
    "minhash-estimate": (0.5, 0.1),
    "simhash": (0.7,),
    "lsh-s": (FLOOR,),
    "supershingles": (FLOOR,),
}


#: Where few clusters hold most pairs, B-cubed is given too.
GROUPED = ("spotsigs",)


# -- measuring ----------------------------------------------------------------------------


def recipes(name: str) -> Iterator[tuple[Method, float | None]]:
    """The recipe at each threshold that is tried, with the floor."""
    if name in TRIED:
        for threshold in TRIED[name]:
            yield method(name, threshold=threshold), threshold
    else:
        recipe = method(name)
        yield recipe, None if recipe.match.approximate else min(FLOOR, recipe.threshold)


@dataclass(frozen=True)
class Figure:
    """The best pair F1, its threshold, and B-cubed F1 of the groups by average linkage there."""

    f1: float
    threshold: float
    bcubed: float | None = None


def best(labelled: Labelled, name: str, *, groups: bool) -> tuple[Figure, list[str]]:
    """The best figure of a method over all thresholds tried, and what was refused."""
    figures, refused = [Figure(0.0, 1.0)], []
    for recipe, floor in recipes(name):
        try:
            result = samecore.find(labelled.documents, method=recipe, floor=floor, group="average")
        except SettingError as error:
            refused.append(f"{name} at {recipe.threshold:g}: {error}")
            continue
        except SamecoreError as error:
            refused.append(f"{name} failed: {error}")
            continue
        sweep = sweep_of(result, labelled)
        bcubed = None
        if groups:
            labels = [labelled.truth.clusters.get(id) for id in result.ids.to_pylist()]
            group = result.at(max(sweep.threshold, result.settings.floor)).groups["group"].to_pylist()
            alone = [f"alone: {row}" if one is None else str(one) for row, one in enumerate(group)]
            bcubed = metrics.bcubed(alone, labels).f1
        figures.append(Figure(sweep.best.f1, sweep.threshold, bcubed))
    return max(figures, key=lambda one: one.f1), refused


def main() -> None:
    if not available():
        print("SAMECORE_DATA is not set: the labelled data is not here")
        return
    names = [name for name in sys.argv[1:] or available() if name in available() and name != "scale"]
    listing = [name for name in METHODS if method(name).match.all_pairs]  # the others have no pair F1
    cells: dict[str, list[str]] = {name: [] for name in listing}
    for name in names:
        labelled = load(name)
        for one in listing:
            start = time.perf_counter()
            figure, refused = best(labelled, one, groups=name in GROUPED)
            cells[one].append(f"{figure.f1:.3f} @{figure.threshold:.2f}")
            if figure.bcubed is not None:
                cells[one][-1] += f" (B³ {figure.bcubed:.3f})"
            took = time.perf_counter() - start
            print(f"{name}: {one} {cells[one][-1]} in {took:.1f} s", *refused, file=sys.stderr, flush=True)
    print("| method | " + " | ".join(names) + " |")
    print("|" + "---|" * (len(names) + 1))
    for one, row in cells.items():
        print(f"| `{one}` | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
