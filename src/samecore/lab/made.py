"""Collections made to measure: pages with known cores, frames and edits, and sets with known overlaps.

Anyone can measure recall, precision and growth with them, without labelled data. Everything comes
from a seed: the same settings make the same bytes.

A made page is a story (sentences of made-up words between real function words of a language) in the
frame of a site (navigation, teasers, legal lines). A copy of a story has been edited at known rates
and stands in the frame of another site.
"""

from __future__ import annotations

import html
import math
import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samecore.errors import SettingError
from samecore.features.csr import Features
from samecore.lab.data import Labelled
from samecore.lab.evaluate import Truth
from samecore.text.language import language

Sentences = list[list[str]]

_ONSETS = (
    "b",
    "br",
    "c",
    "cl",
    "d",
    "f",
    "g",
    "gr",
    "h",
    "k",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "r",
    "s",
    "st",
    "t",
    "v",
)
_VOWELS = ("a", "e", "i", "o", "u", "ea", "ou")
_CODAS = ("", "", "l", "m", "n", "nd", "r", "rt", "s", "t")
_HAN = range(0x4E00, 0x9FA5)
_UNSPACED = ("zh", "ja")


@dataclass(frozen=True)
class Made:
    """How pages are made. Rates are shares of words or sentences, in [0, 1].

    stories: how many different cores; copies: pages of each; sites: frames that share them out.
    sentences: length of a story; words: size of the vocabulary of content words.
    frame: the share of a page's words that belongs to its frame.
    rewrite: words replaced; cut: sentences left out; insert: sentences added; reorder: sentences moved;
    quote: sentences taken from another story. All of these in copies, not in the first page of a story.
    """

    stories: int = 40
    copies: int = 4
    sites: int = 5
    sentences: int = 20
    words: int = 4000
    frame: float = 0.4
    rewrite: float = 0.05
    cut: float = 0.1
    insert: float = 0.05
    reorder: float = 0.05
    quote: float = 0.0
    language: str = "en"
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("stories", "copies", "sites", "sentences", "words"):
            if getattr(self, name) < 1:
                raise SettingError(name, found=getattr(self, name), expected="at least 1")
        for name in ("rewrite", "cut", "insert", "reorder", "quote"):
            if not 0 <= getattr(self, name) <= 1:
                raise SettingError(name, found=getattr(self, name), expected="a share from 0 to 1")
        if not 0 <= self.frame < 1:
            raise SettingError("frame", found=self.frame, expected="a share from 0 to less than 1")


def pages(made: Made = Made()) -> Labelled:  # noqa: B008 - frozen
    """The pages as documents with `id, url, title, body, content_type`, and the story of each as its label."""
    write = Writer(made)
    stories = [write.sentences(made.sentences, f"story {number}") for number in range(made.stories)]
    rows: list[dict[str, object]] = []
    clusters: dict[str, str] = {}
    for number, story in enumerate(stories):
        for copy in range(made.copies):
            site = (number + copy) % made.sites
            told = story if copy == 0 else edited(story, made, write, f"{number} {copy}", stories)
            id = f"site{site}/story{number}-{copy}.html"
            rows.append(
                {
                    "id": id,
                    "url": f"http://www.site{site}.example/story{number}-{copy}.html",
                    "title": write.line(story[0][:6]),
                    "body": write.page(told, site, f"{number} {copy}").encode(),
                    "content_type": "text/html; charset=utf-8",
                }
            )
            clusters[id] = f"story{number}"
    return Labelled(pa.Table.from_pylist(rows), Truth(clusters))


def labelled(name: str) -> Labelled:
    """Pages from a description such as "made" or "made:stories=20,rewrite=0.2,language=de"."""
    _, _, described = name.partition(":")
    types: dict[str, type] = {field.name: type(getattr(Made(), field.name)) for field in fields(Made)}
    chosen = {}
    for item in filter(None, described.split(",")):
        key, _, value = item.partition("=")
        if key not in types:
            raise SettingError("made", found=item, expected=f"settings among {', '.join(types)}")
        try:
            chosen[key] = types[key](value)
        except ValueError:
            raise SettingError(key, found=value, expected=f"a value like {types[key].__name__}") from None
    return pages(replace(Made(), **chosen))


