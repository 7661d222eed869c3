"""From a web archive to text, and to a result: `python bench/archive.py [megabytes]`.

A seeded WARC file is written to a temporary folder: made-up pages with menus, scripts, lists and prose, each
compressed on its own, as crawlers do, with requests and images in between, and one page in five
a changed copy of another. Then, best of several runs each,

    peer      FastWARC alone walks over it, and resiliparse takes the text of each page, in the same mode
    reading   `read.open` and `text.modes.extract`, all their care included; bar: 60 % of the peer's speed
    find      the whole command `samecore find`; bar: 1.5 times the reading time

The texts are compared before anything is timed. "wall" is what a clock says, "busy" the processor time, which
other work on the machine does not raise. Sizes are those of the uncompressed pages. Without an argument the
archive holds 100 MB of pages; the bar of the issue is meant for 1000.
"""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree

from samecore import read
from samecore.text.modes import extract

MODE = "prose"  # that of the default method
FREQUENT = [
    "the",
    "of",
    "and",
    "a",
    "to",
    "in",
    "is",
    "was",
    "it",
    "for",
    "on",
    "that",
    "by",
    "this",
    "with",
    "are",
    "be",
    "at",
    "as",
    "his",
    "from",
    "have",
    "an",
    "will",
    "can",
]


def words(chance: random.Random, count: int) -> list[str]:
    syllables = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "en", "ar", "ion")]
    return ["".join(chance.choices(syllables, k=chance.choice((2, 2, 3, 3, 4)))) for _ in range(count)]


def pages(megabytes: float) -> Iterator[tuple[str, bytes]]:
    """URLs and pages of about 20 KB, a third of it prose."""
    chance = random.Random(1)
    vocabulary = words(chance, 20_000)
    hosts = [f"www.{word}.example" for word in words(chance, 50)]
    script = "function f(a){return a.map(function(x){return x*2})};" * 60
    frames = {
        host: "<ul>" + "".join(f'<li><a href="/{w}" class="nav item">{w} {w}</a></li>' for w in words(chance, 60)) + "</ul>"
        for host in hosts
    }  # fmt: skip

    def sentence() -> str:
        picked = [
            chance.choice(FREQUENT) if chance.random() < 0.45 else chance.choice(vocabulary)
            for _ in range(chance.randint(8, 24))
        ]
        return " ".join(picked).capitalize() + "."

    stories: list[list[str]] = []
    size = number = 0
    while size < megabytes * 1e6:
        if stories and chance.random() < 0.2:
            story = [s if chance.random() < 0.9 else sentence() for s in chance.choice(stories)]
        else:
            story = [sentence() for _ in range(chance.randint(20, 90))]
            if len(stories) < 5000:
                stories.append(story)
        host = chance.choice(hosts)
        paragraphs = "".join(
            f'<p class="story-body text">{" ".join(story[i : i + 4])} <a href="/x?{i}">more</a></p>\n'
            for i in range(0, len(story), 4)
        )
        page = (
            f"<!doctype html><html><head><meta charset=utf-8><title>{story[0]}</title><script>{script}</script>"
            f"<style>.nav{{color:red}}</style></head><body><div id=top class='a b c'>{frames[host]}</div>"
            f"<div id=main><h1>{story[0]}</h1>{paragraphs}</div><div id=foot>{frames[host]}<p>All by us at {host}</p>"
            "</div></body></html>"
        ).encode()
        number += 1
        size += len(page)
        yield f"http://{host}/{number}.html", page


def write_warc(path: Path, megabytes: float) -> int:
    """Write the archive; how many bytes of pages are in it."""
    total = 0
    with path.open("wb") as out:

        def record(kind: str, url: str, block: bytes) -> None:
            number = out.tell()
            head = (
                f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number:032x}>\r\n"
                f"WARC-Target-URI: {url}\r\nWARC-Date: 2024-05-01T12:00:00Z\r\n"
                f"Content-Type: application/http; msgtype={kind}\r\nContent-Length: {len(block)}\r\n\r\n"
            ).encode()
            out.write(gzip.compress(head + block + b"\r\n\r\n", 4, mtime=0))

        for url, page in pages(megabytes):
            record("request", url, b"GET / HTTP/1.1\r\nHost: example\r\n\r\n")
            record(
                "response", url, b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page
            )
            if total % 7 == 0:
                record(
                    "response",
                    url + ".png",
                    b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG" + bytes(3000),
                )
            total += len(page)
    return total


def peer(path: Path) -> list[str]:
    """What a user of the two libraries would write."""
    texts = []
    for record in ArchiveIterator(str(path), record_types=WarcRecordType.response, auto_decode="all"):
        if "html" not in (record.http_content_type or ""):
            continue
        body = record.reader.read()
        page = body.decode(record.http_charset or detect_encoding(body), "replace")
        text = extract_plain_text(
            HTMLTree.parse(page),
            preserve_formatting=True,
            list_bullets=False,
            links=False,
            alt_texts=False,
            form_fields=False,
            noscript=True,
            skip_elements=["li a"],
        )
        texts.append("\n".join(line for line in text.split("\n") if len(line.split()) >= 5))
    return texts


def reading(path: Path) -> list[str]:
    texts: list[str] = []
    for batch in read.open(path).batches():
        texts += extract(batch, MODE)[0].column("text").to_pylist()
    return texts


def walking(path: Path) -> int:
    return sum(batch.num_rows for batch in read.open(path).batches())


def measured(work: Callable[[], object], runs: int) -> tuple[float, float]:
    """(wall, busy) in seconds, the best of each; busy is processor time, with that of subprocesses."""
    walls, busy = [], []
    for _ in range(runs):
        wall, before = time.perf_counter(), os.times()
        work()
        walls.append(time.perf_counter() - wall)
        busy.append(sum(os.times()[:4]) - sum(before[:4]))
    return min(walls), min(busy)


def main(arguments: list[str]) -> None:
    megabytes = float(arguments[0]) if arguments else 100
    runs = 3 if megabytes <= 200 else 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crawl.warc.gz"
        size = write_warc(path, megabytes) / 1e6
        print(f"{size:.0f} MB of pages, {path.stat().st_size / 1e6:.0f} MB compressed, text mode {MODE!r}")
        if megabytes <= 200:
            assert peer(path) == reading(path), "the texts differ"
        command = [sys.executable, "-m", "samecore", "find", str(path), "-q", "-o", f"{folder}/result"]
        works: dict[str, Callable[[], object]] = {
            "records only": lambda: walking(path),
            "peer": lambda: peer(path),
            "reading": lambda: reading(path),
            "samecore find": lambda: subprocess.run(command, check=True),
        }
        times = {name: measured(work, runs) for name, work in works.items()}
        for name, (wall, busy) in times.items():
            print(f"{name:14} {wall:7.2f} s wall {busy:7.2f} s busy {size / busy:6.1f} MB/s")
        for label, i in (("wall", 0), ("busy", 1)):
            reached = times["peer"][i] / times["reading"][i]
            cost = times["samecore find"][i] / times["reading"][i]
            print(
                f"by {label} time: {reached:.2f} of the peer's speed (bar 0.60), find {cost:.2f} of reading (bar 1.50)"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
