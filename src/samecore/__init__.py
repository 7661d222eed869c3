"""Find near-duplicate documents: pages, mails and texts that carry the same core in different frames.

    >>> import samecore
    >>> story = "The ferry was late because a whale had been seen in the harbour, and the crew is still waiting."
    >>> result = samecore.find([story, "Ads! " + story + " Subscribe.", "Nothing is like the other two here."])
    >>> result.pairs.to_pylist()[0]["left"], result.pairs.to_pylist()[0]["right"]
    ('0', '1')

`find` groups, `dedupe` keeps one of each group, `compare` explains two texts, `load` reopens a
stored result, `method` makes a recipe that can be taken apart. Names are imported when first
used, so that `import samecore` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from samecore.version import __version__

if TYPE_CHECKING:
    from samecore.errors import InputError, MissingExtra, ResultError, SamecoreError, SettingError
    from samecore.explain import Explanation
    from samecore.index.index import Index
    from samecore.methods import METHODS, Method, method
    from samecore.pipeline import compare, dedupe, find
    from samecore.result import Result, Settings
    from samecore.store import load

_HOMES = {
    "InputError": "errors",
    "MissingExtra": "errors",
    "ResultError": "errors",
    "SamecoreError": "errors",
    "SettingError": "errors",
    "Explanation": "explain",
    "Index": "index.index",
    "METHODS": "methods",
    "Method": "methods",
    "method": "methods",
    "compare": "pipeline",
    "dedupe": "pipeline",
    "find": "pipeline",
    "Result": "result",
    "Settings": "result",
    "load": "store",
}

__all__ = [
    "METHODS",
    "Explanation",
    "Index",
    "InputError",
    "Method",
    "MissingExtra",
    "Result",
    "ResultError",
    "SamecoreError",
    "SettingError",
    "Settings",
    "__version__",
    "compare",
    "dedupe",
    "find",
    "load",
    "method",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'samecore' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"samecore.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
