"""The kernel that looks at a page before it is parsed, beside its twin."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from twins import html as twin

from samecore import _core

PIECES = st.sampled_from(
    [b"<", b"</", b">", b"<p>", b"<td", b"<TH>", b"<Td>", b"<t", b"<!--", b"text ", "中é".encode(), b"\0", b"<1", b"<Z", b"<["]
)  # fmt: skip


@given(st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(b"".join)))
@example(b"")
@example(b"<")
@example(b"<t")
@example(b"</a>" * 3 + b"<a>" * 2)
def test_a_page_is_measured_as_its_twin_does(page: bytes) -> None:
    assert _core.measure_html(page) == twin.measure_html(page)
