"""Figures as SVG, the same bytes for the same figures. Needs matplotlib (extra `lab`)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from typing import Any

from samecore.errors import MissingExtra
from samecore.lab.experiment import Figure

#: Colours that people who do not see all colours can tell apart (Okabe and Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
#: Once all colours are used they come again, drawn otherwise.
LINES = ("-", "--", ":", "-.")


def draw(figure: Figure, rows: Iterable[Mapping[str, Any]], *, title: str) -> str:
    """A figure of some rows: a line (or a run of bars) for each case and set of data that has both columns."""
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtra("matplotlib", extra="lab", needed_for="figures") from error
    matplotlib.use("svg")
    from matplotlib import pyplot

    settings: dict[Any, Any] = {
        "svg.hashsalt": "samecore",
        "svg.fonttype": "none",  # text stays text: small files that can be searched
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.alpha": 0.3,
    }
    with matplotlib.rc_context(settings):
        series = _series(figure, rows)
        canvas, axes = pyplot.subplots(
            figsize=(6.4, 4.0 + 0.09 * len(series) * (len(series) > 1)), layout="constrained"
        )
        places = {
            str(x): at for at, x in enumerate(dict.fromkeys(x for own in series.values() for x, _ in own))
        }
        width = 0.8 / max(len(series), 1)
        for number, (label, points) in enumerate(series.items()):
            x, y = zip(*points, strict=True)
            colour, again = COLOURS[number % len(COLOURS)], number // len(COLOURS)
            if figure.kind == "bar":  # side by side, so that none hides another
                shift = (number - (len(series) - 1) / 2) * width
                axes.bar([places[str(one)] + shift for one in x], y, width, color=colour, label=label)
            else:
                axes.plot(x, y, color=colour, linestyle=LINES[again % len(LINES)], marker=".", label=label)
        axes.set(xlabel=figure.x, ylabel=figure.y, title=figure.title or title)
        if "x" in figure.log:
            axes.set_xscale("log")
        if "y" in figure.log:
            axes.set_yscale("log")
        if figure.kind == "bar":
            long = len(places) > 8 or sum(map(len, places)) > 80
            axes.set_xticks(list(places.values()), list(places), rotation=90 if long else 0, fontsize=8)
            axes.grid(visible=False, axis="x")
        if len(series) > 1:  # below, where it covers nothing
            canvas.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
        out = io.StringIO()
        canvas.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        pyplot.close(canvas)
    return re.sub(r"<\?xml.*?<svg", "<svg", out.getvalue(), count=1, flags=re.S)


def _series(figure: Figure, rows: Iterable[Mapping[str, Any]]) -> dict[str, list[tuple[Any, float]]]:
    found: dict[str, list[tuple[Any, float]]] = {}
    kept = [row for row in rows if figure.x in row and row.get(figure.y) is not None]
    several_sets = len({row["data"] for row in kept}) > 1
    several_cases = len({row["case"] for row in kept}) > 1
    several_rows = len({(row["data"], row["case"]) for row in kept}) < len(kept)
    for row in kept:
        parts = []
        if figure.x == "case":  # bars: one run per set and threshold
            if several_rows and "threshold" in row:
                parts.append(f"threshold {row['threshold']}")
        elif several_cases:
            parts.append(row["case"])
        if several_sets:
            parts.append(row["data"])
        found.setdefault(", ".join(parts) or row["data"], []).append((row[figure.x], row[figure.y]))
    return found
