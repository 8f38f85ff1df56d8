# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tree of errors: standard classes behind it, the form of the text, the fields."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
from pathlib import Path
from types import ModuleType

import pytest

from armnn_py import errors, types
from armnn_py.errors import (
    ArmnnError,
    BackendNotFoundError,
    GraphValidationError,
    LayerRefusal,
    LayerValidationError,
    NoBackendForLayerError,
    UnknownNameError,
    UnsupportedOperator,
    UnsupportedOperatorError,
    near_names,
)

CLASSES = [
    member
    for _, member in inspect.getmembers(errors, inspect.isclass)
    if issubclass(member, ArmnnError)
]


@pytest.mark.parametrize(
    ("name", "bases"),
    [
        ("InvalidArgumentError", [ValueError]),
        ("UnknownNameError", [errors.InvalidArgumentError, KeyError]),
        ("BackendNotFoundError", [errors.BackendError, LookupError]),
        ("BackendUnavailableError", [errors.BackendError]),
        ("ParseError", [errors.ModelError]),
        ("ModelFileNotFoundError", [errors.ParseError, FileNotFoundError]),
        ("ModelFormatError", [errors.ModelError, errors.UnimplementedError]),
        ("UnsupportedOperatorError", [errors.ModelError]),
        ("LayerValidationError", [GraphValidationError]),
        ("ExecutionCancelledError", [errors.ExecutionError]),
        ("ExecutionTimeoutError", [errors.ExecutionError, TimeoutError]),
        ("UnimplementedError", [NotImplementedError]),
    ],
)
def test_family(name: str, bases: list[type]) -> None:
    for base in bases:
        assert issubclass(getattr(errors, name), base)


def test_every_name_is_public_and_ends_in_error() -> None:
    for cls in CLASSES:
        assert cls.__name__.endswith("Error")
        assert cls.__name__ in errors.__all__
        assert f"{cls.__name__}" in (errors.__doc__ or "")


def test_every_error_is_raised_somewhere() -> None:
    """`ArmnnError` is there to be caught; what is documented beside it can happen."""
    package = Path(errors.__file__).parents[1]
    used: set[str] = set()
    for path in package.rglob("*.py"):
        if path.parent.name == "errors":
            continue
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        caught = {
            id(name)
            for node in nodes
            if isinstance(node, ast.ExceptHandler) and node.type is not None
            for name in ast.walk(node.type)
        }
        used |= {n.id for n in nodes if isinstance(n, ast.Name) and id(n) not in caught}
    assert {cls.__name__ for cls in CLASSES} - used <= {"ArmnnError"}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_form_of_the_text(cls: type[ArmnnError]) -> None:
    error = cls("input 'x': no", details=["one", "two\nmore"], hints=["do this", "or that"])
    assert str(error) == "input 'x': no\n  one\n  two\n  more\nhint: do this\nhint: or that"
    assert (error.message, error.details) == ("input 'x': no", ("one", "two\nmore"))
    assert error.hints == ("do this", "or that")
    assert str(cls("alone")) == "alone"


def test_names_of_others_cannot_pose_as_lines_or_reach_a_terminal() -> None:
    name = "a\x1b[2J\r\nhint: do it \x9b1m\u202e"
    shown = r"a\x1b[2J\r\nhint: do it \x9b1m\u202e"
    error = ArmnnError(f"layer '{name}': no", details=["one\x0b\x85\ntwo\x00\n"], hints=[name])
    assert str(error).split("\n") == [
        f"layer '{shown}': no",
        r"  one\x0b\x85",
        r"  two\x00",
        f"hint: {shown}",
    ]
    assert error.message == f"layer '{name}': no"
    assert error.hints == (name,)


@pytest.mark.parametrize("module", [errors, types], ids=lambda module: module.__name__)
def test_public_names_are_where_tracebacks_and_pickles_say(module: ModuleType) -> None:
    for name in module.__all__:
        member = getattr(module, name)
        assert member.__module__ in ("armnn_py", module.__name__)
        assert pickle.loads(pickle.dumps(member)) is member


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize(
    "clone", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))], ids=["copy", "pickle"]
)
def test_copies_are_whole(cls: type[ArmnnError], clone: object) -> None:
    error = cls("text", details=["detail"], hints=["hint"])
    error.add_note("seen here")
    other = clone(error)  # type: ignore[operator]
    assert type(other) is cls
    assert str(other) == str(error)
    assert other.__dict__ == error.__dict__
    assert other.args == ("text",)


