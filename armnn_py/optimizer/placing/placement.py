# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Rules that say which backend runs which layer, from Python or from a TOML file."""

from __future__ import annotations

import os
import re
import reprlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from armnn_py.backends.registry import nameable_ids
from armnn_py.device_ids import canonical_id, split_optional
from armnn_py.errors import InvalidArgumentError, UnknownNameError
from armnn_py.later import public_class
from armnn_py.types import LayerType
from armnn_py.types.aliases import is_named
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from armnn_py.backends.registry import BackendRegistry
    from armnn_py.optimizer.graph import Node

_TYPES = {kind.label: kind for kind in LayerType if not FACTS[kind].host}
_RULE_KEYS = ("name", "type", "backend", "strict")


@public_class
@dataclass(frozen=True, slots=True)
class PlacementRule:
    """Layers of a name and a type, and the backend that is to run them.

    Parameters
    ----------
    backend
        Id of a loaded backend, or several, best first; they need not be listed in ``backends=``.
        ``"AcmeNpu:1"`` is its second device, ``"AcmeNpu?"`` a backend that may be absent: it is
        skipped, and a rule without any backend left is skipped as a whole.
    name
        Pattern for the layer's name as of `fnmatch.fnmatchcase`: ``*``, ``?``, ``[abc]``; a name
        that equals the pattern matches as well. None: any name.
    type
        Arm NN's name of a layer type, e.g. ``"Convolution2d"``; ``"ElementwiseBinary"`` means
        ``"Addition"`` as well. None: any type.
    strict
        Whether it is an error if the rule cannot be met; None: as the `Placement` says.

    Raises
    ------
    InvalidArgumentError
        An argument is of the wrong type or empty, or neither name nor type is given.
    UnknownNameError
        The layer type is unknown.
    """

    backend: str | Sequence[str]
    name: str | None = None
    type: str | None = None
    strict: bool | None = None
    backends: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _pattern: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given: Any = self.backend
        ids = (given,) if isinstance(given, str) else given
        if (
            not isinstance(ids, Sequence)
            or not ids
            or not all(isinstance(name, str) and name for name in ids)
        ):
            raise _wrong("backend", given, "a backend id or a list of them")
        for what, value in (("name", self.name), ("type", self.type)):
            if value is not None and not (isinstance(value, str) and value):
                raise _wrong(what, value, "text")
        if self.strict is not None and not isinstance(self.strict, bool):
            raise _wrong("strict", self.strict, "true or false")
        if self.name is None and self.type is None:
            raise InvalidArgumentError(
                "a placement rule has neither name nor type",
                hints=["name='*' is a rule for every layer"],
            )
        if self.type is not None and self.type not in _TYPES:
            raise UnknownNameError(
                f"no layer that a backend runs is of type '{self.type}'",
                name=self.type,
                valid=sorted(_TYPES),
            )
        object.__setattr__(self, "backends", tuple(dict.fromkeys(map(canonical_id, ids))))

        import fnmatch

        pattern = re.compile(fnmatch.translate("*" if self.name is None else self.name))
        object.__setattr__(self, "_pattern", pattern)

    def matches(self, name: str, layer_type: LayerType) -> bool:
        """Whether the rule is for layers of this name and type, which is `Layer.shown_type`."""
        if self.type is not None and not is_named(layer_type, _TYPES[self.type]):
            return False
        return name == self.name or self._pattern.match(name) is not None

    @property
    def what(self) -> str:
        """The layers that it matches, in words."""
        parts = [] if self.name is None else [f"name '{self.name}'"]
        parts += [] if self.type is None else [f"type {self.type}"]
        return ", ".join(parts)


