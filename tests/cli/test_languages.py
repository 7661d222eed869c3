"""The options for languages, as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from samecore.cli.options import choose_method
from samecore.errors import SettingError

PLAIN = "Order your cheap tablets from the best pharmacy in town and have them sent to the door of the house today."
HIDDEN = PLAIN.replace("tablets", "t a b l e t s").replace("pharmacy", "ph\u0430rm\u0430cy")
THAI = "สภาเมืองตัดสินใจเมื่อวานว่าห้องสมุดใหม่จะสร้างอยู่ริมแม่น้ำ ในอาคารจะมีห้องอ่านหนังสือสำหรับนักเรียนและประชาชน"


def run(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "samecore", *arguments]
    return subprocess.run(
        command, input=stdin, capture_output=True, encoding="utf-8", check=False, timeout=120
    )


@pytest.fixture
def mails(tmp_path: Path) -> Path:
    path = tmp_path / "mails.jsonl"
    texts = [PLAIN, HIDDEN, THAI, f"ข่าว {THAI}"]
    path.write_text(
        "".join(json.dumps({"id": f"m{i}", "text": t}) + "\n" for i, t in enumerate(texts)), "utf-8"
    )
    return path


def pairs(found: subprocess.CompletedProcess[str]) -> list[tuple[str, str]]:
    assert found.returncode == 0, found.stderr
    return [(row["left"], row["right"]) for row in map(json.loads, found.stdout.splitlines())]


def test_disguises_are_undone_on_request(mails: Path) -> None:
    asked = ("find", str(mails), "-t", "0.9", "--show", "pairs", "--json", "--quiet", "--language", "en")
    assert ("m0", "m1") not in pairs(run(*asked))
    assert ("m0", "m1") in pairs(run(*asked, "--undisguise"))
    shown = run("explain", "m0", "m1", "--in", str(mails), "--undisguise")
    assert "score 1.000" in shown.stdout


def test_auto_reads_a_pipe_without_learning(mails: Path) -> None:
    asked = ("-t", "0.5", "--show", "pairs", "--json", "--language", "auto")
    piped = run("find", "-", "--format", "jsonl", *asked, stdin=mails.read_text("utf-8"))
    assert ("m2", "m3") in pairs(piped)
    assert "nothing was learned" in piped.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"language": "xx"}, "learn"),
        ({"unspaced": "words"}, "bigrams, dictionary"),
        ({"unspaced": "dictionary", "language": "auto"}, "'bigrams'"),
    ],
)
def test_wrong_settings_say_what_is_right(arguments: dict[str, str], expected: str) -> None:
    with pytest.raises(SettingError, match=expected):
        choose_method("spotsigs", **arguments)  # type: ignore[arg-type]