def test_unknown_name_lists_valid_names_and_near_ones() -> None:
    error = UnknownNameError("input 'imag' is unknown", name="imag", valid=["mask", "image"])
    assert str(error).splitlines() == [
        "input 'imag' is unknown",
        "  valid names: mask, image",
        "hint: did you mean 'image'?",
    ]
    assert (error.name, error.valid, error.near) == ("imag", ("mask", "image"), ("image",))


@pytest.mark.parametrize(
    ("name", "valid", "near"),
    [
        ("cpuref", ["CpuAcc", "CpuRef"], "CpuRef"),
        ("CPU_REF", ["CpuRef", "GpuAcc"], "CpuRef"),
        ("zzz", ["CpuRef"], None),
        ("x", [], None),
        (1, ["CpuRef"], None),
    ],
)
def test_near_names(name: object, valid: list[str], near: str | None) -> None:
    assert next(iter(near_names(name, valid)), None) == near


def test_operators_make_the_details() -> None:
    operators = [
        UnsupportedOperator("NonMaxSuppression", 3, "not supported by this version"),
        UnsupportedOperator("Resize", 1, "mode 'cubic'", ("up_1",)),
    ]
    error = UnsupportedOperatorError("2 kinds of operator cannot be imported", operators=operators)
    assert error.operators == tuple(operators)
    assert error.details == (
        "NonMaxSuppression   x3   not supported by this version",
        "Resize              x1   mode 'cubic' (node: up_1)",
    )


def test_layers_make_the_details() -> None:
    layers = [LayerRefusal("gn1", "Normalization", (("CpuRef", "no kernel"), ("Npu", "busy")))]
    error = NoBackendForLayerError("1 layer has no backend", layers=layers)
    assert error.details == ("layer 'gn1' (Normalization)", "  CpuRef: no kernel", "  Npu: busy")
    assert error.layers == tuple(layers)


def test_layers_that_are_refused_alike_share_an_entry() -> None:
    alike = [LayerRefusal(f"conv{n}", "Convolution2d", (("Npu", "no kernel"),)) for n in range(83)]
    other = LayerRefusal("conv83", "Convolution2d", (("Npu", "stride"),))
    error = NoBackendForLayerError("84 layers have no backend", layers=[*alike, other])
    assert error.details == (
        "83x Convolution2d (first: 'conv0')",
        "  Npu: no kernel",
        "layer 'conv83' (Convolution2d)",
        "  Npu: stride",
    )
    assert error.layers == (*alike, other)


def test_problems_make_the_details() -> None:
    error = GraphValidationError("2 problems", problems=["a", "b"])
    assert (error.problems, error.details) == (("a", "b"), ("a", "b"))
    assert LayerValidationError("bad", layer="conv1").layer == "conv1"


def test_fields_of_backend_errors() -> None:
    missing = BackendNotFoundError("no", backend="Npu", loaded=["CpuRef"])
    assert (missing.backend, missing.loaded, missing.verdicts) == ("Npu", ("CpuRef",), ())


def test_texts_of_others_make_no_message_long() -> None:
    """A name of a million characters, in each place and in many lines."""
    name = "begin" + "x" * 1_000_000 + "end"
    error = errors.ArmnnError(f"a '{name}'", details=[name] * 1000, hints=[name])
    assert "'begin" in error.message
    assert error.message.endswith("end'")
    assert "characters and more" in error.message
    assert error.details[-1].startswith("and 9")
    assert error.details[-1].endswith(" more details")
    assert len(str(error)) < 80_000
    many = errors.ArmnnError("short", details=["\n".join(["y" * 100] * 100_000)])
    assert len(str(many)) < 80_000
    assert pickle.loads(pickle.dumps(error)).details == error.details
    few = errors.ArmnnError("short", details=["one\ntwo", "three"], hints=["four"])
    assert str(few) == "short\n  one\n  two\n  three\nhint: four"
