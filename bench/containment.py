"""Containment against resemblance on real copies: `SAMECORE_DATA=... python bench/containment.py`.

Three questions, asked of both measures with the same shingles (docs/containment.md has the answers):
does the score follow the degree of copying, is the post that a reply quotes ranked first, and is the
source of a suspicious document ranked first? Ties share their ranks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from samecore.features.csr import Features
from samecore.features.shingles import Shingles
from samecore.lab.metrics import sweep
from samecore.match.containment import containment, containments
from samecore.match.exact import exact

Scores = npt.NDArray[np.float64]

DEGREES = {"non": 0, "heavy": 1, "light": 2, "cut": 3}
ANY = 1e-6  # a threshold that every pair with one shingle in common reaches
MEASURES = {
    "query in candidate": "share of the query that lies in the candidate",
    "candidate in query": "share of the candidate that lies in the query",
    "smaller": "share of the smaller one, the score of the recipe `containment`",
    "jaccard": "resemblance",
}


def tables(queries: Features, candidates: Features) -> dict[str, Scores]:
    """The score of every query (row) with every candidate (column), by each measure."""
    shape = (len(queries), len(candidates))
    result = {name: np.zeros(shape) for name in MEASURES}
    pairs = containment(queries, candidates, threshold=ANY, multiset=False).expand()
    left, right = containments(pairs)
    result["query in candidate"][pairs.left, pairs.right] = left
    result["candidate in query"][pairs.left, pairs.right] = right
    result["smaller"][pairs.left, pairs.right] = pairs.score
    alike = exact(queries, candidates, threshold=ANY, multiset=False).expand()
    result["jaccard"][alike.left, alike.right] = alike.score
    return result


# -- ranking ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranking:
    """How often the right candidate is first (`firsts` for each question), the mean of 1 / rank, the best
    pair F1 that one threshold for all queries reaches, and precision and recall at 0.5."""

    questions: int
    first: float
    mrr: float
    best_f1: float
    threshold: float
    precision: float
    recall: float
    firsts: Scores


def ranking(scores: Scores, right: Sequence[tuple[int, int]], spared: Sequence[set[int]]) -> Ranking:
    """For each (query, candidate) of `right`; the candidates in `spared` do not compete with it."""
    first, reciprocal = [], []
    for (query, candidate), others in zip(right, spared, strict=True):
        row, own = scores[query], scores[query, candidate]
        competes = np.ones(len(row), np.bool_)
        competes[[candidate, *others]] = False
        above, level = int((row[competes] > own).sum()), int((row[competes] == own).sum())
        first.append(0.0 if above or own == 0 else 1 / (level + 1))
        reciprocal.append(0.0 if own == 0 else float(np.mean(1 / np.arange(above + 1, above + level + 2))))
    asked = np.zeros(scores.shape, np.bool_)
    asked[sorted({query for query, _ in right})] = True
    for (query, _), others in zip(right, spared, strict=True):
        asked[query, sorted(others)] = False
    same = np.zeros(scores.shape, np.bool_)
    for pair in right:
        same[pair] = asked[pair] = True
    listed = asked & (scores > 0)
    best = sweep(scores[listed], same[listed], actual=int(same.sum()))
    half = listed & (scores >= 0.5)
    found = int((half & same).sum())
    return Ranking(
        questions=len(right),
        first=float(np.mean(first)),
        mrr=float(np.mean(reciprocal)),
        best_f1=best.best.f1,
        threshold=best.threshold,
        precision=found / max(int(half.sum()), 1),
        recall=found / int(same.sum()),
        firsts=np.array(first),
    )


@dataclass(frozen=True)
class Order:
    """How well scores follow degrees: rank correlations, and the share of pairs of unlike degree in order."""

    spearman: float
    kendall: float
    ordered: float
    ordered_in_task: float


def order(scores: Scores, degrees: npt.NDArray[np.int64], tasks: npt.NDArray[np.str_]) -> Order:
    """Spearman's rho, Kendall's tau-b and ordered pairs (a tie counts half), over all and within tasks."""
    a, b = np.triu_indices(len(scores), 1)
    score, degree = np.sign(scores[a] - scores[b]), np.sign(degrees[a] - degrees[b])
    same_task = tasks[a] == tasks[b]
    unlike = degree != 0
    agree = (score * degree + 1) / 2
    tau = (score * degree).sum() / np.sqrt((score != 0).sum() * unlike.sum())
    rho = np.corrcoef(_ranks(scores), _ranks(degrees))[0, 1]
    return Order(float(rho), float(tau), float(agree[unlike].mean()), float(agree[unlike & same_task].mean()))


def _ranks(values: npt.NDArray[np.generic]) -> Scores:
    """Ranks, the mean of them where values are level."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray(((ends - counts + ends - 1) / 2)[inverse], np.float64)