@public_class
@dataclass(frozen=True, slots=True)
class Placement:
    """Rules in order: the first one that matches a layer decides.

    For one layer the order is rule, then the layer's own hint, then the list of preferences. Layers
    with different backends asked for are never merged. A layer that passes made from others follows
    their rule or, if they have none, the rule for its own name and type.

    Parameters
    ----------
    rules
        `PlacementRule` objects.
    strict
        True: a rule that cannot be met is an error: its backends refuse the layer, or it matches no
        layer at all. False: the layer falls back on its hint and the preferences, with the reason
        in the assignment.
    source
        Where the rules come from, for messages.
    numbers
        The numbers of the rules in messages; default: 1, 2, and so on.
    isolate
        Ids of backends that must run in workers. `load` makes such a runtime if it is given none;
        another runtime has to isolate them.

    Raises
    ------
    InvalidArgumentError
        The arguments are of other types.
    """

    rules: tuple[PlacementRule, ...] = ()
    strict: bool = False
    source: str | None = None
    numbers: tuple[int, ...] = field(default=(), repr=False, compare=False)
    isolate: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given: object = self.rules
        if not isinstance(given, Iterable) or isinstance(given, (str, bytes, Mapping)):
            raise _wrong("rules", given, "a list of PlacementRule")
        rules = tuple(given)
        for rule in rules:
            if not isinstance(rule, PlacementRule):
                raise _wrong("rules", rule, "PlacementRule")
        if not isinstance(self.strict, bool):
            raise _wrong("strict", self.strict, "true or false")
        object.__setattr__(self, "rules", rules)
        ids: Any = self.isolate
        if not isinstance(ids, (list, tuple)) or not all(isinstance(i, str) and i for i in ids):
            raise _wrong("isolate", ids, "a list of ids")
        object.__setattr__(self, "isolate", tuple(ids))

    @classmethod
    def of(cls, value: PlacementSource) -> Placement:
        """Rules from any of the forms in which they may be given.

        Parameters
        ----------
        value
            A `Placement`; a mapping from name pattern to backend id (or a list of ids); a list of
            `PlacementRule`; or the path of a TOML file.

        Raises
        ------
        InvalidArgumentError
            It has another type, or an error of `PlacementRule` or `from_toml`.
        """
        if isinstance(value, Placement):
            return value
        if isinstance(value, (str, os.PathLike)):
            return cls.from_toml(value)
        if isinstance(value, Mapping):
            return cls(tuple(PlacementRule(backend, name) for name, backend in value.items()))
        if isinstance(value, Iterable):
            return cls(tuple(value))
        raise InvalidArgumentError(
            f"placement: {type(value).__name__} given, rules expected",
            hints=["placement={'conv*': 'CpuRef'}, or the path of a TOML file"],
        )

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Placement:
        """Read rules from a file.

        ::

            strict = true
            isolate = ["AcmeNpu"]

            [[rule]]
            name = "conv*"
            type = "Convolution2d"
            backend = ["AcmeNpu", "CpuAcc"]

        Raises
        ------
        InvalidArgumentError
            The file cannot be read or is not TOML, a value has the wrong type, or a key is missing.
        UnknownNameError
            A key or a layer type does not exist.
        """
        try:
            file = Path(path)
            data = file.read_bytes()
        except OSError as error:
            raise InvalidArgumentError(
                f"placement file '{file}' cannot be read: {(error.strerror or str(error)).lower()}"
            ) from None
        except (TypeError, ValueError) as error:  # NUL, or another character that no file name has
            raise InvalidArgumentError(
                f"placement file {path!r} cannot be read: no file can be called so",
                details=[str(error)],
            ) from None
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise InvalidArgumentError(f"placement file '{file}' is not UTF-8 text") from error
        try:
            import tomllib

            document = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # also for invalid dates and numbers
            raise InvalidArgumentError(
                f"placement file '{file}' is not TOML", details=[str(error)]
            ) from None
        where = f"placement file '{file}'"
        _check_keys(document, ("strict", "isolate", "rule"), where)
        tables = document.get("rule", [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise InvalidArgumentError(f"{where}: rule is not a list of tables", hints=["[[rule]]"])
        strict = document.get("strict", False)
        if not isinstance(strict, bool):
            raise InvalidArgumentError(
                f"{where}: strict is {_short(strict)}, true or false expected"
            )
        ids = document.get("isolate", [])
        if not isinstance(ids, list) or not all(isinstance(one, str) and one for one in ids):
            raise InvalidArgumentError(f"{where}: isolate is {_short(ids)}, a list of ids expected")
        rules = tuple(_rule_of(table, f"{where}, rule {n}") for n, table in enumerate(tables, 1))
        return cls(rules, strict, str(file), isolate=tuple(ids))

    def check_isolated(self, registry: BackendRegistry) -> None:
        """Check that the backends which must run in workers do, as far as they are loaded.

        Raises
        ------
        InvalidArgumentError
            The code of one runs in this process.
        """
        here = [one for one in self.isolate if one in registry and one not in registry.isolated]
        if here:
            raise InvalidArgumentError(
                f"{self.source or 'placement'}: '{here[0]}' must be isolated, and runs in this "
                "process",
                hints=[f"make the runtime by Runtime(isolate={list(self.isolate)!r})"],
            )

    def without(self, lost: Collection[str]) -> Placement:
        """Return the rules without backends that are lost; a rule of these alone is left out."""
        rules = []
        for rule in self.rules:
            left = [
                one for one in rule.backends if canonical_id(split_optional(one)[0]) not in lost
            ]
            if left:
                rules.append(replace(rule, backend=left))
        return replace(self, rules=tuple(rules), numbers=())

    def of_present(self, available: Mapping[str, Any]) -> tuple[Placement, list[str]]:
        """Return the rules without backends that may be absent and are, and the ids of these.

        A rule of absent backends alone is left out; the others keep their numbers.

        Raises
        ------
        UnknownNameError
            Another backend is not loaded, or has no such device.
        """
        rules, numbers, skipped = [], [], []
        for number, rule in enumerate(self.rules, 1):
            present = []
            for entry in rule.backends:
                backend, is_optional = split_optional(entry)
                if backend in available:
                    present.append(canonical_id(backend))
                elif is_optional:
                    skipped.append(backend)
                else:
                    raise UnknownNameError(
                        f"{self._prefix}rule {number} ({rule.what}) asks for backend '{backend}', "
                        "which is not loaded",
                        name=backend,
                        valid=nameable_ids(available),
                    )
            if present:
                rules.append(PlacementRule(present, rule.name, rule.type, rule.strict))
                numbers.append(number)
        found = Placement(tuple(rules), self.strict, self.source, tuple(numbers), self.isolate)
        return found, list(dict.fromkeys(skipped))

    def number_for(self, name: str, layer_type: LayerType) -> int | None:
        """Index of the first rule that matches, or None."""
        for index, rule in enumerate(self.rules):
            if rule.matches(name, layer_type):
                return index
        return None

    def number_for_node(self, node: Node) -> int | None:
        """`number_for`, for a node of the optimiser, which may stand for several layers."""
        found = self.number_for(node.name, node.shown_type)
        if found is not None:
            return found
        for origin in node.origins:
            found = self.number_for(origin.name, origin.type)
            if found is not None:
                return found
        return None

    def is_strict(self, index: int) -> bool:
        """Whether it is an error if this rule cannot be met."""
        own = self.rules[index].strict
        return self.strict if own is None else own

    def describe(self, index: int) -> str:
        """The number and layers of a rule, in words, for reports."""
        number = self.numbers[index] if self.numbers else index + 1
        return f"{self._prefix}rule {number} ({self.rules[index].what})"

    @property
    def _prefix(self) -> str:
        return "" if self.source is None else f"{self.source}: "


PlacementSource: TypeAlias = (
    Placement | Mapping[str, str | Sequence[str]] | Sequence[PlacementRule] | str | os.PathLike[str]
)
"""The types that `Placement.of` takes."""


def _wrong(what: str, value: object, expected: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"placement: {what} is {_short(value)}, {expected} expected")


def _short(value: object) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:  # an integer of more digits than Python writes
        return "a huge number"


def _check_keys(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise UnknownNameError(f"{where}: unknown key '{key}'", name=key, valid=known)


def _rule_of(table: Mapping[str, Any], where: str) -> PlacementRule:
    _check_keys(table, _RULE_KEYS, where)
    if "backend" not in table:
        raise InvalidArgumentError(
            f"{where}: no backend is named", hints=['backend = "CpuRef", or a list of ids']
        )
    try:
        return PlacementRule(
            table["backend"], table.get("name"), table.get("type"), table.get("strict")
        )
    except UnknownNameError as error:
        raise UnknownNameError(
            f"{where}: {error.message}", name=error.name, valid=error.valid
        ) from None
    except InvalidArgumentError as error:
        message = error.message.removeprefix("placement: ")
        raise InvalidArgumentError(
            f"{where}: {message}", details=error.details, hints=error.hints
        ) from None