class Writer:
    """Writes sentences, frames and pages; each thing it writes depends on the seed and its own name alone."""

    def __init__(self, made: Made) -> None:
        self.made = made
        words = language(made.language)
        self.joints = sorted(words.antecedents) or sorted(words.stop_words)
        pick = self.dice("vocabulary")
        invent = self._character_word if made.language in _UNSPACED else self._syllable_word
        vocabulary: dict[str, None] = {}
        while len(vocabulary) < made.words:
            vocabulary[invent(pick)] = None
        self.vocabulary = list(vocabulary)
        # Content words are drawn like Zipf's, so that some are common and most are rare.
        self.weights = list(accumulate(1 / (rank + 10) for rank in range(made.words)))
        self._pools: dict[int, Sentences] = {}

    def dice(self, name: str) -> random.Random:
        """A source of chance of its own for everything that has a name."""
        return random.Random(f"{self.made.seed} {name}")

    def sentences(self, many: int, name: str) -> Sentences:
        """So many sentences, each of 8 to 18 words with a function word before every second or third."""
        pick = self.dice(name)
        out = []
        for _ in range(many):
            content = pick.choices(self.vocabulary, cum_weights=self.weights, k=pick.randint(5, 11))
            sentence: list[str] = []
            for word in content:
                if pick.random() < 0.6:
                    sentence.append(pick.choice(self.joints))
                sentence.append(word)
            out.append(sentence)
        return out

    def line(self, words: Sequence[str]) -> str:
        """Words as they are written, without a full stop."""
        if self.made.language in _UNSPACED:
            return "".join(words)
        text = " ".join(words)
        return text[:1].upper() + text[1:]

    def prose(self, sentences: Sentences) -> str:
        """Sentences as they are written, with commas. Two words decide whether one stands between them, so copies
        have those of their original."""
        if self.made.language in _UNSPACED:
            return "".join(self.line(_with_commas(sentence, "，")) + "。" for sentence in sentences)
        return " ".join(self.line(_with_commas(sentence, ",")) + "." for sentence in sentences)

    def page(self, story: Sentences, site: int, name: str) -> str:
        """A story in the frame of a site. Each page shows its own choice of the site's teasers."""
        share = self.made.frame / (1 - self.made.frame)
        wanted = round(sum(map(len, story)) * share)
        if site not in self._pools:
            longest = self.made.sentences * (1 + self.made.insert + self.made.quote)
            self._pools[site] = self.sentences(
                max(12 + 2 * self.made.sentences, math.ceil(1.05 * longest * share)), f"frame {site}"
            )
        pool = self._pools[site]
        pick = self.dice(f"page {name}")
        legal, teasers = pool[:4], pool[4:]
        pick.shuffle(teasers)
        frame, words = list(legal) if wanted else [], sum(map(len, legal))
        while teasers and words < wanted:
            frame.append(teasers.pop())
            words += len(frame[-1])
        head, foot = frame[4:], frame[:4]
        links = "".join(
            f"<li><a href='/{n}'>{html.escape(self.line(one[:3]))}</a></li>" for n, one in enumerate(pool[:8])
        )
        paragraphs = "".join(
            f"<p>{html.escape(self.prose(story[at : at + 4]))}</p>\n" for at in range(0, len(story), 4)
        )
        return (
            f"<!doctype html><html lang={self.made.language}><title>{html.escape(self.line(story[0][:6]) if story else '')}"
            f"</title><body>\n<ul>{links if wanted else ''}</ul>\n"
            + "".join(f"<div class=teaser><p>{html.escape(self.prose([one]))}</p></div>\n" for one in head)
            + f"<article>\n{paragraphs}</article>\n"
            + (f"<footer><p>{html.escape(self.prose(foot))}</p></footer>" if foot else "")
            + "</body></html>"
        )

    def _syllable_word(self, pick: random.Random) -> str:
        many = pick.choice((1, 2, 2, 3))
        return "".join(pick.choice(_ONSETS) + pick.choice(_VOWELS) + pick.choice(_CODAS) for _ in range(many))

    def _character_word(self, pick: random.Random) -> str:
        return "".join(chr(pick.choice(_HAN)) for _ in range(2))


