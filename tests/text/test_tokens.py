from __future__ import annotations

import os
import subprocess
import sys
import unicodedata

import numpy as np
import pyarrow as pa
import pytest
from conftest import same_unicode
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import tokens as twin

from samecore import _core
from samecore.errors import InputError, SettingError
from samecore.text.tokens import buffers, tokenize, word_frequencies, words, words_of_bytes

# Characters that meet every rule: cases, marks, expansions, invisible ones, all widths.
ALPHABET = (
    "abzAZ09 .,-'_\x00\n\tßſıİéÉñÅøŒ\u00ad\u200b\u200d\ufeff\ufe0f½²№ﬁ\u0301\u0323\u0308\u0345\u0307"
    "ΑΣςΐΰẞЖжёЙ\u0306אבًہ한글\u1100\u1161\u11a8ᄒ가각中文漢字々〇仮名かがカーガ\u3099\u309aｶﾞ㌖㈠①"
    "ไทยน้ำ\u0e34\u0e49ลາວខ្មែမြန်\u09c7\u09be\u0b47\u0b56ﷺ𝐀𝟘𠀀😀\U0001f1e9\u0f71\u0f72\u0f74\u034f\u115fꟲ\ufffd"
)
texts = st.text(st.sampled_from(ALPHABET), max_size=80) | st.text(max_size=40)
broken = st.lists(
    texts.map(lambda t: t.encode("utf-8", "surrogatepass")) | st.binary(max_size=8), max_size=6
).map(b"".join)
# Lengths around 8, 16, 32, 64 bytes, where the loops change gear.
edges = st.builds(
    lambda before, n, letter, after: before + letter * n + after,
    st.integers(0, 70).map(lambda n: " " * n),
    st.sampled_from([1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 127, 128, 129]),
    st.sampled_from("xQ7éЖ中カน"),
    st.sampled_from(["", " ", " end", "é", "\u0301", "中"]),
).map(str.encode)
documents = st.lists(broken | edges | texts.map(lambda t: t.encode("utf-8", "replace")), max_size=5)


def batch(parts: list[bytes]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, parts)]).astype(np.int64)
    # An array of exactly these bytes: a read past the end would be a read past the memory.
    return np.frombuffer(b"".join(parts), np.uint8), offsets


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t.", []),
        ("Hello, World", ["hello", "world"]),
        ("don't stop", ["don", "t", "stop"]),
        ("co\u00adopera\u200btion", ["cooperation"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("e\u0301 é É", ["é", "é", "é"]),
        ("\u0301a", ["a"]),
        ("a\u0323\u0301 a\u0301\u0323", ["ạ\u0301", "ạ\u0301"]),
        ("ﬁne Ｗｉｄｅ ①", ["fine", "wide", "1"]),
        ("½", ["1", "2"]),
        ("a\x00b", ["a", "b"]),
        ("日本語", ["日本", "本語"]),
        ("中", ["中"]),
        ("2024年abc", ["2024", "年", "abc"]),
        ("ｶﾞｷﾞ", ["ガギ"]),
        ("データ々〇", ["デー", "ータ", "タ々", "々〇"]),
        ("한국어 \u1112\u1161\u11ab", ["한국어", "한"]),
        ("naïve l’été", ["naïve", "l", "été"]),
    ],
)
def test_words_by_hand(text: str, expected: list[str]) -> None:
    assert words([text]) == [expected]
    assert twin.words(text.encode()) == expected


def test_modes_of_unspaced_scripts() -> None:
    assert words(["日本語 x"], cjk="words") == [["日本語", "x"]]
    assert words(["日本語 x"], cjk="characters") == [["日", "本", "語", "x"]]


@same_unicode
@settings(max_examples=400, deadline=None)
@given(documents, st.sampled_from(["bigrams", "words", "characters"]), st.sampled_from([0, 1, 2**64 - 1]))
def test_kernel_equals_twin(parts: list[bytes], cjk: str, seed: int) -> None:
    data, offsets = batch(parts)
    mode = {"bigrams": 0, "words": 1, "characters": 2}[cjk]
    found = _core.tokens(data, offsets, seed=seed, cjk=mode, threads=2)
    texts = words_of_bytes(data, offsets, cjk=cjk)  # type: ignore[arg-type]
    for i, part in enumerate(parts):
        expected, _ = twin.tokens_and_runs(part, cjk)
        assert texts[i] == [t.word for t in expected]
        row = slice(found[0][i], found[0][i + 1])
        assert found[1][row].tolist() == [twin.hash_word(t.word.encode(), seed) for t in expected]
        assert (found[2][row] - offsets[i]).tolist() == [t.start for t in expected]
        assert (found[3][row] - offsets[i]).tolist() == [t.end for t in expected]


