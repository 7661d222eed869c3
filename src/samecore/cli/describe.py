"""A method for people: what it does, and the settings of `--set` with their defaults."""

from __future__ import annotations

import inspect

from samecore.methods import METHODS


def described(name: str) -> str:
    """The docstring of a recipe's function and a line per setting."""
    make = METHODS[name]
    lines = [name, "", *(inspect.getdoc(make) or "").splitlines(), "", "settings, by --set NAME=VALUE:"]
    for setting in inspect.signature(make).parameters.values():
        shown = repr(setting.default)
        lines.append(f"  {setting.name} = {shown if len(shown) <= 90 else shown[:87] + '...'}")
    return "\n".join(lines)
