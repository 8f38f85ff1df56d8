# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Records: the small classes of named fields that parts of this package hand to each other.

``dataclass(frozen=True, slots=True)`` compiles half a dozen methods for each class, and looks at
each field at length. For all classes of this package that was a third of its import time. A record
has at most its constructor compiled, when many have been made, and shares the other methods with
all others. ``dataclasses`` is told of its fields when it asks.
"""

from __future__ import annotations

import dataclasses
import operator
import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable

__all__ = ["Frozen", "compile_constructors", "record", "record_fields", "structure"]

_Class = typing.TypeVar("_Class")


@typing.dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def record(cls: type[_Class]) -> type[_Class]:
    """Make a dataclass with slots, compared and hashed by value.

    It is frozen for the type checker alone, unless it is a `Frozen`. Methods that the class has, or
    a base class, are not replaced.
    """
    return _made_anew(cls, by_value=True)


@typing.dataclass_transform(eq_default=False, field_specifiers=(dataclasses.field,))
def structure(cls: type[_Class]) -> type[_Class]:
    """Make a dataclass with slots whose objects are themselves, whatever their fields hold."""
    return _made_anew(cls, by_value=False)


def _made_anew(cls: type[_Class], *, by_value: bool) -> type[_Class]:
    """Make a class anew with slots instead of its fields: a class that is there gets none.

    All that it has is in its name space from the beginning: to set it afterwards takes longer.
    """
    own, fields = _own_fields(cls), dict[str, dataclasses.Field[Any]]()
    for base in reversed(cls.__mro__[1:]):
        fields |= vars(base).get("_fields", {})
    slots = tuple([name for name in own if name not in fields])
    fields |= own
    left_out = {*own, "__dict__", "__weakref__"}
    space = {name: value for name, value in vars(cls).items() if name not in left_out}
    space |= _OF_DATACLASSES
    space["__slots__"], space["_fields"] = slots, fields
    space["__match_args__"] = tuple([name for name, field in fields.items() if field.init])
    if by_value:
        compared = [name for name, field in fields.items() if field.compare]
        space["_values_of"] = operator.attrgetter(*compared)
        space.setdefault("__hash__", cls.__hash__)  # where it has __eq__, Python would take it out
        for name, method in _BY_VALUE.items():
            if getattr(cls, name) is getattr(object, name):
                space[name] = method
    if cls.__init__ is object.__init__:
        space["__init__"], space["__signature__"] = _init_when_it_pays(lambda: made)
    kind: Any = type(cls)
    made = kind(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__
    return made  # type: ignore[no-any-return]


def record_fields(kind: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a class of records by name, in order."""
    return kind._fields  # type: ignore[no-any-return]


def _own_fields(cls: type) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields that a class adds to those of its bases."""
    fields: dict[str, dataclasses.Field[Any]] = {}
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        if annotation.startswith("ClassVar"):
            continue
        said = vars(cls).get(name, dataclasses.MISSING)
        if not isinstance(said, dataclasses.Field):
            said = dataclasses.field(default=said)
        if type(said.default).__hash__ is None:  # all records would share it
            raise ValueError(f"mutable default of field {name!r}: give a default_factory")
        said.name, said.type = name, annotation
        fields[name] = said
    return fields


class _AsDataclass:
    """An attribute by which ``dataclasses`` knows its classes, made when it is looked at."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object, cls: Any) -> Any:
        space: dict[str, Any] = {"__annotations__": {}}
        for name, field in cls._fields.items():
            space["__annotations__"][name] = field.type
            space[name] = field
        twin: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(
            type(cls.__name__, (), {"__module__": cls.__module__, "__doc__": "A twin.", **space})
        )
        for name in ("__dataclass_fields__", "__dataclass_params__"):
            setattr(cls, name, getattr(twin, name))
        return getattr(cls, self._name)


