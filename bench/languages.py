"""Languages: how well and how fast they are told apart, and what that is worth for finding copies.

    python bench/languages.py scale.parquet       detection, made copies, disguises, speed
    SAMECORE_DATA=... python bench/languages.py   the Chinese sets

The language of an MDN page is the folder it lies in. Many pages are half English, and all have code, so
they are looked at whole and as prose (front matter, code and macros taken out). docs/languages.md has the figures.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import samecore
from samecore.features.dictionary import DictionaryWords
from samecore.features.shingles import Shingles
from samecore.features.spots import Spots
from samecore.lab.data import load, sweep
from samecore.methods import Method, method
from samecore.text.disguise import undisguise_texts
from samecore.text.language import LANGUAGES
from samecore.text.tokens import words

PER_LANGUAGE = 400  # pages of each language that get a made copy
MARKDOWN = re.compile(r"\A---.*?\n---|```.*?```|`[^`\n]*`|\{\{.*?\}\}|<!--.*?-->|\]\([^)]*\)|<[^>\n]*>", re.S)


@dataclass(frozen=True, eq=False)
class Pages:
    languages: npt.NDArray[np.str_]
    texts: pa.LargeStringArray


def pages(path: str) -> Pages:
    """The MDN pages of a corpus with the language of their folder."""
    table = pq.read_table(path, columns=["id", "text"])
    parts = [id.split("/") for id in table["id"].to_pylist()]
    rows = [i for i, part in enumerate(parts) if part[0].startswith("mdn") and part[1] == "files"]
    languages = np.array([parts[i][2][:2] for i in rows])
    return Pages(languages, table["text"].combine_chunks().take(pa.array(rows)))


def prose(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    return pa.array([MARKDOWN.sub(" ", text) for text in texts.to_pylist()], pa.large_string())


# -- detection ----------------------------------------------------------------------------


def detection(corpus: Pages, *, every: int = 4) -> None:
    spots = method("spotsigs").features
    assert isinstance(spots, Spots)
    some = Pages(corpus.languages[::every], corpus.texts[::every])
    for name, texts in (("whole pages", some.texts), ("prose alone", prose(some.texts))):
        found = np.array([one or "none" for one in spots(texts, threads=2).languages().to_pylist()])
        right = found == some.languages
        print(f"language of {len(right):,} MDN pages, {name}: {right.mean():.2%} as in the folder")
        for code in sorted(set(some.languages)):
            own = some.languages == code
            wrong = Counter(found[own & ~right].tolist()).most_common(3)
            print(f"  {code} {int(own.sum()):6,} pages {right[own].mean():7.2%}   else {wrong}")


def speed(corpus: Pages) -> None:
    for code in ("en", "fr", "ru", "ko", "ja", "zh"):
        texts = corpus.texts.filter(pa.array(corpus.languages == code))[:4000]
        size = texts.nbytes / 1e6
        parts = {
            name: method("spotsigs", languages=codes).features
            for name, codes in (("fixed", code), ("all", LANGUAGES))
        }
        fitted = method("spotsigs", languages="auto").features.fit(texts)  # type: ignore[attr-defined]
        times = best({**parts, "auto": fitted}, texts)
        print(
            f"  {code}: fixed {size / times['fixed']:4.0f} MB/s, any of {len(LANGUAGES)} {size / times['all']:4.0f} MB/s, "
            f"auto {size / times['auto']:4.0f} MB/s = {times['auto'] / times['fixed']:.2f} times the cost of fixed"
        )


def best(parts: dict[str, Any], texts: pa.LargeStringArray, *, times: int = 7) -> dict[str, float]:
    found: dict[str, float] = {}
    for _ in range(times):  # in turn, so that a busy moment hits all
        for name, part in parts.items():
            start = time.process_time()
            part(texts, threads=1)
            found[name] = min(found.get(name, 1e9), time.process_time() - start)
    return found


# -- made copies --------------------------------------------------------------------------


def copies(corpus: Pages, seed: int = 0) -> tuple[pa.Table, set[tuple[str, str]]]:
    """Pages unlike each other, each with a copy whose lines and words were changed; and the true pairs."""
    generator = np.random.default_rng(seed)
    chosen: list[int] = []
    for code in sorted(set(corpus.languages)):
        rows = np.flatnonzero(corpus.languages == code)
        lengths = pc.utf8_length(corpus.texts.take(pa.array(rows))).to_numpy()
        rows = rows[(lengths > 1500) & (lengths < 20000)]
        chosen += generator.choice(rows, min(2 * PER_LANGUAGE, len(rows)), replace=False).tolist()
    texts = prose(corpus.texts.take(pa.array(chosen)))
    languages = corpus.languages[chosen]
    alike = samecore.find(
        texts.to_pylist(), method=method("shingles", width=3), threshold=0.1, group="components"
    )
    lone = [i for i, n in enumerate(alike.groups["representative"].to_pylist()) if n == str(i)]
    ids, kept, changed = [], [], []
    for code in sorted(set(languages)):
        own = [i for i in lone if languages[i] == code and len(texts[i].as_py()) > 800]
        used, frames = own[: len(own) * 2 // 3][:PER_LANGUAGE], own[len(own) * 2 // 3 :]
        for i in used:
            ids.append(f"{code}-{i}")
            kept.append(texts[i].as_py())
            changed.append(edited(kept[-1], generator, texts[int(generator.choice(frames))].as_py()))
    table = pa.table(
        {"id": [*ids, *(f"{id}+" for id in ids)], "text": pa.array(kept + changed, pa.large_string())}
    )
    return table, {(id, f"{id}+") for id in ids}


def edited(text: str, generator: np.random.Generator, other: str) -> str:
    """Every fifth line gone, every twentieth stretch of letters changed, lines of another page around it."""
    lines = [line for line in text.splitlines() if line.strip() and generator.random() > 0.2]
    lines = [
        "".join(
            piece if generator.random() > 0.05 else piece[::-1]
            for piece in re.findall(r"[^\W\d_]{1,4}|\W+|[\d_]+", line)
        )
        for line in lines
    ]
    frame = [line for line in other.splitlines() if line.strip()]
    share = max(1, len(lines) // 5)
    return "\n".join([*frame[:share], *lines, *frame[-share:]])


def found_copies(table: pa.Table, true: set[tuple[str, str]], recipe: Method) -> str:
    result = samecore.find(table, method=recipe, floor=0.05, threshold=0.05, group="components", threads=2)
    pairs = result.pairs
    keys = list(zip(pairs["left"].to_pylist(), pairs["right"].to_pylist(), strict=True))
    hit = np.array([key in true for key in keys])
    score = pairs["score"].to_numpy()
    order = np.argsort(-score, kind="stable")
    right = np.cumsum(hit[order])
    precision, recall = right / np.arange(1, len(order) + 1), right / len(true)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-9)
    ends = np.flatnonzero(np.diff(score[order], append=-1.0) != 0)
    top = ends[np.argmax(f1[ends])]
    at = f"best F1 {f1[top]:.3f} @{score[order][top]:.2f} (P {precision[top]:.3f}, R {recall[top]:.3f})"
    fixed = []
    for threshold in (0.14, 0.3):
        over = score >= threshold
        fixed.append(f"@{threshold:g} P {hit[over].mean():.3f} R {hit[over].sum() / len(true):.3f}")
    by_language = Counter(left.split("-")[0] for (left, _), yes in zip(keys, hit, strict=True) if yes)
    total = Counter(left.split("-")[0] for left, _ in true)
    missing = {code: total[code] - by_language[code] for code in total if total[code] > by_language[code]}
    return f"{at}; {'; '.join(fixed)}; not found at 0.05: {missing}"


def made(corpus: Pages) -> None:
    table, true = copies(corpus)
    print(f"{len(true):,} pages unlike each other and a made copy of each, {Counter(p[0][:2] for p in true)}")
    without = tuple(code for code in LANGUAGES if code not in ("ko", "ru", "uk"))
    recipes: dict[str, Callable[[], Method]] = {
        "fixed English": lambda: method("spotsigs", languages="en"),
        "default (lists)": lambda: method("spotsigs"),
        "auto": lambda: method("spotsigs", languages="auto"),
        "learn": lambda: method("spotsigs", languages="learn"),
        "lists without ko, ru, uk": lambda: method("spotsigs", languages=without),
        "auto without ko, ru, uk": lambda: _auto(without),
        "shingles 3": lambda: method("shingles", width=3),
        "shingles 5": lambda: method("shingles", width=5),
    }
    for name, make in recipes.items():
        print(f"  {name:25} {found_copies(table, true, make())}", flush=True)


def _auto(codes: tuple[str, ...]) -> Method:
    recipe = method("spotsigs", languages="auto")
    listed = method("spotsigs", languages=codes).features
    return replace(recipe, features=replace(recipe.features, listed=listed))  # type: ignore[type-var]


# -- disguises ----------------------------------------------------------------------------


def disguises(path: str) -> None:
    texts = pq.read_table(path, columns=["text"])["text"].combine_chunks()
    start = time.process_time()
    plain = undisguise_texts(texts)
    seconds = time.process_time() - start
    changed = pc.not_equal(texts, plain)
    before, after = words(texts.filter(changed)), words(plain.filter(changed))
    others = sum(a != b for a, b in zip(before, after, strict=True))
    print(
        f"undisguise: {texts.nbytes / 1e6 / seconds:.0f} MB/s on one thread; of {len(texts):,} documents the words of "
        f"{others} changed ({others / len(texts):.3%})"
    )


# -- the Chinese sets ---------------------------------------------------------------------


def chinese(folder: Path) -> None:
    """The best pair F1 of each recipe on the Chinese sets, and the scores of the altered copies of one text."""
    recipes: dict[str, Callable[[], Method]] = {
        "spots, bigrams": lambda: method("spotsigs"),
        "spots, bigrams, chain 2": lambda: method("spotsigs", chain=2),
        "spots, dictionary": lambda: method("spotsigs", unspaced="dictionary"),
        "spots, learned": lambda: method("spotsigs", languages="learn"),
        **{f"shingles of {n} bigrams": lambda n=n: method("shingles", width=n) for n in (2, 3, 5, 8)},
        **{f"shingles of {n} words": lambda n=n: _dictionary_shingles(n) for n in (1, 2, 3)},
        **{
            f"shingles of {n} characters": lambda n=n: method("shingles", width=n, unit="characters")
            for n in (3, 5)
        },
        "containment": lambda: method("containment"),
        "tfidf-cosine": lambda: method("tfidf-cosine"),
    }
    sets = {name: load(name, folder) for name in ("zh_laws", "zh_finance")}
    altered = [path.read_text("utf-8") for path in sorted((folder / "zh_plagiarism").glob("*.txt"))]
    for name, make in recipes.items():
        cells = []
        for labelled in sets.values():
            recipe = make()
            floor = None if recipe.match.approximate else 0.02
            result = samecore.find(labelled.documents, method=recipe, floor=floor, threshold=recipe.threshold)
            found = sweep(result, labelled)
            cells.append(
                f"{found.best.f1:.3f} @{found.threshold:.2f} (P {found.best.precision:.3f} R {found.best.recall:.3f})"
            )
        lowest = samecore.find(
            altered, method=replace(make(), threshold=0.02), floor=0.01, group="components"
        )
        first = {b: score for a, b, score in zip(*lowest.pairs.to_pydict().values(), strict=True) if a == "0"}
        scores = " ".join(f"{first.get(str(i), 0.0):.2f}" for i in range(1, len(altered)))
        print(f"  {name:28} laws {cells[0]}  finance {cells[1]}  altered copies {scores}", flush=True)


def _dictionary_shingles(width: int) -> Method:
    return replace(method("shingles"), features=DictionaryWords(Shingles(width=width), script="any"))


def main() -> None:
    if len(sys.argv) > 1:
        corpus = pages(sys.argv[1])
        detection(corpus)
        speed(corpus)
        made(corpus)
        disguises(sys.argv[1])
    if "SAMECORE_DATA" in os.environ:
        chinese(Path(os.environ["SAMECORE_DATA"]))


if __name__ == "__main__":
    main()
