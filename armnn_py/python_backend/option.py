# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of a backend written in Python, and what it hears of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from armnn_py._native.table.backend_options import OptionValue


@dataclass(frozen=True, slots=True)
class Option:
    """A default with what there is to say of the option; a plain value says nothing.

    Attributes
    ----------
    default
        A bool, int, float or str, which is the option's type.
    help
        One line: what it does.
    unit
        Of a number.
    minimum, maximum
        Of a number; None: that of the type.
    choices
        The only values, of an int or str.
    secret
        Whether the value is shown nowhere.
    changeable
        Whether `PythonBackend.set_option` takes other values while networks are loaded.

    Examples
    --------
    >>> from armnn_py.python_backend import Option, PythonBackend
    >>> class Mine(PythonBackend):
    ...     id = "Mine"
    ...     option_defaults = {"streams": Option(2, help="queues at work", minimum=1, maximum=8)}
    """

    default: OptionValue
    help: str = ""
    unit: str = ""
    minimum: int | float | None = None
    maximum: int | float | None = None
    choices: Sequence[int | str] = ()
    secret: bool = False
    changeable: bool = False

    def check(self, what: str) -> None:
        """Raise if a member is of a type that C does not have; the loader checks the rest.

        Raises
        ------
        InvalidArgumentError
            A member is of a wrong type.
        """
        fits = {
            "help": isinstance(self.help, str),
            "unit": isinstance(self.unit, str),
            "minimum": _is_limit(self.minimum, self.default),
            "maximum": _is_limit(self.maximum, self.default),
            "choices": isinstance(self.choices, (list, tuple)),
        }
        for name, is_right in fits.items():
            if not is_right:
                raise InvalidArgumentError(f"{what}: {name} is {getattr(self, name)!r}")


def _is_limit(value: Any, default: Any) -> bool:
    if value is None:
        return True
    if type(default) is float:
        return type(value) in (int, float)
    return type(value) is int and -(2**63) <= value < 2**63


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a network, as `PythonBackend.before_run` and ``after_run`` see it.

    Attributes
    ----------
    network_id
        Number of the network, as in ``LoadedNetwork.id``.
    run_id
        Number of the run, the same in both.
    options
        Options of this run that the user gave; ``call.run_options`` of its kernels, too.
    status
        In ``after_run`` how it ended: ``"ok"``, ``"cancelled"``, ``"timeout"`` or another.
    """

    network_id: int
    run_id: int
    options: Mapping[str, OptionValue]
    status: str = "ok"
