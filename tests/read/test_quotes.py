"""Whose words they are: quotes, signatures and forwarded headers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samecore.errors import SettingError
from samecore.read.quotes import page, plain

REPLY = """Hello all,

In article <x@y> joe@example.org (Joe) writes:
> The first quoted line.
>> A line quoted twice.
JD> With initials.

My answer is 3 > 2.
--{}
Ann Example
http://ann.example.org/
""".replace("{}", " ")


def test_strip_and_only() -> None:
    assert plain(REPLY, quoted="strip", signatures="strip").split("\n") == [
        "Hello all,", "", "", "My answer is 3 > 2.",
    ]  # fmt: skip
    assert plain(REPLY, quoted="only").split("\n") == [
        "The first quoted line.", "A line quoted twice.", "With initials.",
    ]  # fmt: skip
    assert plain(REPLY) is REPLY


def test_signature_alone() -> None:
    assert plain(REPLY, signatures="strip") == REPLY[: REPLY.index("-- \n") - 1]


@pytest.mark.parametrize("mark", ["|", ":", "}"])
def test_other_marks_need_company_and_a_writer(mark: str) -> None:
    quote = f"{mark} one\n{mark} two\nown"
    assert plain(f"joe writes:\n{quote}", quoted="strip") == "own"
    assert plain(f"joe writes:\n{quote}", quoted="only") == "one\ntwo"
    assert plain(quote, quoted="strip") == quote
    assert plain(f"joe writes:\n{mark} one\nown", quoted="strip") == f"joe writes:\n{mark} one\nown"


def test_two_marks_and_rarer_ones() -> None:
    text = "joe writes:\n|> one\n: >two\n#three\n#four\n#five\nown"
    assert plain(text, quoted="only") == "one\ntwo\nthree\nfour\nfive"
    assert plain(text, quoted="strip") == "own"
    code = "joe writes:\n> How?\n#include <a.h>\n#include <b.h>\n-> so\n=> and so"
    assert plain(code, quoted="strip") == code.split("> How?\n")[1]
    unnamed = ": one\n: two\n:\n: three\nown"
    assert plain(unnamed, quoted="strip") == "own"
    assert plain(":one\n:two\n:three\n:four", quoted="strip") == ":one\n:two\n:three\n:four"


def test_original_message_is_quoted_to_the_end() -> None:
    text = "Yes.\n\n-----Original Message-----\nFrom: Joe\nSent: Monday\nTo: Ann\nSubject: x\n\nShall we?\n"
    assert plain(text, quoted="strip").strip() == "Yes."
    assert plain(text, quoted="only").strip() == "Shall we?"


def test_original_message_is_quoted_without_signatures_too() -> None:
    """Its line went with the signatures, and what was under it counted as the sender's own."""
    text = "Mine.\n-- \nJoe\n\n-----Original Message-----\nFrom: Ann\nSubject: x\n\nAnn's words.\n-- \nAnn"
    assert plain(text, quoted="strip", signatures="strip") == "Mine."
    assert plain(text, quoted="only", signatures="strip").strip() == "Ann's words."


def test_attribution_over_two_lines() -> None:
    text = "On Monday the 4th of August, Joe Longname\n<joe@example.org> wrote:\n> Shall we?\nYes.\n"
    assert plain(text, quoted="strip") == "Yes.\n"


@pytest.mark.parametrize(
    "line",
    ["---------- Forwarded message ----------", "Begin forwarded message:", "----- Forwarded by Ann -----"],
)
def test_forwarded_headers_go_and_the_text_stays(line: str) -> None:
    text = (
        f"See this.\n\n{line}\nFrom: Joe\nDate: Monday\nSubject: a long\n one\n\nThe forwarded text: here.\n"
    )
    assert plain(text, signatures="strip") == "See this.\n\n\nThe forwarded text: here.\n"


def test_footer_of_a_list_under_a_signature() -> None:
    text = "Words.\n\n-- \nAnn\n\n" + "_" * 40 + "\nX mailing list\nhttp://lists.example.org/\n"
    assert plain(text, signatures="strip") == "Words."


def test_what_is_no_signature() -> None:
    for text in (
        "Words.\n" + "-- \n" + "More.\n" * 25,
        "Words.\n--\n" + "More.\n" * 12,
        "_" * 40 + "\nWords.\n",
    ):
        assert plain(text, signatures="strip") == text


def test_pgp_signature() -> None:
    text = "Words.\n-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----\nMore.\n"
    assert plain(text, signatures="strip") == "Words.\nMore.\n"


def test_pages_quote_in_elements() -> None:
    text = (
        "<p>Own</p><blockquote type=cite><p>Theirs<BLOCKQUOTE>older</BLOCKQUOTE></p></blockquote><p>End</p>"
    )
    assert page(text) == text
    assert "Theirs" not in page(text, quoted="strip")
    assert "older" not in page(text, quoted="strip")
    assert "End" in page(text, quoted="strip")
    assert "Own" not in page(text, quoted="only")
    assert "older" in page(text, quoted="only")


def test_unknown_names() -> None:
    with pytest.raises(SettingError, match="strip"):
        plain("x", quoted="stripp")
    with pytest.raises(SettingError, match="signatures"):
        plain("x", signatures="only")


lines = st.lists(
    st.sampled_from(
        [
            "> a",
            "own",
            "| b",
            "joe wrote:",
            "-- ",
            "",
            "--",
            "_" * 30,
            "-----Original Message-----",
            "From: x",
        ]
    )
    | st.text(max_size=20),
    max_size=12,
).map("\n".join)


@given(lines)
def test_no_line_is_both_or_new(text: str) -> None:
    own = plain(text, quoted="strip").split("\n")
    assert all(line in text.split("\n") for line in own if line)
    for signatures in ("keep", "strip"):
        for quoted in ("keep", "strip", "only"):
            assert len(plain(text, quoted=quoted, signatures=signatures)) <= len(text)
            assert len(page(text, quoted="strip")) <= len(text)
