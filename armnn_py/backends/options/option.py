# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The public description of an option of a backend."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

from armnn_py._native.table.backend_options import visible
from armnn_py.later import public_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armnn_py._native.table.backend_options import OptionDefault, OptionValue

OptionScope = Literal["backend", "model", "run"]


@public_class
@dataclass(frozen=True, slots=True)
class BackendOption:
    """An option that a backend understands; made by `Backend.describe_options`.

    Attributes
    ----------
    scope
        ``"backend"``: of ``Runtime(backend_options=...)``; ``"model"``: of ``model_options=``;
        ``"run"``: of ``LoadedNetwork.run(options=...)``.
    name
        Its name, unique in the scope.
    type
        ``"bool"``, ``"int"``, ``"uint"``, ``"float"`` or ``"string"``.
    default
        The value without one from the user.
    value
        Scope ``"backend"``: the value in force; None otherwise.
    help
        One line that says what it does; may be empty.
    unit
        Unit of a number; may be empty.
    minimum, maximum
        The least and the greatest value; None: any of the type.
    choices
        The only values; empty: any.
    secret
        Whether values are never shown: then ``default`` and ``value`` read ``"(secret)"``.
    changeable
        Whether `Backend.set_option` takes it.
    """

    scope: OptionScope
    name: str
    type: str
    default: OptionValue
    value: OptionValue | None
    help: str
    unit: str
    minimum: int | float | None
    maximum: int | float | None
    choices: tuple[int | str, ...]
    secret: bool
    changeable: bool

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON takes it."""
        names = [field.name for field in fields(self)]
        return {name: getattr(self, name) for name in names} | {"choices": list(self.choices)}

    @property
    def allowed(self) -> str:
        """The values that it takes, in words; empty if it takes any of its type."""
        if self.choices:
            return ", ".join(map(str, self.choices))
        limits = "" if self.minimum is None else f"{self.minimum} to {self.maximum}"
        return f"{limits} {self.unit}".strip()


def option_records(
    scope: OptionScope,
    defaults: Mapping[str, OptionDefault],
    values: Mapping[str, OptionValue] | None = None,
) -> list[BackendOption]:
    """Return the records of one scope; ``values`` are those in force, secret ones hidden."""
    shown = visible({name: one.value for name, one in defaults.items()}, defaults)
    return [
        BackendOption(
            scope,
            name,
            default.type_name,
            shown[name],
            None if values is None else values[name],
            default.description.help,
            default.description.unit,
            default.description.minimum,
            default.description.maximum,
            default.description.choices,
            default.description.secret,
            default.description.changeable,
        )
        for name, default in defaults.items()
    ]
