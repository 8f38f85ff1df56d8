# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Everything that armnn_py raises, and its warnings.

::

    ArmnnError
    ├── InvalidArgumentError (ValueError)       wrong shape, dtype, value; says what was expected
    │   └── UnknownNameError (KeyError)         .name .valid .near
    ├── BackendError
    │   ├── BackendNotFoundError (LookupError)  .backend .loaded .verdicts
    │   ├── BackendLoadError (OSError)          .path .system_message
    │   ├── BackendVersionError                 .backend_version .runtime_version
    │   └── BackendUnavailableError             .backend
    ├── ModelError
    │   ├── ParseError                          .path .offset .node
    │   └── UnsupportedOperatorError            .operators
    ├── GraphValidationError                    .problems
    │   └── LayerValidationError                .layer
    ├── NoBackendForLayerError                  .layers
    ├── ExecutionError                          .layer .backend .kernel .status
    │   ├── ExecutionCancelledError
    │   └── ExecutionTimeoutError (TimeoutError)
    ├── MemoryImportError, MemoryExportError
    ├── UnimplementedError (NotImplementedError)
    └── InternalError                           a promise of ours is broken

The text of each is a first line that stands alone, details indented by two, and hints last::

    backend 'AcmeNpu' is not loaded
      loaded: CpuAcc, CpuRef
    hint: 'armnn-py backends list' shows every file that was found

The same parts are fields: ``message``, ``details`` and ``hints``.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.backends.verdict import Verdict

__all__ = [
    "ArmnnError",
    "ArmnnWarning",
    "BackendError",
    "BackendLoadError",
    "BackendNotFoundError",
    "BackendSkippedWarning",
    "BackendUnavailableError",
    "BackendVersionError",
    "ExecutionCancelledError",
    "ExecutionError",
    "ExecutionTimeoutError",
    "GraphValidationError",
    "InternalError",
    "InvalidArgumentError",
    "LayerRefusal",
    "LayerValidationError",
    "MemoryExportError",
    "MemoryImportError",
    "ModelError",
    "NoBackendForLayerError",
    "ParseError",
    "UnimplementedError",
    "UnknownNameError",
    "UnsupportedOperator",
    "UnsupportedOperatorError",
    "near_names",
]


def near_names(name: str, valid: Sequence[str], *, limit: int = 3) -> tuple[str, ...]:
    """Return the valid names that look like ``name``, best first."""
    folded = {candidate.casefold(): candidate for candidate in reversed(valid)}
    found = difflib.get_close_matches(name.casefold(), list(folded), n=limit, cutoff=0.6)
    return tuple(folded[key] for key in found)


