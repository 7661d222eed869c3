"""Made-up pages with known truth: stories printed by several sites, each in the frame of its site.

Everything comes from the seed. A site has a frame, the same words around every page it prints, and an
address; a story is printed by some sites, each with edits at a known rate. Words are invented and
drawn with the skew of a language, so that texts that have nothing to do with each other still share some.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import accumulate

import pyarrow as pa

_FUNCTION_WORDS = [
    *("the", "the", "the", "the", "a", "a", "an", "is", "was", "were", "are", "be"),
    *("of", "of", "in", "and", "to", "for", "on", "with", "by", "at", "that", "it"),
]
_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]

ASIDE_WORDS, ASIDE_CHANCE = 40, 0.3
TEASER_WORDS = 30


@dataclass(frozen=True)
class Recipe:
    """How many pages and how they are made.

    Lengths are drawn evenly from their range. Each story goes to `printed` different sites, and each printing
    has this share of its words replaced (`edits`) and of its paragraphs left out (`cuts`). `alone` pages of
    each site carry a story of their own. A site also has `asides` of 40 words, each of which stands on a page
    with a chance of 0.3. Each printing has paragraphs of so many words (`additions`) that no other has, and
    `teasers`, the first 30 words of other stories of its site. `markup` makes HTML pages, `addresses` gives them a `url`.
    """

    sites: int = 12
    stories: int = 40
    printed: tuple[int, int] = (2, 5)
    alone: int = 3
    story_words: tuple[int, int] = (100, 600)
    frame_words: tuple[int, int] = (50, 600)
    edits: float = 0.05
    cuts: float = 0.1
    versions: int = 1
    asides: int = 0
    additions: tuple[int, ...] = ()
    teasers: int = 0
    markup: bool = True
    addresses: bool = True


@dataclass(frozen=True, eq=False)
class Made:
    """`documents` to be read, and the story of each by its id."""

    documents: pa.Table
    stories: dict[str, str]


def pages(recipe: Recipe | None = None, *, seed: int = 0) -> Made:
    """Pages by a recipe, in an order that mixes sites and stories."""
    recipe = recipe or Recipe()
    chance = random.Random(seed)
    language = _Language(chance)
    frames = [
        (language.text(head), language.text(foot), _tags(site, chance))
        for site in range(recipe.sites)
        for head, foot in [_halves(chance.randint(*recipe.frame_words), chance)]
    ]
    asides = [[language.text(ASIDE_WORDS) for _ in range(recipe.asides)] for _ in range(recipe.sites)]
    rows: list[tuple[str, str | None, list[str], str]] = []
    site_of: dict[str, int] = {}
    leads: dict[int, dict[str, str]] = {site: {} for site in range(recipe.sites)}  # by story
    for number, sites in enumerate(_placed(recipe, chance)):
        paragraphs = language.story(chance.randint(*recipe.story_words))
        for site in sites:
            for version in range(recipe.versions):
                told = language.retold(paragraphs, edits=recipe.edits, cuts=recipe.cuts)
                leads[site][f"story{number}"] = " ".join(told[0].split()[:TEASER_WORDS])
                told += [one for one in asides[site] if chance.random() < ASIDE_CHANCE]
                for words in recipe.additions:
                    told.insert(chance.randint(0, len(told)), language.text(words))
                id = f"site{site}/story{number}" + (f"-{version}" if recipe.versions > 1 else "")
                url = f"https://www.site{site}.example/{id}.html" if recipe.addresses else None
                rows.append((id, url, told, f"story{number}"))
                site_of[id] = site
    for id, _, told, story in rows if recipe.teasers else []:
        others = [lead for other, lead in leads[site_of[id]].items() if other != story]
        told += chance.sample(others, min(recipe.teasers, len(others)))
    chance.shuffle(rows)
    columns = {
        "id": [row[0] for row in rows],
        "url": pa.array([row[1] for row in rows], pa.string()),
        "body": pa.array(
            [_page(told, frames[site_of[id]], recipe.markup) for id, _, told, _ in rows], pa.large_binary()
        ),
        "content_type": ["text/html" if recipe.markup else "text/plain"] * len(rows),
    }
    return Made(pa.table(columns), {row[0]: row[3] for row in rows})


def _placed(recipe: Recipe, chance: random.Random) -> list[list[int]]:
    """The sites of each story: several for those that are reprinted, one for those that stand alone."""
    several = [
        chance.sample(range(recipe.sites), min(recipe.sites, chance.randint(*recipe.printed)))
        for _ in range(recipe.stories)
    ]
    return several + [[site] for site in range(recipe.sites) for _ in range(recipe.alone)]


class _Language:
    """Invented words with the skew of a language."""

    def __init__(self, chance: random.Random, *, words: int = 8000) -> None:
        self._chance = chance
        made: dict[str, None] = {}
        while len(made) < words:
            made["".join(chance.choices(_SYLLABLES, k=chance.choice((2, 2, 3, 3, 4))))] = None
        self._words = list(made)
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(words)))

    def word(self, topic: list[str] | None = None) -> str:
        if self._chance.random() < 0.45:
            return self._chance.choice(_FUNCTION_WORDS)
        if topic and self._chance.random() < 0.3:
            return self._chance.choice(topic)
        return self._chance.choices(self._words, cum_weights=self._weights)[0]

    def text(self, words: int, topic: list[str] | None = None) -> str:
        """Sentences of so many words in all."""
        sentences = []
        while words > 0:
            length = min(words, self._chance.randint(8, 24))
            sentences.append(" ".join(self.word(topic) for _ in range(length)).capitalize() + ".")
            words -= length
        return " ".join(sentences)

    def story(self, words: int) -> list[str]:
        """Paragraphs of so many words in all, on a topic of their own."""
        topic = self._chance.choices(self._words, k=30)
        sizes = [60] * (words // 60) + ([words % 60] if words % 60 else [])
        return [self.text(size, topic) for size in sizes]

    def retold(self, paragraphs: list[str], *, edits: float, cuts: float) -> list[str]:
        """The same with words replaced and paragraphs left out, never the first."""
        kept = [one for at, one in enumerate(paragraphs) if at == 0 or self._chance.random() >= cuts]
        return [
            " ".join(self.word() if self._chance.random() < edits else word for word in one.split())
            for one in kept
        ]


def _halves(words: int, chance: random.Random) -> tuple[int, int]:
    head = chance.randint(0, words)
    return head, words - head


def _tags(site: int, chance: random.Random) -> str:
    """The empty elements with which a site builds its pages."""
    return "".join(f'<div class="s{site}-{chance.randrange(1000)}"></div>' for _ in range(20))


def _page(paragraphs: list[str], frame: tuple[str, str, str], markup: bool) -> bytes:
    head, foot, tags = frame
    if not markup:
        return "\n\n".join([head, *paragraphs, foot]).encode()
    body = "".join(f"<p>{one}</p>\n" for one in paragraphs)
    return f"<html><body>{tags}<p>{head}</p>\n{body}<p>{foot}</p></body></html>".encode()