def _with_commas(sentence: Sequence[str], comma: str) -> list[str]:
    """About one comma in a sentence of twelve words."""
    marked = [
        word + comma if zlib.crc32(f"{word} {following}".encode()) % 12 == 0 else word
        for word, following in pairwise(sentence)
    ]
    return [*marked, *sentence[-1:]]


def edited(story: Sentences, made: Made, write: Writer, name: str, stories: Sequence[Sentences]) -> Sentences:
    """A copy of a story after cutting, rewriting, inserting, quoting and reordering, at the rates of `made`."""
    pick = write.dice(f"edit {name}")
    kept = [sentence for sentence in story if pick.random() >= made.cut] or story[:1]
    told = [
        [
            pick.choices(write.vocabulary, cum_weights=write.weights)[0]
            if pick.random() < made.rewrite
            else word
            for word in sentence
        ]
        for sentence in kept
    ]
    added = write.sentences(round(made.insert * len(story)), f"insert {name}")
    for _ in range(round(made.quote * len(story))):
        added.append(list(pick.choice(pick.choice(stories))))
    for sentence in added:
        told.insert(pick.randint(0, len(told)), sentence)
    for _ in range(round(made.reorder * len(told))):
        told.insert(pick.randint(0, len(told) - 1), told.pop(pick.randrange(len(told))))
    return told


# -- sets with known overlaps ---------------------------------------------------------------


def planted(
    documents: int,
    *,
    size: int = 50,
    similarities: Sequence[float] = (0.5, 0.6, 0.7, 0.8, 0.9),
    pairs: int = 100,
    vocabulary: int = 1 << 20,
    skew: float = 1.0,
    seed: int = 0,
) -> tuple[Features, npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Sets of keys among which pairs of known Jaccard similarity are planted.

    Returns the features, the planted pairs (one row each: left, right) and their true similarities.
    `pairs` pairs are planted for each similarity, in the first documents; the rest are drawn from a
    vocabulary whose keys are as common as rank ** -skew, 0 being evenly. The planted ones draw their
    keys from a vocabulary of their own, so that nothing but the planting makes them alike.
    """
    wanted = [similarity for similarity in similarities for _ in range(pairs)]
    if 2 * len(wanted) > documents:
        expected = f"at least {2 * len(wanted)} for {len(wanted)} planted pairs"
        raise SettingError("documents", found=documents, expected=expected)
    chance = np.random.default_rng(seed)
    rows: list[npt.NDArray[np.uint64]] = []
    truth = []
    fresh = vocabulary
    for similarity in wanted:
        shared = round(2 * size * similarity / (1 + similarity))
        keys = np.arange(fresh, fresh + 2 * size - shared, dtype=np.uint64)
        rows += [keys[:size], np.concatenate((keys[:shared], keys[size:]))]
        truth.append(shared / (2 * size - shared))
        fresh += len(keys)
    rest = documents - len(rows)
    drawn = chance.random((rest, size))
    if skew == 1.0:
        numbers = np.exp(drawn * np.log(vocabulary)).astype(np.uint64)
    else:
        numbers = (((vocabulary ** (1 - skew) - 1) * drawn + 1) ** (1 / (1 - skew))).astype(np.uint64)
    rows += [np.unique(row) for row in np.minimum(numbers, np.uint64(vocabulary - 1))]
    keys = np.concatenate(rows) if rows else np.empty(0, np.uint64)
    offsets = np.concatenate(([0], np.cumsum([len(row) for row in rows]))).astype(np.int64)
    order = np.arange(2 * len(wanted)).reshape(-1, 2)
    # Numbers in order of rank say too much: scattered, they look like hashes.
    scattered = (keys * np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(seed & 0xFFFFFFFF)
    for start, end in pairwise(offsets.tolist()):
        scattered[start:end].sort()
    return (
        Features(offsets, scattered, np.ones(len(keys), np.uint32)),
        order.astype(np.int64),
        np.array(truth),
    )
