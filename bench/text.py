"""How fast text becomes words, spots and shingles.

    python bench/text.py [scale.parquet] [--level portable]

Without a Parquet file (columns `id`, `source`, `text`) only made-up prose is measured:
documents of about 3 KB with the word lengths and function words of English. Every
figure is the best of several runs; "wall" is MB of text per second, "busy" MB per
second of processor time, which other work on the machine does not lower. Each
instruction set runs in a process of its own.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from samecore import _core
from samecore.features.shingles import Shingles
from samecore.features.spots import Profile, Spot, Spots
from samecore.text.tokens import buffers, tokenize

ANTECEDENTS = re.findall(
    r"\w+",
    "a an the am is are was were be been being can could will would have has had having do does did doing "
    "shall should may might must",
)
STOP_WORDS = re.findall(
    r"\w+",
    "i me my we our ours you your yours he him his she her hers it its they them their theirs what which who "
    "whom this that these those and but if or because as until while of at by for with about against between "
    "into through during before after above below to from up down in out on off over under again further "
    "then once here there when where why how all any both each few more most other some such no nor not only "
    "own same so than too very s t just don now d ll m re ve also however among within without upon via per",
)
KANA, HAN = "の に は を た が で て と し れ さ も な", "的 是 在 了 和 有 不 这 为 与 一 中 上 大"
BARS = {"portable": 140, "avx2": 250, "avx512": 250}  # MB/s of one thread, English


def made_up_prose(megabytes: int) -> pa.Array:
    chosen = random.Random(1)
    syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "en", "ar", "ion", "ing")]
    content = ["".join(chosen.choices(syllables, k=chosen.choice([1, 2, 2, 3, 3, 4]))) for _ in range(30_000)]
    weights = [1 / (rank + 10) for rank in range(len(content))]
    frequent = ["the", "of", "and", "a", "to", "in", "is", "was", "it", "for", *ANTECEDENTS, *STOP_WORDS]
    often = [1 / (rank + 2) for rank in range(len(frequent))]
    texts = []
    for _ in range(megabytes * 1_000_000 // 3000):
        words = [
            chosen.choices(frequent, often)[0] if chosen.random() < 0.42 else word
            for word in chosen.choices(content, weights, k=520)
        ]
        for i in range(0, len(words), 17):
            words[i] = words[i].capitalize() + chosen.choice([",", ".", ";", ""])
        texts.append(" ".join(words))
    return pa.array(texts, pa.large_string())


def profiles(count: int, chain: int) -> tuple[Profile, ...]:
    """English, and languages of the same size that share some short words with it."""

    def spots(words: list[str]) -> tuple[Spot, ...]:
        return tuple(Spot(word, (1,) * chain) for word in words)

    found = [Profile("en", spots(ANTECEDENTS), frozenset(ANTECEDENTS + STOP_WORDS))]
    for i in range(1, count - 2):
        own = [word + "xyz"[i % 3] + "aeiou"[i % 5] for word in ANTECEDENTS + STOP_WORDS]
        stop = frozenset([*own, "a", "de", "la", "in", "me", "no", "on"])
        found.append(Profile(f"l{i}", spots(own[:30]), stop))
    for name, characters in (("ja", KANA), ("zh", HAN)):
        listed = characters.split()
        found.append(Profile(name, spots(listed), frozenset(listed)))
    return tuple(found[:count])


def best(work: Callable[[], object], megabytes: float, rounds: int = 5) -> tuple[float, float]:
    """(wall, busy) in MB/s."""
    walls, busy = [], []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        busy.append(time.process_time() - processor)
    return megabytes / min(walls), megabytes / min(busy)


def samples(path: str | None) -> dict[str, pa.Array]:
    found = {"made-up prose": made_up_prose(20)}
    if path is None:
        return found
    table = pq.read_table(path, columns=["id", "source", "text"])

    def pick(mask: pa.ChunkedArray) -> pa.Array:
        return pa.concat_arrays(table.filter(mask)["text"].chunks)

    found["acl-abstracts"] = pick(pc.equal(table["source"], "acl-abstracts"))
    found["mdn-en"] = pick(pc.equal(table["source"], "mdn-en"))
    for language in ("ja", "zh-cn", "ru", "fr"):
        found[f"mdn-{language}"] = pick(pc.match_substring(table["id"], f"/files/{language}/"))
    return found


def measure(path: str | None) -> None:
    level = _core.cpu_level()
    print(f"{level}, one thread (MB/s wall, busy)")
    one, ten = Spots(profiles(1, 2)), Spots(profiles(10, 2))
    for name, texts in samples(path).items():
        offsets = buffers(texts)[1]
        size = float(offsets[-1] - offsets[0]) / 1e6
        wall, busy = best(lambda t=texts: one(t), size)  # type: ignore[misc]
        ten_wall, ten_busy = best(lambda t=texts: ten(t), size)  # type: ignore[misc]
        two_wall, two_busy = best(lambda t=texts: ten(t, threads=2), size)  # type: ignore[misc]
        english = name in ("made-up prose", "acl-abstracts", "mdn-en")
        bar = f", bar {BARS[level]} x{busy / BARS[level]:.2f}" if english else ""
        print(f"  {name:14} {size:5.0f} MB  spots, 1 profile {wall:4.0f} {busy:4.0f}{bar}")
        print(f"{'':27} 10 profiles {ten_wall:4.0f} {ten_busy:4.0f}  x{ten_busy / busy:.2f} of 1 profile")
        print(f"{'':29} 2 threads {two_wall:4.0f} {two_busy:4.0f}  x{two_wall / ten_wall:.2f} of 1 thread")
        for label, work in (("5-word shingles", Shingles()), ("words", tokenize)):
            wall, busy = best(lambda t=texts, w=work: w(t), size, 2)  # type: ignore[misc]
            print(f"{'':24}{label:>15} {wall:4.0f} {busy:4.0f}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parquet", nargs="?")
    parser.add_argument("--level", choices=list(BARS), action="append")
    arguments = parser.parse_args()
    if os.environ.get("SAMECORE_BENCH") == "1":
        measure(arguments.parquet)
        return
    for level in arguments.level or BARS:
        environment = {**os.environ, "SAMECORE_CPU": level, "SAMECORE_BENCH": "1"}
        command = [sys.executable, __file__, *([arguments.parquet] if arguments.parquet else [])]
        subprocess.run(command, env=environment, check=True)


if __name__ == "__main__":
    main()
