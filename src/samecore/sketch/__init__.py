"""Sketches: documents of any length as a few numbers that keep their similarity.

Every module has a part that holds its settings, `sketch` (texts or features in, one row per
document out) and `estimate` (two rows in, a similarity in [0, 1] out).
"""

from samecore.sketch import imatch, minhash, modp, simhash, supershingles

__all__ = ["imatch", "minhash", "modp", "simhash", "supershingles"]
