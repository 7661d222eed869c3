"""Near-duplicates by LSH from raw text, end to end, beside datasketch: `python bench/lsh_text.py`.

Both get the same texts, 5-word shingles, 128 slots and a threshold of 0.8. datasketch has its defaults and reports what it brings
together; samecore chooses its bands for a recall of 0.99 and verifies. Processor time, best of three.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

import samecore
from samecore.match.banding import choose_banding
from samecore.match.lsh import lsh
from samecore.sketch import minhash

WIDTH, SLOTS, THRESHOLD = 5, 128, 0.8
Pairs = set[tuple[int, int]]


def texts(number: int, seed: int = 1) -> list[str]:
    """Made-up texts of 300 words; every tenth is followed by a copy with a few words changed."""
    chance = random.Random(seed)
    vocabulary = [f"w{n}" for n in range(20_000)]
    made: list[str] = []
    while len(made) < number:
        words = chance.choices(vocabulary, k=300)
        made.append(" ".join(words))
        if len(made) % 10 == 0:
            for place in chance.sample(range(300), 5):
                words[place] = f"changed{chance.random()}"
            made.append(" ".join(words))
    return made[:number]


def by_samecore(documents: list[str]) -> Pairs:
    recipe = samecore.method("minhash", width=WIDTH, slots=SLOTS, threshold=THRESHOLD)
    found = samecore.find(documents, method=recipe, group="components", threads=1).found
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def unverified(documents: list[str]) -> Pairs:
    """What datasketch does: sketches and bands alone, with no look at the documents afterwards."""
    sketches = np.asarray(minhash.sketch(documents, width=WIDTH, slots=SLOTS), np.uint32)
    bands = choose_banding(SLOTS, threshold=THRESHOLD)
    found = lsh(sketches, banding=bands, threshold=THRESHOLD, verify=False).pairs
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


def by_datasketch(documents: list[str]) -> Pairs:
    from datasketch import MinHash, MinHashLSH

    lsh = MinHashLSH(threshold=THRESHOLD, num_perm=SLOTS)
    pairs: Pairs = set()
    shingled = (
        {" ".join(words[i : i + WIDTH]).encode() for i in range(len(words) - WIDTH + 1)}
        for words in (document.lower().split() for document in documents)
    )
    for number, sketch in enumerate(MinHash.generator(shingled, num_perm=SLOTS)):
        pairs.update((int(other), number) for other in lsh.query(sketch))
        lsh.insert(str(number), sketch)
    return pairs


def timed(work: Callable[[list[str]], Pairs], documents: list[str], runs: int) -> tuple[float, Pairs]:
    best, found = float("inf"), set()
    for _ in range(runs):
        start = time.process_time()
        found = work(documents)
        best = min(best, time.process_time() - start)
    return best, found


def main() -> None:
    documents = texts(5_000)
    true = samecore.find(
        documents, method=samecore.method("shingles", width=WIDTH, threshold=THRESHOLD), group="components"
    ).found
    exact = set(zip(true.left.tolist(), true.right.tolist(), strict=True))
    ours, mine = timed(by_samecore, documents, 3)
    print(f"{len(documents):,} texts, {len(exact):,} pairs at {THRESHOLD}")
    print(
        f"samecore    {ours:7.3f} s   recall {len(mine & exact) / len(exact):.3f}   wrong {len(mine - exact)}"
    )
    bare, plain = timed(unverified, documents, 3)
    print(
        f"  unverified{bare:7.3f} s   recall {len(plain & exact) / len(exact):.3f}   wrong {len(plain - exact)}"
    )
    try:
        theirs, other = timed(by_datasketch, documents, 3)
    except ImportError:
        print("datasketch is not installed")
        return
    print(
        f"datasketch  {theirs:7.3f} s   recall {len(other & exact) / len(exact):.3f}   wrong {len(other - exact)}   "
        f"samecore is {theirs / ours:.0f} times as fast, {theirs / bare:.0f} unverified (bar 30)"
    )


if __name__ == "__main__":
    main()
