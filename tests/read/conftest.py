"""Small inputs of every format with the same documents in them."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

ROWS = [
    {"id": "a", "text": "the first text", "url": "http://a.example/", "n": 1},
    {"id": "b", "text": "un deuxième texte, 第三", "url": None, "n": 2},
    {
        "id": "c",
        "text": 'the last, with "quotes", a comma\nand a second line',
        "url": "http://c.example/",
        "n": 3,
    },
]


@pytest.fixture
def rows() -> list[dict[str, object]]:
    return [dict(row) for row in ROWS]


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in ROWS))
    return path
