"""Every named system as a recipe: one part per stage, a few lines each.

    >>> import samecore
    >>> samecore.method("spotsigs-2007").threshold
    0.2

A recipe can be taken apart and put together again with `dataclasses.replace`:

    >>> from dataclasses import replace
    >>> mine = replace(samecore.method("spotsigs"), threshold=0.3, weights=())
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from samecore.errors import SettingError, unknown_name
from samecore.methods import compression, edits, sets, sketches, spots, vectors
from samecore.methods.recipe import Method
from samecore.methods.spots import FRAMED_THRESHOLD
from samecore.methods.stored import is_model_name, named_model

__all__ = ["FRAMED_THRESHOLD", "METHODS", "Method", "method"]

#: Name -> function that makes the recipe. The one table behind `method` and `--method`.
METHODS: dict[str, Callable[..., Method]] = {
    "spotsigs": spots.spotsigs,
    "spotsigs-2008": spots.spotsigs_2008,
    "spotsigs-2007": spots.spotsigs_2007,
    "spotsigs-code": spots.spotsigs_code,
    "shingles": sets.shingles,
    "containment": sets.containment,
    "tfidf-cosine": vectors.tfidf_cosine,
    "binary-cosine": vectors.binary_cosine,
    "kgram-jaccard": vectors.kgram_jaccard,
    "minhash": sketches.minhash,
    "minhash-estimate": sketches.minhash_estimate,
    "shingles-modp": sets.shingles_modp,
    "supershingles": sketches.supershingles,
    "supershingles-sorted": sketches.supershingles_sorted,
    "lsh-s": spots.lsh_s,
    "simhash": sketches.simhash,
    "simhash-tables": sketches.simhash_tables,
    "henzinger": sketches.henzinger,
    "henzinger-2006": sketches.henzinger_2006,
    "imatch": sketches.imatch,
    "imatch-s": spots.imatch_s,
    "edit": edits.edit,
    "ncd": compression.ncd,
    "signcd": compression.signcd,
    "signcd-2016": compression.signcd_2016,
    "signcd-candidates": compression.signcd_candidates,
    "spotsigncd": compression.spotsigncd,
    "sentence-blocks": compression.sentence_blocks,
    "exact": sets.exact,
}


def method(name: str, **settings: Any) -> Method:
    """The recipe of that name; `settings` are the keyword arguments of its function.

    A name such as `news.model` is a file written by training or tuning; it takes no settings.
    """
    if is_model_name(name):
        if settings:
            expected = "none of these: a model has its own; change the recipe in Python, or train another"
            raise SettingError(f"method {name}", found=settings, expected=expected)
        return named_model(name)
    if name not in METHODS:
        raise unknown_name("method", name, METHODS)
    known = signature(METHODS[name]).parameters
    for setting in settings:
        if setting not in known:
            raise unknown_name(f"setting of {name}", setting, known)
    try:
        return METHODS[name](**settings)
    except TypeError as error:
        raise SettingError(f"method {name}", found=settings, expected=str(error)) from None
