"""Made-up pages: stories in the frames of a few sites, with labels."""

from __future__ import annotations

import random
from pathlib import Path

from conftest import story

from samecore.learn.labels import Labels, clusters


def page(seed: int, site: int) -> str:
    """Story `seed` in the frame of one site, which is longer than the story."""
    chance = random.Random(site)
    menu = "".join(
        f"<li><a href='/{site}/{n}'>{chance.choice('abcdefgh')}menu{site}x{n}</a></li>" for n in range(40)
    )
    foot = "".join(f"<p>foot{site}y{n}</p>" for n in range(30))
    other = "".join(
        f"<li><a href=x>teaser{random.Random(seed * 31 + site).randrange(500)}z{n}</a></li>" for n in range(8)
    )
    text = "".join(f"<p>{line}.</p>" for line in story(seed, sentences=9).split(".") if line.strip())
    title = f"Site {site}: {story(seed).split()[1]}"
    return f"<html><head><title>{title}</title></head><body><ul>{menu}{other}</ul><h1>{title}</h1>{text}{foot}</body></html>"


def pages(stories: int = 8, sites: int = 4) -> tuple[list[dict[str, str]], Labels]:
    rows, known = [], []
    for seed in range(stories):
        for site in range(sites):
            rows.append({"id": f"s{seed}-{site}", "text": page(seed, site), "content_type": "text/html"})
            known.append((f"s{seed}-{site}", f"story {seed}"))
    return rows, clusters(known)


def write(folder: Path, stories: int = 8, sites: int = 4) -> tuple[Path, Path]:
    """The pages as files and the labels as CSV."""
    rows, known = pages(stories, sites)
    (folder / "pages").mkdir()
    for row in rows:
        (folder / "pages" / f"{row['id']}.html").write_text(row["text"])
    labels = folder / "labels.csv"
    lines = [f"{id}.html,{cluster}" for id, cluster in known.clusters.items()]
    labels.write_text("id,cluster\n" + "\n".join(lines) + "\n")
    return folder / "pages", labels
