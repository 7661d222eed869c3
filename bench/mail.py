"""Mails: messages read per second beside the standard library, and how well copies are found.

`python bench/mail.py` for the speed on made-up mails; with SAMECORE_DATA also on the labelled ones, and (without
--speed) the tables of docs/mail.md.
"""

from __future__ import annotations

import email
import email.policy
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

import samecore
from samecore import read
from samecore.lab.evaluate import Truth, evaluate, read_labels
from samecore.methods import Method, method
from samecore.read.mail import parse

WAYS = {
    "as they are": {},
    "quotes stripped": {"quotes": "strip"},
    "signatures stripped": {"signatures": "strip"},
    "both stripped": {"quotes": "strip", "signatures": "strip"},
}
FLOOR = 0.05


def recipes() -> dict[str, Method]:
    found = {
        name: method(name)
        for name in ("spotsigs", "shingles", "containment", "tfidf-cosine", "simhash", "exact")
    }
    found["spotsigs, visible text"] = replace(method("spotsigs"), text="visible")
    found["shingles of 3 words"] = method("shingles", width=3)
    return found


def made_up(count: int) -> list[bytes]:
    """Mails of four kinds: plain, quoted-printable, HTML beside plain, and with an attachment."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvwz", k=chance.randint(2, 9))) for _ in range(2000)]
    mails = []
    for number in range(count):
        message = EmailMessage()
        message["From"], message["To"] = "Ann <ann@example.org>", "bob@example.org"
        message["Subject"] = " ".join(chance.choices(words, k=6)) + (" größer" if number % 2 else "")
        message["Date"], message["Message-ID"] = "Fri, 23 Aug 2002 10:15:51 -0700", f"<{number}@example.org>"
        for hop in range(4):
            message[f"X-Hop-{hop}"] = " ".join(chance.choices(words, k=12))
        text = "\n".join(" ".join(chance.choices(words, k=10)) for _ in range(30))
        message.set_content(text, cte="quoted-printable" if number % 4 == 1 else None)
        if number % 4 == 2:
            message.add_alternative(f"<p>{text}</p>", subtype="html")
        if number % 4 == 3:
            message.add_attachment(chance.randbytes(4000), maintype="application", subtype="pdf")
        mails.append(bytes(message))
    return mails


def ours(raw: bytes) -> tuple[str, str]:
    mail = parse(raw)
    return mail.subject, mail.body()[0]


def standard(raw: bytes) -> tuple[str, str]:
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(preferencelist=("plain", "html"))
    try:
        return str(message["subject"]), str(body.get_content()) if body else ""
    except LookupError:
        return str(message["subject"]), ""


# Processor time: everything here runs on one thread, and the machine may have other work.
def per_second(function: Callable[[bytes], object], mails: Sequence[bytes], *, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        for raw in mails:
            function(raw)
        best = min(best, time.process_time() - start)
    return len(mails) / best


def speed(name: str, mails: Sequence[bytes]) -> None:
    own, other = per_second(ours, mails, rounds=5), per_second(standard, mails, rounds=2)
    megabytes = own * sum(map(len, mails)) / len(mails) / 1e6
    print(
        f"{name}: {own:,.0f} mails/s ({megabytes:.0f} MB/s), email of the standard library {other:,.0f}: {own / other:.1f} times"
    )


def check(mails: Sequence[bytes]) -> None:
    for raw in mails:
        assert [" ".join(text.split()) for text in ours(raw)] == [
            " ".join(text.split()) for text in standard(raw)
        ]


def reading_speed(name: str, path: Path) -> None:
    """From the disk to batches, which is what a run waits for."""
    best, count = float("inf"), 0
    for _ in range(3):
        start = time.process_time()
        count = sum(len(batch) for batch in read.open(path).batches())
        best = min(best, time.process_time() - start)
    print(f"{name}: {count} messages to batches, {count / best:,.0f}/s")


def mailbox_of(mails: Sequence[bytes], path: Path) -> None:
    with path.open("wb") as out:
        for raw in mails:
            body = raw.partition(b"\n")[2] if raw.startswith(b"From ") else raw
            out.write(b"From x Mon Jan  1 10:00:00 2001\n" + body.replace(b"\nFrom ", b"\n>From ") + b"\n\n")


# -- quality ------------------------------------------------------------------------------


def quality(folder: Path, labels: str, *, alone: bool) -> None:
    """A Markdown table: recipes down, ways of reading across."""
    print(f"\n{folder.name}: best pair F1 @ threshold / best F1 of groups by average linkage\n")
    print("| recipe | " + " | ".join(WAYS) + " |\n" + "|---" * (len(WAYS) + 1) + "|")
    for name, recipe in recipes().items():
        cells = []
        for way in WAYS.values():
            truth = read_labels(folder / labels)
            floor = min(FLOOR, recipe.threshold) if not recipe.match.approximate else None
            result = samecore.find(folder, method=recipe, floor=floor, **way)
            if alone:
                others = {id: f"alone: {id}" for id in result.ids.to_pylist() if not id.endswith(".tsv")}
                truth = Truth(others | truth.clusters)
            figures = evaluate(result, truth)
            pairs, groups = figures.best_pairs, figures.best_groups
            cells.append(f"{pairs.f1:.3f} @{figures.best_pair_threshold:.2f} / {groups.f1:.3f}")
            more = "" if alone else f"; held out {held_out(result, truth):.3f}"
            print(f"{folder.name}, {name}, {way}: {cells[-1]}; P {pairs.precision:.3f} R {pairs.recall:.3f}{more}",
                  file=sys.stderr)  # fmt: skip
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def held_out(result: samecore.Result, truth: Truth) -> float:
    """Pair F1 with the threshold chosen on the other half of the clusters, the mean of both halves."""
    names = sorted(set(truth.clusters.values()))
    random.Random(0).shuffle(names)
    halves = [set(names[::2]), set(names[1::2])]
    parts = [Truth({id: name for id, name in truth.clusters.items() if name in half}) for half in halves]
    scores = []
    for chosen_on, scored_on in (parts, parts[::-1]):
        threshold = evaluate(result, chosen_on).best_pair_threshold
        scores.append(evaluate(result.at(max(threshold, result.settings.floor)), scored_on).pairs.f1)
    return sum(scores) / 2


def parents(folder: Path) -> None:
    """For each reply the post with the highest score, itself apart: how often is it the one it answers?"""
    rows = [line.split("\t") for line in (folder / "reply_parent.tsv").read_text().split("\n")[1:] if line]
    parent = dict(rows)
    print(f"\n{folder.name}: parents of {len(parent)} replies, by the quotes and by all of the text\n")
    print(
        "| recipe | text of the reply | some post has 0.05 or more | the parent has most |\n|---|---|---|---|"
    )
    posts = _texts(folder)
    for name in ("containment", "shingles", "spotsigs"):
        for quotes in ("keep", "only", "strip"):
            replies = _texts(folder, quotes=quotes)
            replies = replies.filter(pc.is_in(replies["id"], value_set=pa.array(list(parent))))
            ids = [f"reply: {id}" for id in replies["id"].to_pylist()]
            replies = replies.set_column(0, "id", pa.array(ids))
            found = samecore.find(replies, against=posts, method=name, threshold=0.05).pairs
            best: dict[str, tuple[float, set[str]]] = {}
            for left, right, score in zip(
                *(found[c].to_pylist() for c in ("left", "right", "score")), strict=True
            ):
                reply = left.removeprefix("reply: ")
                if reply != right and score >= best.get(reply, (0.0, set()))[0]:
                    same = score == best.get(reply, (0.0, set()))[0]
                    best[reply] = (score, (best[reply][1] if same else set()) | {right})
            hits = sum(parent[reply] in ones for reply, (_, ones) in best.items())
            print(f"| {name} | {quotes} | {len(best)} | {hits} |", flush=True)


def _texts(folder: Path, **how: str) -> pa.Table:
    return pa.Table.from_batches(list(read.open(folder, **how).batches())).select(["id", "text"])


def main() -> None:
    mails = made_up(800)
    check(mails)
    speed("made up", mails)
    base = os.environ.get("SAMECORE_DATA")
    if not base:
        print("SAMECORE_DATA is not set: the labelled mails are not here")
        return
    sets = (("email_spamassassin", "labels.tsv", False), ("newsgroups", "crosspost_labels.tsv", True))
    for name, labels, alone in sets:
        folder = Path(base) / name
        files = [
            path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".tsv"
        ]
        speed(name, files)
        reading_speed(f"{name}, a file each", folder)
        with tempfile.TemporaryDirectory() as temporary:
            mailbox_of(files, Path(temporary) / "all.mbox")
            reading_speed(f"{name}, one mbox", Path(temporary) / "all.mbox")
        if "--speed" not in sys.argv:
            quality(folder, labels, alone=alone)
    if "--speed" not in sys.argv:
        parents(Path(base) / "newsgroups")


if __name__ == "__main__":
    main()
