# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Records behave as the dataclasses that they stand for."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import ClassVar

import pytest

from armnn_py.descriptors import Convolution2dDescriptor, ReshapeDescriptor
from armnn_py.records import Frozen, record, structure


@record
class Point:
    """A place, and what is there."""

    x: int
    y: int = 0
    names: list[str] = dataclasses.field(default_factory=list)


@record
class Other:
    """Fields like those of a point."""

    x: int
    y: int = 0


@record
class Fixed(Frozen):
    """One field."""

    x: int


@record
class Own:
    """Has methods of its own."""

    x: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@record
class Named(Other):
    """A field more than its base has, and another default."""

    name: str = ""
    y: int = 9
    kinds: ClassVar[tuple[str, ...]] = ()


@structure
class Box:
    """Fields of one object that stays itself."""

    side: int
    content: list[int] = dataclasses.field(default_factory=list)


def test_values_count() -> None:
    assert Point(1) == Point(1, 0, []) != Point(1, 2)
    assert Point(1, 0, []) != Other(1)
    assert Other(1) != (1, 0)
    assert {Other(1), Other(1, 0), Other(2)} == {Other(2), Other(1)}
    assert Fixed(3) == Fixed(3) != Fixed(4)
    assert repr(Point(1, names=["a"])) == "Point(x=1, y=0, names=['a'])"
    assert Point(1).names is not Point(1).names


def test_there_is_room_for_the_fields_only() -> None:
    assert not hasattr(Point(1), "__dict__")
    assert dataclasses.asdict(Point(1, 2)) == {"x": 1, "y": 2, "names": []}
    assert dataclasses.replace(Point(1, 2), y=3) == Point(1, 3)


def test_fields_of_a_base_come_first() -> None:
    assert [(field.name, field.default) for field in dataclasses.fields(Named)] == [
        ("x", dataclasses.MISSING), ("y", 9), ("name", ""),
    ]  # fmt: skip
    assert Named.__match_args__ == ("x", "y", "name")
    assert Named.__slots__ == ("name",)


def test_a_dataclass_may_derive_from_a_record() -> None:
    @dataclasses.dataclass
    class Derived(Other):
        z: int = 5

    assert dataclasses.astuple(Derived(1, 2)) == (1, 2, 5)


def test_structures_are_themselves() -> None:
    one, other = Box(1), Box(1)
    assert one != other
    assert len({one, other}) == 2
    one.content.append(3)
    one.side = 2
    assert (one.side, one.content, other.content) == (2, [3], [])
    assert not hasattr(one, "__dict__")
    assert dataclasses.asdict(one) == {"side": 2, "content": [3]}


def test_no_default_is_shared() -> None:
    with pytest.raises(ValueError, match="mutable default of field 'content'"):

        @structure
        class Shared:
            content: list[int] = []  # noqa: RUF012


def test_replaced_as_dataclasses_are() -> None:
    """``copy.replace`` calls the method."""
    one = Convolution2dDescriptor(stride_x=2)
    assert one.__replace__(stride_y=3) == Convolution2dDescriptor(stride_x=2, stride_y=3)
    assert Box(1, [2]).__replace__(side=3).content == [2]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1).__replace__(z=1)


def test_frozen() -> None:
    fixed = Fixed(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        fixed.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del fixed.x
    assert fixed.x == 1
    pickled = [pickle.dumps(fixed, protocol) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    for again in (copy.copy(fixed), copy.deepcopy(fixed), *map(pickle.loads, pickled)):
        assert again == fixed
        assert again is not fixed


def test_own_methods_stay() -> None:
    assert (Own(1) == Own(2), hash(Own(1)), repr(Own(1))) == (True, 7, "own")


def test_the_constructor_of_descriptors() -> None:
    assert Convolution2dDescriptor(1, 2, stride_x=3) == Convolution2dDescriptor(
        pad_left=1, pad_right=2, stride_x=3
    )
    assert list(inspect.signature(Convolution2dDescriptor).parameters)[:2] == [
        "pad_left",
        "pad_right",
    ]
    assert str(inspect.signature(ReshapeDescriptor)) == "(target_shape=())"
    for wrong, text in (
        (lambda: ReshapeDescriptor((1,), (2,)), "takes 1 values, 2 given"),
        (lambda: ReshapeDescriptor((1,), target_shape=(1,)), "got field 'target_shape' twice"),
        (lambda: ReshapeDescriptor(shape=(1,)), "has no field 'shape'"),
    ):
        with pytest.raises(TypeError, match=f"ReshapeDescriptor {text}"):
            wrong()


@pytest.mark.parametrize("made_before", [0, 100])
def test_the_constructor_is_the_same_before_and_after_it_is_compiled(made_before: int) -> None:
    @record
    class Often(Frozen):
        x: int
        y: int = 2
        names: list[str] = dataclasses.field(default_factory=list)
        total: int = dataclasses.field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "total", self.x + self.y)

    for index in range(made_before):
        assert Often(index).x == index
    assert dataclasses.astuple(Often(1)) == (1, 2, [], 3)
    assert dataclasses.astuple(Often(1, names=["a"], y=4)) == (1, 4, ["a"], 5)
    assert Often(1).names is not Often(1).names
    for values, named, why in [
        ((), {}, "missing 1 required positional argument: 'x'"),
        ((1,), {"x": 1}, "multiple values for argument 'x'"),
        ((1,), {"z": 1}, "unexpected keyword argument 'z'"),
        ((1,), {"total": 1}, "unexpected keyword argument 'total'"),
        ((1, 2, [], 4), {}, "takes from 2 to 4 positional arguments but 5 were given"),
    ]:
        with pytest.raises(TypeError, match=why):
            Often(*values, **named)  # type: ignore[arg-type]