# -- the three sets -----------------------------------------------------------------------


@dataclass(frozen=True)
class Copies:
    """clough_stevenson: the score of each answer with the original of its task, by each measure."""

    degrees: npt.NDArray[np.int64]
    tasks: npt.NDArray[np.str_]
    scores: dict[str, Scores]

    def orders(self) -> dict[str, Order]:
        return {name: order(scores, self.degrees, self.tasks) for name, scores in self.scores.items()}

    def gain(self, name: str) -> Scores:
        """By how much more pairs are in order than with Jaccard, for 1000 random draws of the answers."""
        chance = np.random.default_rng(0)
        gains = []
        for _ in range(1000):
            drawn = chance.integers(0, len(self.degrees), len(self.degrees))
            ordered = [
                order(self.scores[one][drawn], self.degrees[drawn], self.tasks[drawn]).ordered
                for one in (name, "jaccard")
            ]
            gains.append(ordered[0] - ordered[1])
        return np.array(gains)


def degrees_of_copying(folder: Path, width: int) -> Copies:
    """Each answer (query) against the original of its task (candidate)."""
    rows = [row for row in _tsv(folder / "labels.tsv") if row[2] in DEGREES]
    tasks = [row[1] for row in rows]
    names = sorted(set(tasks))
    answers = Shingles(width=width)([_text(folder / row[0]) for row in rows])
    originals = Shingles(width=width)([_text(folder / f"orig_task{task}.txt") for task in names])
    degrees = np.array([DEGREES[row[2]] for row in rows])
    own = (np.arange(len(rows)), np.array([names.index(task) for task in tasks]))
    found = {name: scores[own] for name, scores in tables(answers, originals).items()}
    return Copies(degrees, np.array(tasks), found)


@dataclass(frozen=True)
class Replies:
    """newsgroups: scores of all posts with all posts; (reply, parent) by number; who does not compete."""

    scores: dict[str, Scores]
    right: list[tuple[int, int]]
    spared: list[set[int]]

    def gain(self, name: str) -> Scores:
        """By how much the best F1 exceeds that of Jaccard, for 200 random draws of the replies."""
        chance = np.random.default_rng(0)
        gains = []
        for _ in range(200):
            drawn = chance.integers(0, len(self.right), len(self.right))
            rows = [self.right[n][0] for n in drawn]
            right = [(row, self.right[n][1]) for row, n in enumerate(drawn)]
            spared = [self.spared[n] for n in drawn]
            f1 = [ranking(self.scores[one][rows], right, spared).best_f1 for one in (name, "jaccard")]
            gains.append(f1[0] - f1[1])
        return np.array(gains)


def quoted_parents(folder: Path, width: int) -> dict[str, Ranking]:
    found = replies_and_posts(folder, width)
    return {name: ranking(scores, found.right, found.spared) for name, scores in found.scores.items()}


def replies_and_posts(folder: Path, width: int) -> Replies:
    """Each reply (query) against all posts, without headers. Copies of a post that was sent
    to several groups do not compete with it, nor do those of the reply."""
    posts = sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".tsv"
    )
    number = {post: row for row, post in enumerate(posts)}
    copies: dict[str, set[int]] = {}
    cluster = {}
    for name, post in _tsv(folder / "crosspost_labels.tsv"):
        cluster[post] = name
        copies.setdefault(name, set()).add(number[post])
    replies = [(reply, parent) for reply, parent in _tsv(folder / "reply_parent.tsv")]
    features = Shingles(width=width)([body(_text(folder / post)) for post in posts])
    right = [(number[reply], number[parent]) for reply, parent in replies]
    spared = [
        {number[reply]}.union(*(copies.get(cluster.get(post, ""), set()) for post in (reply, parent)))
        - {number[parent]}
        for reply, parent in replies
    ]
    return Replies(tables(features, features), right, spared)


