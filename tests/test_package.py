"""The package as a whole: what it exports, what its stubs say, what its code may import."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import samecore


def test_everything_promised_can_be_imported() -> None:
    assert sorted(samecore.__all__) == sorted(dir(samecore))
    for name in samecore.__all__:
        assert getattr(samecore, name) is not None
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = samecore.nothing_here


def test_stubs_are_those_of_the_built_core() -> None:
    pytest.importorskip("nanobind.stubgen", reason="nanobind makes the stubs")
    path = ROOT / "core" / "tools" / "make_stubs.py"
    spec = importlib.util.spec_from_file_location("make_stubs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    committed = module.STUBS.read_text("utf-8")
    if sys.version_info < (3, 12):
        assert committed == module.stubs(), "run make stubs"
    else:  # later versions of Python spell some types in another way; the functions must still be there
        names = {name for name in dir(samecore._core) if not name.startswith("_")}
        assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", committed)] == []


def test_every_error_is_a_samecore_error() -> None:
    from samecore import errors

    found = [
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert len(found) == 5
    assert all(issubclass(error, errors.SamecoreError) for error in found)
    assert issubclass(errors.SettingError, ValueError)
    assert issubclass(errors.MissingExtra, ImportError)
    missing = errors.MissingExtra("jieba", extra="zh", needed_for="Chinese words")
    assert "pip install 'samecore[zh]'" in str(missing)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs").rglob("*.md")) + sorted(ROOT.glob("*.md")), ids=lambda p: p.name
)
def test_links_in_documents_lead_somewhere(path: Path) -> None:
    import re

    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} -> {target}"
