"""Recipes in files: what training and tuning write, and `--method news.model` reads.

A model file is JSON: a header that people can read (what it was trained on, how good it is, its weights), the recipe
as plain data, tables as base64, and a SHA-256 over all of it. It names the version of its format; nothing in it is
ever executed.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from samecore.errors import InputError, SamecoreError, unknown_name
from samecore.features.learned import LearnedVectors
from samecore.match.parts import Cosine
from samecore.match.sketched import SimHashBits
from samecore.match.weighted import BucketedMinHash, WeightedLsh
from samecore.methods.recipe import Method
from samecore.read.atomic import atomic_path

FORMAT, VERSION = "samecore-model", 1
SUFFIX = ".model"
#: A larger file is not a model.
MAX_BYTES = 1 << 28

#: How a trained model can be run, see `Model.variant`.
VARIANTS = ("raw", "lsh-cos", "lsh-jacc", "lsh-jacc-2010")


@dataclass(frozen=True)
class Model:
    """A recipe with what is known about it. `about` is plain data: settings, labels, metrics and versions.

    `thresholds` are those of the variants, as chosen on the labels.
    """

    method: Method
    thresholds: dict[str, float] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)

    def variant(
        self, name: str = "raw", *, bits: int = 384, slots: int = 128, active: int | None = None
    ) -> Method:
        """The recipe with another matcher on the same vectors.

        raw: every pair at or above the threshold, exactly.
        lsh-cos: `bits` random hyperplanes and a Hamming search; the score is 1 - differing bits / bits.
        lsh-jacc: min-hash of the weights brings pairs together, which are verified on the vectors.
        lsh-jacc-2010: the paper's bucketed min-hash; the score is the share of `slots` that agree.
        active: only so many of the heaviest k-grams of each document count.
        """
        if name not in VARIANTS:
            raise unknown_name("variant", name, VARIANTS)
        method = self.method
        if active is not None:
            if not isinstance(method.features, LearnedVectors):
                raise InputError(f"{method.name} has no weighted k-grams of which some could be left out")
            method = replace(method, features=replace(method.features, active=active))
        if name == "raw":
            return method
        if not isinstance(method.match, Cosine):
            raise InputError(f"{method.name} goes by {method.match.name}; only vectors have signatures")
        threshold = self.thresholds.get(name)
        if name == "lsh-cos":
            angle = math.acos(min(1.0, _as_cosine(method.threshold, method.match.similarity)))
            default = math.floor(1000 * (1 - angle / math.pi)) / 1000
            match: Any = SimHashBits(bits=bits, weighting="tf")
        elif name == "lsh-jacc":
            default = method.threshold
            match = WeightedLsh(similarity=method.match.similarity, slots=slots)
            if "candidates" in self.thresholds:
                match = replace(match, candidates=self.thresholds["candidates"])
        else:
            default = method.threshold
            match = BucketedMinHash(slots=slots)
        return replace(
            method,
            name=f"{method.name}-{name}",
            match=match,
            threshold=default if threshold is None else threshold,
        )


def _as_cosine(threshold: float, similarity: str) -> float:
    """The cosine of two vectors of the same length with this similarity."""
    return threshold if similarity == "cosine" else 2 * threshold / (1 + threshold)


def save_model(model: Model, path: str | Path) -> None:
    """Write a model; the same model gives the same bytes."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(model_bytes(model))


def model_bytes(model: Model) -> bytes:
    """The file of a model."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "about": model.about,
        "thresholds": model.thresholds,
        "method": model.method.to_dict(),
    }
    content["sha256"] = _digest(content)
    return orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def load_model(path: str | Path) -> Model:
    """The model in a file. InputError if it is not one, is of another version, cut short or changed by hand."""
    path = Path(path)
    where = str(path)
    if not path.is_file():
        raise InputError("expected a model file written by samecore train or tune, found none", where=where)
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"is too large for a model: more than {MAX_BYTES >> 20} MiB", where=where)
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        hint = "it is cut short or not a model; copy it again or train anew"
        raise InputError(f"cannot be read as a model ({error}); {hint}", where=where) from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError("is not a model written by samecore train or tune", where=where)
    if content.get("version") != VERSION:
        raise InputError(
            f"is a model of version {content.get('version')!r}, this samecore reads version {VERSION}; "
            "use the samecore that wrote it, or train anew",
            where=where,
        )
    digest = content.pop("sha256", None)
    if digest != _digest(content):
        raise InputError(
            "does not match its checksum: it was changed by hand or damaged; train anew, or change the recipe in "
            "Python and save it again",
            where=where,
        )
    try:
        method = Method.from_dict(content["method"])
        return Model(method, dict(content["thresholds"]), dict(content["about"]))
    except (SamecoreError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"holds a recipe this samecore cannot use: {error}", where=where) from None


def is_model_name(name: str) -> bool:
    """Whether a name given as a method means a model file."""
    return name.endswith(SUFFIX) or f"{SUFFIX}:" in name


def named_model(name: str) -> Method:
    """The recipe of `news.model`, or of a variant of it: `news.model:lsh-cos`, `news.model:lsh-cos:512`."""
    path, _, rest = name.partition(SUFFIX + ":")
    if not rest:
        return load_model(name).variant()
    variant, _, size = rest.partition(":")
    model = load_model(path + SUFFIX)
    if not size:
        return model.variant(variant)
    if not size.isdigit():
        raise InputError(f"expected a number of bits or slots after {variant}:, found {size!r}", where=name)
    return model.variant(variant, bits=int(size), slots=int(size))


def _digest(content: dict[str, Any]) -> str:
    plain = {name: value for name, value in content.items() if name != "sha256"}
    return hashlib.sha256(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)).hexdigest()
