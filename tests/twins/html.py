"""What the kernel counts in a page, tag by tag."""

from __future__ import annotations


def measure_html(page: bytes) -> tuple[int, int, int, bool]:
    pieces = page.split(b"<")[1:]
    depth = deepest = 0
    for piece in pieces:
        if piece[:1].isalpha():
            depth += 1
        elif piece.startswith(b"/"):
            depth = max(0, depth - 1)
        deepest = max(deepest, depth)
    longest = max((len(piece) + 1 for piece in pieces), default=0)
    return len(pieces), deepest, longest, any(p.startswith((b"td", b"th", b"TD", b"TH")) for p in pieces)
