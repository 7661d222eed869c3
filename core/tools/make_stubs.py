"""Write the type stubs of the compiled core: `python core/tools/make_stubs.py`, or `make stubs`.

nanobind describes the module; bare tuples are then given the type of their arrays, because a
kernel returns arrays of several kinds together.
"""

from __future__ import annotations

import re
from pathlib import Path

STUBS = Path(__file__).parents[2] / "src" / "samecore" / "_core.pyi"


def stubs() -> str:
    """The text of the stubs for the module as it is built now."""
    from nanobind.stubgen import StubGen

    import samecore._core

    maker = StubGen(module=samecore._core)
    maker.put(samecore._core)
    text = re.sub(r"-> tuple(?=[:,\]])", "-> tuple[Any, ...]", maker.get())
    text = re.sub(r"\bdict\]", "dict[str, Any]]", text)
    return re.sub(r"from typing import Annotated", "from typing import Annotated, Any", text)


if __name__ == "__main__":
    STUBS.write_text(stubs(), "utf-8")
