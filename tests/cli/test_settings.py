"""`--set` and `samecore methods NAME`: the settings of a recipe on the command line."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

import samecore
from samecore.cli import options
from samecore.cli.app import app
from samecore.errors import SettingError

runner = CliRunner()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("width=3", ("width", 3)),
        ("recall=0.95", ("recall", 0.95)),
        ("compressor=lz4", ("compressor", "lz4")),
        ("length=no", ("length", False)),
        ("positions=0,1,-1", ("positions", [0, 1, -1])),
        ("min-size=4", ("min_size", 4)),
        ("marks=,", ("marks", ",")),
        ("marks=,;", ("marks", ",;")),
        ("name=a=b", ("name", "a=b")),
    ],
)
def test_values_are_what_they_look_like(given: str, meant: tuple[str, object]) -> None:
    assert options._setting(given) == meant


def test_settings_reach_the_recipe() -> None:
    made = options.choose_method("signcd", settings=["compressor=lz4", "signature=2"])
    assert made == samecore.method("signcd", compressor="lz4", signature="2")
    with pytest.raises(typer.BadParameter, match="NAME=VALUE"):
        options.choose_method("signcd", settings=["lz4"])
    with pytest.raises(SettingError, match="setting of signcd: expected one of compressor"):
        options.choose_method("signcd", settings=["squeezer=lz4"])


@pytest.mark.parametrize("name", samecore.METHODS)
def test_every_method_is_described_with_its_settings(name: str) -> None:
    shown = runner.invoke(app, ["methods", name]).output
    assert "settings, by --set NAME=VALUE" in shown
    assert " = " in shown