class Frozen:
    """Base of records that are frozen at run time too, as those are that users get."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        if hasattr(self, name):  # each is set once, by the constructor or by unpickling
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


#: A constructor is compiled when it is called more often: that takes as long as 30 calls without.
_FEW_CALLS = 16


def _init_when_it_pays(the_class: Callable[[], Any]) -> tuple[Any, _SignatureOfInit]:
    """Return the first constructor of a class that is still to be made, and its signature."""
    calls = 0

    def __init__(self: object, *values: object, **named: object) -> None:  # noqa: N807
        nonlocal calls
        calls += 1
        made = the_class()
        if calls > _FEW_CALLS or not _assign(made, self, values, named):
            made.__init__ = constructor()
            made.__init__(self, *values, **named)

    def constructor() -> Any:
        return _constructor(the_class())

    _waiting.append((the_class, __init__, constructor))
    return __init__, _SignatureOfInit(constructor)


def _assign(made: Any, one: Any, values: tuple[object, ...], named: dict[str, object]) -> bool:
    """Do what the compiled constructor does; False if it would refuse the arguments."""
    names = made.__match_args__
    given = dict(zip(names, values, strict=False)) | named
    if len(given) != len(values) + len(named) or not given.keys() <= set(names):
        return False
    # Fields of a frozen record are set past __setattr__, which asks whether they are set.
    assign = object.__setattr__ if issubclass(made, Frozen) else setattr
    for name in names:
        field = record_fields(made)[name]
        if name in given:
            value = given[name]
        elif field.default_factory is not dataclasses.MISSING:
            value = field.default_factory()
        elif field.default is not dataclasses.MISSING:
            value = field.default
        else:
            return False
        assign(one, name, value)
    if hasattr(made, "__post_init__"):
        one.__post_init__()
    return True


class _MadeAnew:
    """What a signature shows of a default that each record has for itself."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE_ANEW = _MadeAnew()


def _constructor(made: Any) -> Any:
    """The constructor of a record, as that of a dataclass; compiled in a quarter of the time."""
    scope: dict[str, Any] = {"_set": object.__setattr__, "_anew": _MADE_ANEW}
    # Fields of a frozen record are set past __setattr__, which asks whether they are set.
    assign = "_set(self, {0!r}, {1})" if issubclass(made, Frozen) else "self.{0} = {1}"
    parameters, body, annotations = ["self"], [], {}
    for field in record_fields(made).values():
        if not field.init:  # __post_init__ sets it
            continue
        name, value = field.name, field.name
        if field.default_factory is not dataclasses.MISSING:
            scope[f"_make_{name}"] = field.default_factory
            value = f"_make_{name}() if {name} is _anew else {name}"
            parameters.append(f"{name}=_anew")
        elif field.default is not dataclasses.MISSING:
            scope[f"_default_{name}"] = field.default
            parameters.append(f"{name}=_default_{name}")
        else:
            parameters.append(name)
        annotations[name] = field.type
        body.append(assign.format(name, value))
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n    ".join(body or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n    {lines}", scope)
    init = scope["__init__"]
    init.__annotations__ = {**annotations, "return": None}
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__module__ = made.__module__
    return init


#: Classes whose constructor may not be compiled yet, with what they have meanwhile.
_waiting: list[tuple[Callable[[], Any], Any, Callable[[], Any]]] = []


def compile_constructors() -> None:
    """Compile the constructors that are left: for a process that forks many others."""
    for the_class, meanwhile, constructor in _waiting:
        made = the_class()
        if made.__init__ is meanwhile:
            made.__init__ = constructor()
    _waiting.clear()


class _SignatureOfInit:
    """What ``help`` shows of a constructor that is not compiled yet."""

    def __init__(self, constructor: Callable[[], Any]) -> None:
        self._constructor = constructor

    def __get__(self, _instance: object, _cls: type) -> inspect.Signature:
        from inspect import signature

        whole = signature(self._constructor())
        return whole.replace(parameters=list(whole.parameters.values())[1:])


def _replace(self: Any, /, **changes: object) -> Any:
    """For ``copy.replace`` of Python 3.13 and later."""
    return dataclasses.replace(self, **changes)


def _state(self: Any) -> Any:
    """What there is by itself; said here, it is taken by the first two pickle protocols as well."""
    return object.__getstate__(self)


def _equals(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    values_of = self._values_of
    return values_of(self) == values_of(other)


def _hash(self: Any) -> int:
    return hash(self._values_of(self))


def _repr(self: Any) -> str:
    fields = record_fields(type(self)).values()
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields if one.repr)
    return f"{type(self).__qualname__}({shown})"


_BY_VALUE: dict[str, Any] = {"__eq__": _equals, "__hash__": _hash, "__repr__": _repr}

_OF_DATACLASSES: dict[str, Any] = {
    "__dataclass_fields__": _AsDataclass("__dataclass_fields__"),
    "__dataclass_params__": _AsDataclass("__dataclass_params__"),
    "__getstate__": _state,
    "__replace__": _replace,
}
