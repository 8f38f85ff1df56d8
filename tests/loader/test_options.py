# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""backend_options: what a backend is given, and which mistakes are the caller's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from armnn_py.errors import InvalidArgumentError, UnknownNameError

from .harness import Load, Workshop, only

DEFAULTS = {"echo": False, "threads": 3, "cache_size": 64, "ratio": 0.5, "device": "first"}


@pytest.fixture
def place(tmp_path: Path, workshop: Workshop) -> Path:
    workshop.put_id(tmp_path, "Npu", "OPTIONS")
    return tmp_path


def test_defaults(load: Load, place: Path) -> None:
    assert load(place)["Npu"].options == DEFAULTS


def test_given_options_are_in_force(load: Load, place: Path) -> None:
    registry = load(place, backend_options={"Npu": {"threads": -2, "device": "zweites"}})
    assert registry["Npu"].options == DEFAULTS | {"threads": -2, "device": "zweites"}


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        ({}, "echo/0=1|0|"),
        ({"threads": -5}, "threads/1=-5|0| echo/0=1|0|"),
        ({"cache_size": 2**40}, f"cache_size/2={2**40}|0| echo/0=1|0|"),
        ({"ratio": 0.25}, "ratio/3=0|0.25| echo/0=1|0|"),
        ({"ratio": 2}, "ratio/3=0|2| echo/0=1|0|"),
        ({"device": "zweites Gerät"}, "device/4=0|0|zweites Gerät echo/0=1|0|"),
        ({"device": ""}, "device/4=0|0| echo/0=1|0|"),
        # os.fsdecode of a path that is not UTF-8: its bytes arrive, one of them not printable.
        ({"device": "a\udcffb"}, "device/4=0|0|a\ufffdb echo/0=1|0|"),
    ],
    ids=["bool", "int", "uint", "float", "float from int", "text", "empty text", "path"],
)
def test_values_as_the_backend_sees_them(
    load: Load, place: Path, values: dict[str, Any], seen: str
) -> None:
    """Option echo makes the test backend tell what it was given, as name/type=integer|real|text."""
    registry = load(place, backend_options={"Npu": values | {"echo": True}})
    assert only(registry).reason == f"create failed with invalid argument: given: {seen}"


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("threads", "4", "int"),
        ("threads", 1.5, "int"),
        ("threads", True, "int"),
        ("threads", 2**63, "int"),
        ("cache_size", -1, "uint"),
        ("cache_size", 2**63, "uint"),
        ("ratio", "fast", "float"),
        ("device", 3, "string"),
        ("echo", 1, "bool"),
    ],
)
def test_wrong_type(load: Load, place: Path, name: str, value: object, kind: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        load(place, backend_options={"Npu": {name: value}})
    ranges = {"int": f" from {-(2**63)} to {2**63 - 1}", "uint": f" from 0 to {2**63 - 1}"}
    wide = ranges[kind] if type(value) is int and kind in ranges else ""
    expected = f"a value of type {kind}{wide} expected"
    assert caught.value.message == (
        f"backend_options['Npu']: option '{name}' is {value!r}, {expected}"
    )
    assert caught.value.details == (f"default: {DEFAULTS[name]!r}",)


@pytest.mark.parametrize(
    ("value", "words"),
    [("a\0b", "it contains a NUL character"), ("a\ud800b", r"'\\ud800' is not a character")],
    ids=["NUL", "surrogate"],
)
def test_non_texts(load: Load, place: Path, value: str, words: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"'Npu'\]: option 'device' is .*: " + words):
        load(place, backend_options={"Npu": {"device": value}})


def test_unknown_option(load: Load, place: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load(place, backend_options={"Npu": {"thread": 2}})
    assert str(caught.value).splitlines() == [
        "backend_options['Npu']: option 'thread' is unknown",
        "  valid names: echo, threads, cache_size, ratio, device",
        "hint: did you mean 'threads'?",
    ]


def test_backend_without_options(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "Plain")
    assert load(tmp_path, backend_options={"Plain": {}})["Plain"].options == {}
    with pytest.raises(UnknownNameError, match="this backend has no options"):
        load(tmp_path, backend_options={"Plain": {"threads": 2}})


def test_options_without_a_backend(load: Load, place: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        load(place, backend_options={"Nqu": {}})
    assert caught.value.message == "backend_options: backend 'Nqu' is not loaded"
    assert caught.value.near == ("Npu",)
    with pytest.raises(UnknownNameError) as caught:
        load("/nowhere", backend_options={"Nqu": {}})
    assert "  /nowhere: refused, place: does not exist" in str(caught.value).splitlines()


@pytest.mark.parametrize(
    "defines",
    [["CREATE_STATUS=2", "OPTIONS"], ["UNDEFINED_DATA"], ["MAJOR=9"]],
    ids=lambda value: value[0],
)
def test_options_for_a_backend_that_did_not_load_are_no_mistake(
    load: Load, tmp_path: Path, workshop: Workshop, defines: list[str]
) -> None:
    """A program that sets options for a device runs on machines without it."""
    workshop.put_id(tmp_path, "Npu", *defines)
    assert list(load(tmp_path, backend_options={"Npu": {"threads": 2}})) == []


@pytest.mark.parametrize("options", [3, "Npu", ["Npu"], {"Npu": 3}, {"Npu": ["threads"]}], ids=repr)
def test_non_mappings(load: Load, place: Path, options: object) -> None:
    with pytest.raises(InvalidArgumentError, match=r"backend_options.* a mapping of .* expected"):
        load(place, backend_options=options)


@pytest.mark.parametrize(
    ("name", "kind", "integer", "reason"),
    [
        ("ratio", "INT", 0, "get_option_defaults names option 'ratio' twice"),
        ("", "INT", 0, "get_option_defaults names an option without a name"),
        ("a=b", "INT", 0, "names an option 'a=b', but users write ID.NAME=VALUE"),
        ("a.b", "INT", 0, "names an option 'a.b', but users write ID.NAME=VALUE"),
        (" a", "INT", 0, "names an option ' a', which cannot be printed"),
        ("size", "UINT", -5, "the default of option 'size' is -5, 0 or more expected for a uint"),
        ("fast", "BOOL", 42, "the default of option 'fast' is 42, 0 or 1 expected for a bool"),
    ],
)
def test_defaults_that_make_no_sense(
    load: Load, tmp_path: Path, workshop: Workshop, name: str, kind: str, integer: int, reason: str
) -> None:
    option = f'{{{{"{name}", {len(name)}}}, ARMNN_OPTION_{kind}, 0, {integer}, 0.0, {{"", 0}}}}'
    workshop.put_id(tmp_path, "Npu", "OPTIONS", f"ONE_MORE_OPTION={option}")
    verdict = only(load(tmp_path))
    assert (verdict.stage, verdict.code) == ("table", "table-options")
    assert reason in verdict.reason
