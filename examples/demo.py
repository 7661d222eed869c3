"""The demo behind `make demo`: group the example pages, then show the evidence for one match."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NEWS = Path(__file__).parent / "news"
SAMECORE = [sys.executable, "-m", "samecore"]
PAIR = ("oxmere-gazette/moon.html", "harbour-post/moon-with-a-ring.html")


def show(*arguments: str) -> None:
    """Print a command as a person would type it, then run it."""
    print("$ samecore " + " ".join(arguments), flush=True)
    subprocess.run([*SAMECORE, *arguments], check=True, cwd=NEWS.parent.parent)
    print(flush=True)


show("find", "examples/news")
show("explain", *PAIR, "--in", "examples/news", "--passages", "3")