def test_every_code_point() -> None:
    known = _core.code_point_classes() != 5
    codes = [c for c in range(0x110000) if known[c] and unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    assert len(codes) > 140_000
    for code, found in zip(codes, words([chr(c) for c in codes]), strict=True):
        assert found == twin.words(chr(code).encode()), hex(code)
    # Between letters: whether it separates, continues or vanishes. Few of the ideographs.
    codes = [c for c in codes if unicodedata.category(chr(c)) != "Lo" or c % 16 == 0]
    for code, found in zip(codes, words([f"x{chr(c)}y" for c in codes]), strict=True):
        assert found == twin.words(f"x{chr(code)}y".encode()), hex(code)


def test_composition_of_pairs() -> None:
    marks = [c for c in map(chr, range(0x110000)) if unicodedata.category(c).startswith("M")]
    bases = "aeouAωгकে가\u1100かェ\u0d46𑂙\u1025"
    texts = [base + mark + "\u0323" for base in bases for mark in marks]
    known = _core.code_point_classes()
    texts = [t for t in texts if all(known[ord(c)] != 5 for c in t)]
    for text, found in zip(texts, words(texts), strict=True):
        assert found == twin.words(text.encode()), ascii(text)


def test_broken_utf8_separates_like_python() -> None:
    for code in ("e381", "ff", "c080", "eda080", "f4908080", "f09f", "80", "e080"):
        piece = bytes.fromhex(code)
        data, offsets = batch([b"ab" + piece + b"cd", piece, piece + b"x", b"x" + piece])
        assert words_of_bytes(data, offsets) == [["ab", "cd"], [], ["x"], ["x"]]


# Fixed for ever: a change here makes every stored key and index worthless.
GOLDEN = [
    (b"", 0, 0x57B630E0964AF7BD),
    (b"a", 0, 0x89CA12DC8C778C55),
    (b"the", 0, 0x3C6C1A5F102F5F4D),
    (b"the", 1, 0x7C0218C776FB4B4C),
    (b"internet", 0, 0xC2CE720B1832700C),
    (b"characteristical", 0, 0x7D127DCA3C88A9CB),
    (b"characteristically", 0, 0xA9C5652202A49FC6),
    ("日本".encode(), 0, 0xE09316CB33BD2BBF),
    (bytes(range(97, 123)) * 3, 2**64 - 1, 0x9F37BF01A40ABA71),
]


@pytest.mark.parametrize(("word", "seed", "value"), GOLDEN)
def test_golden_hashes(word: bytes, seed: int, value: int) -> None:
    assert _core.hash_word(word, seed) == twin.hash_word(word, seed) == value


def test_hash_spreads() -> None:
    """Consecutive numbers as words: no two alike, every bit even, every input bit felt."""
    texts = [str(n) for n in range(300_000)]
    hashes = tokenize([" ".join(texts)]).hashes
    assert len(np.unique(hashes)) == len(texts)
    for bit in range(64):
        share = float(np.mean(hashes >> np.uint64(bit) & np.uint64(1)))
        assert abs(share - 0.5) < 0.005
    word = b"abcdefghijklmnopqrst"
    for length in (1, 3, 8, 9, 16, 17, 20):
        before = _core.hash_word(word[:length])
        for bit in range(8 * length):
            changed = bytearray(word[:length])
            changed[bit // 8] ^= 1 << bit % 8
            assert 10 <= bin(_core.hash_word(bytes(changed)) ^ before).count("1") <= 54


@settings(max_examples=50, deadline=None)
@given(documents)
def test_word_frequencies(parts: list[bytes]) -> None:
    data, offsets = batch(parts)
    found = _core.word_frequencies(data, offsets, cjk=2, threads=3)
    expected: dict[int, list[int]] = {}
    for document, part in enumerate(parts):
        seen = set()
        for token in twin.tokens_and_runs(part, "characters")[0]:
            key = twin.hash_word(token.word.encode())
            start = int(offsets[document])
            row = expected.setdefault(key, [0, 0, start + token.start, start + token.end])
            row[0] += 1
            row[1] += key not in seen
            seen.add(key)
    assert found[0].tolist() == sorted(expected)
    for i, key in enumerate(found[0].tolist()):
        assert [int(found[k][i]) for k in (1, 2, 3, 4)] == expected[key]


def test_threads_do_not_matter() -> None:
    texts = [f"word{i % 977} and {'naïve ' * (i % 7)}日本語 {i}" for i in range(30_000)]
    one, two = tokenize(texts, threads=1), tokenize(texts, threads=2)
    assert all(
        np.array_equal(getattr(one, n), getattr(two, n)) for n in ("offsets", "hashes", "starts", "ends")
    )
    first, second = word_frequencies(texts, threads=1), word_frequencies(texts, threads=2)
    for name in ("hashes", "occurrences", "documents", "starts", "ends"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


SAME = """
import hashlib, random, numpy as np, samecore._core as c
r = random.Random(5)
alphabet = "aeinorst  .-Zé ñж中か\\u0301ー9" + "\\U00020000"
lengths = [0, 1, 15, 16, 17, 63, 64, 65, 200, 900]
parts = ["".join(r.choices(alphabet, k=r.choice(lengths))).encode() for _ in range(400)]
parts += [bytes(r.choices(range(256), k=r.randrange(200))) for _ in range(400)]
o = np.cumsum([0, *map(len, parts)]).astype(np.int64)
out = c.tokens(np.frombuffer(b"".join(parts), np.uint8), o)
print(c.cpu_level(), hashlib.sha256(b"".join(a.tobytes() for a in out)).hexdigest())
"""


def test_instruction_sets_agree() -> None:
    seen = {}
    for level in ("portable", "avx2", "avx512"):
        run = subprocess.run([sys.executable, "-c", SAME], env={**os.environ, "SAMECORE_CPU": level},
                             capture_output=True, text=True, check=True)  # fmt: skip
        used, digest = run.stdout.split()
        seen[used] = digest
    assert "portable" in seen
    assert len(set(seen.values())) == 1


def test_arrow_inputs() -> None:
    expected = [["a"], ["b", "c"], []]
    whole = pa.array(["zero", "a", "b c", None], pa.large_string())
    assert words(whole.slice(1)) == expected
    assert words(pa.array(["a", "b c", ""])) == expected
    assert words(pa.chunked_array([["a"], ["b c", None]])) == expected
    assert words(pa.chunked_array([], pa.large_string())) == []
    assert words([]) == []
    assert words(pa.array([], pa.large_string())) == []
    assert words(pa.array(["", ""], pa.large_string())) == [[], []]
    full = pa.array(["zero", "a"], pa.large_string())
    assert buffers(full)[0].ctypes.data == full.buffers()[2].address  # no copy
    with pytest.raises(InputError, match="int64"):
        words(pa.array([1, 2]))


def test_wrong_arguments() -> None:
    data, zero = np.zeros(4, np.uint8), np.array([0, 4], np.int64)
    for offsets in ([], [0, 5], [3, 2], [-1, 2]):
        with pytest.raises(ValueError, match="offsets: expected"):
            _core.tokens(data, np.array(offsets, np.int64))
    with pytest.raises(ValueError, match="threads: expected 1"):
        _core.tokens(data, zero, threads=0)
    with pytest.raises(ValueError, match="cjk: expected 0"):
        _core.tokens(data, zero, cjk=3)
    with pytest.raises(SettingError, match="'bigrams', 'words'"):
        words(["a"], cjk="letters")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="seed"):
        tokenize(["a"], seed=-1)
    with pytest.raises(SettingError, match="threads"):
        tokenize(["a"], threads=0)


def test_tables_are_of_the_promised_version() -> None:
    assert _core.unicode_version() == "14.0.0"


def test_one_long_line() -> None:
    text = "x" * 3_000_000 + " " + "日" * 1_000_000 + " " + "e\u0301" * 500_000 + " end"
    found = tokenize([text])
    assert len(found.hashes) == 1 + 999_999 + 1 + 1
    assert found.hashes[0] == twin.hash_word(b"x" * 3_000_000)
    assert found.hashes[-2] == twin.hash_word(("é" * 500_000).encode())