def _rebuild(cls: type[ArmnnError], args: tuple[Any, ...], state: dict[str, Any]) -> ArmnnError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ArmnnError(Exception):
    """Base of all errors of armnn_py.

    Parameters
    ----------
    message
        First line: names the thing in quotes, lower case after the colon, no full stop.
    details
        Further lines, one fact each; shown indented by two.
    hints
        What to do about it, an action each.
    """

    def __init__(
        self, message: str, *, details: Sequence[str] = (), hints: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.message = message
        self.details = tuple(details)
        self.hints = tuple(hints)

    def __str__(self) -> str:
        lines = [self.message]
        for detail in self.details:
            lines += [f"  {line}" for line in detail.splitlines() or [""]]
        lines += [f"hint: {hint}" for hint in self.hints]
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


# ---- Arguments ----------------------------------------------------------------------------------


class InvalidArgumentError(ArmnnError, ValueError):
    """An argument has the wrong shape, dtype, type or value."""


class UnknownNameError(InvalidArgumentError, KeyError):
    """A name that does not exist, e.g. of an input.

    ``valid`` lists the names that do; if it is given, it is shown, and near names become the hint.
    """

    def __init__(
        self,
        message: str,
        *,
        name: str = "",
        valid: Sequence[str] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.name = name
        self.valid = tuple(valid)
        self.near = near_names(name, self.valid)
        if self.valid and not details:
            details = [f"valid names: {', '.join(self.valid)}"]
        if self.near and not hints:
            hints = ["did you mean " + " or ".join(f"'{near}'" for near in self.near) + "?"]
        super().__init__(message, details=details, hints=hints)


# ---- Backends -----------------------------------------------------------------------------------


class BackendError(ArmnnError):
    """Something is wrong with a backend."""


class BackendNotFoundError(BackendError, LookupError):
    """A backend id was asked for that is not loaded; every file's verdict is attached."""

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        loaded: Sequence[str] = (),
        verdicts: Sequence[Verdict] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        self.loaded = tuple(loaded)
        self.verdicts = tuple(verdicts)
        super().__init__(message, details=details, hints=hints)


class BackendLoadError(BackendError, OSError):
    """A backend file cannot be opened or is no backend; keeps the system's own words."""

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        system_message: str | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.system_message = system_message
        super().__init__(message, details=details, hints=hints)


class BackendVersionError(BackendError):
    """A backend was built for a backend API that this host does not speak."""

    def __init__(
        self,
        message: str,
        *,
        backend_version: tuple[int, int] | None = None,
        runtime_version: tuple[int, int] | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend_version = backend_version
        self.runtime_version = runtime_version
        super().__init__(message, details=details, hints=hints)


class BackendUnavailableError(BackendError):
    """The backend loads, but its device or driver is missing here."""

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        super().__init__(message, details=details, hints=hints)


# ---- Models and graphs --------------------------------------------------------------------------


class ModelError(ArmnnError):
    """A model file cannot be used."""


class ParseError(ModelError):
    """A model file is damaged or inconsistent."""

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        offset: int | None = None,
        node: str | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.path = path
        self.offset = offset
        self.node = node
        super().__init__(message, details=details, hints=hints)


@dataclass(frozen=True, slots=True)
class UnsupportedOperator:
    """One kind of operator that cannot be imported."""

    name: str
    count: int
    reason: str
    nodes: tuple[str, ...] = ()


class UnsupportedOperatorError(ModelError):
    """Operators of a model that cannot be imported, all of them at once."""

    def __init__(
        self,
        message: str,
        *,
        operators: Sequence[UnsupportedOperator] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.operators = tuple(operators)
        if self.operators and not details:
            width = max(len(operator.name) for operator in self.operators)
            details = [
                f"{operator.name:<{width}}   x{operator.count:<3} {operator.reason}"
                + (f" (nodes: {', '.join(operator.nodes)})" if operator.nodes else "")
                for operator in self.operators
            ]
        super().__init__(message, details=details, hints=hints)


class GraphValidationError(ArmnnError):
    """A network breaks the rules of networks; ``problems`` has every breach."""

    def __init__(
        self,
        message: str,
        *,
        problems: Sequence[str] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.problems = tuple(problems)
        super().__init__(message, details=details or self.problems, hints=hints)


class LayerValidationError(GraphValidationError):
    """One layer does not fit its inputs or its descriptor."""

    def __init__(
        self,
        message: str,
        *,
        layer: str = "",
        problems: Sequence[str] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.layer = layer
        super().__init__(message, problems=problems, details=details, hints=hints)


@dataclass(frozen=True, slots=True)
class LayerRefusal:
    """A layer that no listed backend takes, with each backend's reason."""

    layer: str
    type: str
    refusals: tuple[tuple[str, str], ...]


class NoBackendForLayerError(ArmnnError):
    """Layers that no listed backend takes, all of them at once."""

    def __init__(
        self,
        message: str,
        *,
        layers: Sequence[LayerRefusal] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.layers = tuple(layers)
        if self.layers and not details:
            lines = []
            for layer in self.layers:
                lines.append(f"layer '{layer.layer}' ({layer.type})")
                lines += [f"  {backend}: {reason}" for backend, reason in layer.refusals]
            details = lines
        super().__init__(message, details=details, hints=hints)


# ---- Running ------------------------------------------------------------------------------------


class ExecutionError(ArmnnError):
    """A run failed; says which layer on which backend."""

    def __init__(
        self,
        message: str,
        *,
        layer: str | None = None,
        backend: str | None = None,
        kernel: str | None = None,
        status: int | None = None,
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.layer = layer
        self.backend = backend
        self.kernel = kernel
        self.status = status
        super().__init__(message, details=details, hints=hints)


class ExecutionCancelledError(ExecutionError):
    """The run was cancelled between two steps."""


class ExecutionTimeoutError(ExecutionError, TimeoutError):
    """The run did not finish before its deadline."""


class MemoryImportError(ArmnnError):
    """Memory of the caller cannot be used in place."""


class MemoryExportError(ArmnnError):
    """Memory of a network cannot be given to the caller."""


class UnimplementedError(ArmnnError, NotImplementedError):
    """The thing asked for does not exist in this version."""


class InternalError(ArmnnError):
    """A promise of armnn_py itself is broken: worth a report."""


# ---- Warnings -----------------------------------------------------------------------------------


class ArmnnWarning(UserWarning):
    """Base of all warnings of armnn_py."""


class BackendSkippedWarning(ArmnnWarning):
    """Files in a folder that the user named were refused while backends were searched."""