def sources_of_copies(folder: Path, width: int) -> dict[str, Ranking]:
    """pan13: each suspicious document (query) against all sources. Other true sources of the same document
    do not compete. All passages here were copied as they are, without disguise."""
    suspects, sources = (sorted((folder / name).iterdir()) for name in ("susp", "src"))
    suspect_number = {path.stem: row for row, path in enumerate(suspects)}
    source_number = {path.stem: row for row, path in enumerate(sources)}
    right = []
    for path in sorted((folder / "gold").iterdir()):
        match = re.fullmatch(r"(suspicious-document\d+)-(source-document\d+)", path.stem)
        assert match is not None, path
        right.append((suspect_number[match[1]], source_number[match[2]]))
    true = {query: {c for q, c in right if q == query} for query, _ in right}
    shingles = Shingles(width=width)
    found = tables(*(shingles([_text(path) for path in paths]) for paths in (suspects, sources)))
    return {name: ranking(s, right, [true[q] - {c} for q, c in right]) for name, s in found.items()}


def body(post: str) -> str:
    """What follows the header of a post or mail."""
    return post.replace("\r\n", "\n").partition("\n\n")[2]


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _tsv(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in _text(path).splitlines()[1:]]


# -- printing -----------------------------------------------------------------------------


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(f"{x:.3f}" if isinstance(x, float) else str(x) for x in row) + " |")
    print()


def main() -> None:
    base = os.environ.get("SAMECORE_DATA")
    if not base:
        print("SAMECORE_DATA is not set: the labelled data is not here")
        return
    data = Path(base)
    print("\nDegrees of copying (clough_stevenson)\n")
    _table(
        ("width", "measure", "Spearman", "Kendall", "ordered", "ordered in task"),
        [
            (width, name, o.spearman, o.kendall, o.ordered, o.ordered_in_task)
            for width in (1, 2, 3, 5)
            for name, o in degrees_of_copying(data / "clough_stevenson", width).orders().items()
        ],
    )
    for width in (1, 5):
        copies = degrees_of_copying(data / "clough_stevenson", width)
        for name in ("query in candidate", "smaller"):
            print(f"width {width}, {name}: ordered, more than by jaccard: {_interval(copies.gain(name))}")
    for title, of, folder in (
        ("The parent of a reply", quoted_parents, "newsgroups"),
        ("The source of a suspicious document", sources_of_copies, "pan13"),
    ):
        print(f"\n{title} ({folder})\n")
        found = {width: of(data / folder, width) for width in (1, 2, 3, 5)}
        _table(
            (
                "width",
                "measure",
                "pairs",
                "first",
                "MRR",
                "best F1",
                "at",
                "precision at 0.5",
                "recall at 0.5",
            ),
            [
                (width, name, r.questions, r.first, r.mrr, r.best_f1, r.threshold, r.precision, r.recall)
                for width, rankings in found.items()
                for name, r in rankings.items()
            ],
        )
        for width, rankings in found.items():
            gain = rankings["candidate in query"].firsts - rankings["jaccard"].firsts
            drawn = np.random.default_rng(0).integers(0, len(gain), (1000, len(gain)))
            print(
                f"width {width}: candidate in query first, more than by jaccard: {_interval(gain[drawn].mean(1))}"
            )
    replies = replies_and_posts(data / "newsgroups", 5)
    print()
    for name in ("candidate in query", "smaller"):
        print(f"newsgroups, width 5, {name}: best F1, more than by jaccard: {_interval(replies.gain(name))}")


def _interval(draws: Scores) -> str:
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{low:+.3f} to {high:+.3f} (95 %)"


if __name__ == "__main__":
    main()
