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

__all__ = ["Frozen", "RecordType", "compile_constructors", "record", "record_fields", "structure"]

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


@typing.dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
class RecordType(type):
    """The class of classes whose subclasses are records by value without saying so.

    Where there are many, as of descriptors: each is made once, a decorated one twice.
    """

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> Any:
        """Make a class; the first, of which the others are subclasses, is none of records."""
        if not any(isinstance(base, mcs) for base in bases):
            return super().__new__(mcs, name, bases, space)
        return _class_of(mcs, name, bases, space, by_value=True)


def _made_anew(cls: type[_Class], *, by_value: bool) -> type[_Class]:
    """Make a class anew with slots instead of its fields: a class that is there gets none."""
    if "_stated" in vars(cls):  # by its RecordType
        return cls
    left_out = ("__dict__", "__weakref__")
    space = {name: value for name, value in vars(cls).items() if name not in left_out}
    made = _class_of(type(cls), cls.__name__, cls.__bases__, space, by_value=by_value)
    made.__qualname__ = cls.__qualname__
    return made  # type: ignore[no-any-return]


def _class_of(
    kind: Any, name: str, bases: tuple[type, ...], space: dict[str, Any], *, by_value: bool
) -> Any:
    """Make the class of records that a class statement describes by its name space.

    All that it has is there from the beginning: to set it afterwards takes longer.
    """
    own = _own_fields(space)
    stated: dict[str, tuple[str, Any]] = {}
    for base in reversed(bases):
        stated |= getattr(base, "_stated", {})
    space["__slots__"] = tuple([field for field in own if field not in stated])
    stated |= own
    space["_stated"], space["_fields"] = stated, _FIELDS
    space |= _OF_DATACLASSES
    names, special = list(stated), dataclasses.Field
    space["__match_args__"] = tuple(
        [one for one in names if type(said := stated[one][1]) is not special or said.init]
    )
    if by_value:
        compared = [
            one for one in names if type(said := stated[one][1]) is not special or said.compare
        ]
        space["_values_of"] = operator.attrgetter(*compared)
        if "__eq__" in space:  # Python would take __hash__ out
            space.setdefault("__hash__", None)
        for method, value in _BY_VALUE.items():
            if _is_of_object(method, bases, space):
                space[method] = value
        space.setdefault("__hash__", bases[0].__hash__)
    if _is_of_object("__init__", bases, space):
        space["__init__"], space["__signature__"] = _init_when_it_pays(lambda: made)
    made = (
        type.__new__(kind, name, bases, space) if kind is RecordType else kind(name, bases, space)
    )
    return made


def _is_of_object(method: str, bases: tuple[type, ...], space: dict[str, Any]) -> bool:
    """Whether neither a class nor its bases have a method of their own."""
    plain = getattr(object, method)
    return method not in space and all(getattr(base, method) is plain for base in bases)


def record_fields(kind: Any) -> dict[str, dataclasses.Field[Any]]:
    """Return the fields of a class of records by name, in order."""
    return kind._fields  # type: ignore[no-any-return]


def _own_fields(space: dict[str, Any]) -> dict[str, tuple[str, Any]]:
    """Take the fields out of a name space: annotation and what is said of it, by name."""
    fields: dict[str, tuple[str, Any]] = {}
    for name, annotation in space.get("__annotations__", {}).items():
        if annotation.startswith("ClassVar"):
            continue
        said = space.pop(name, dataclasses.MISSING)
        default = said.default if type(said) is dataclasses.Field else said
        if type(default).__hash__ is None:  # all records would share it
            raise ValueError(f"mutable default of field {name!r}: give a default_factory")
        fields[name] = annotation, said
    return fields


class _Fields:
    """The fields as ``dataclasses`` has them, made when they are first looked at."""

    def __get__(self, _instance: object, cls: Any) -> dict[str, dataclasses.Field[Any]]:
        fields: dict[str, dataclasses.Field[Any]] = {}
        for name, (annotation, said) in cls._stated.items():
            field = said if type(said) is dataclasses.Field else dataclasses.field(default=said)
            field.name, field.type = name, annotation
            fields[name] = field
        owner = next(one for one in cls.__mro__ if "_fields" in vars(one))
        owner._fields = fields
        return fields


_FIELDS = _Fields()


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
    stated = made._stated  # fields as dataclasses has them would be made for this alone
    for name in names:
        said = stated[name][1]
        if name in given:
            value = given[name]
        elif type(said) is not dataclasses.Field:
            value = said
        elif said.default_factory is not dataclasses.MISSING:
            value = said.default_factory()
        else:
            value = said.default
        if value is dataclasses.MISSING:
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
