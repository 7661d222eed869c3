"""What many tests share: the example pages, the labelled data, and a small made-up corpus."""

from __future__ import annotations

import os
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import settings

from samecore import _core

# A slow machine is no failure. In CI the same examples are tried every time; elsewhere new ones.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")

ROOT = Path(__file__).parent.parent
NEWS = ROOT / "examples" / "news"
NEWS_LABELS = ROOT / "examples" / "news-labels.tsv"


#: For twins that ask Python what a letter is: the core has tables of its own, those of Python 3.11.
same_unicode = pytest.mark.skipif(
    unicodedata.unidata_version != _core.unicode_version(),
    reason=f"the twin needs the Unicode tables of the core, {_core.unicode_version()}",
)


def labelled(name: str) -> Path:
    """A folder of the labelled data, or a skip that says so."""
    base = os.environ.get("SAMECORE_DATA")
    if not base:
        pytest.skip("SAMECORE_DATA is not set: the labelled data is not here")
    path = Path(base) / name
    if not path.exists():
        pytest.skip(f"the labelled data has no {name}")
    return path


def story(seed: int, *, sentences: int = 12) -> str:
    """A made-up text full of antecedents; another seed shares no content words with it."""
    chance = random.Random(seed)
    names = [
        f"{chance.choice('bcdfgklmnprst')}{chance.choice('aeiou')}{chance.choice('lmnrst')}{seed}x{n}"
        for n in range(90)
    ]
    forms = ["The {} was {} by the {}.", "A {} is {} in the {}.", "They said the {} will be {} with a {}."]
    return " ".join(chance.choice(forms).format(*chance.sample(names, 3)) for _ in range(sentences))


@pytest.fixture
def news() -> Path:
    return NEWS
