# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Errors of arguments, backends, models and runs, and the warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

from armnn_py.text import counted, printable, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence


def near_names(name: object, valid: Sequence[str], *, limit: int = 3) -> tuple[str, ...]:
    """Return the valid names that look like ``name``, best first."""
    from difflib import get_close_matches

    folded = {candidate.casefold(): candidate for candidate in reversed(valid)}
    found = get_close_matches(str(name).casefold(), list(folded), n=limit, cutoff=0.6)
    return tuple(folded[key] for key in found)


_MOST_IN_LINE = 2000
_MOST_IN_DETAILS = 64 << 10


def _bounded(details: Sequence[str]) -> tuple[str, ...]:
    """Cut long lines, and leave out those behind the limit of all details."""
    kept: list[str] = []
    size = 0
    for index, detail in enumerate(details):
        lines = [shortened(line, _MOST_IN_LINE) for line in detail.split("\n")]
        text = shortened("\n".join(lines), _MOST_IN_DETAILS)
        size += len(text)
        if size > _MOST_IN_DETAILS and kept:
            return (*kept, f"and {counted(len(details) - index, 'more detail')}")
        kept.append(text)
    return tuple(kept)


def _rebuild(cls: type[ArmnnError], args: tuple[Any, ...], state: dict[str, Any]) -> ArmnnError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class ArmnnError(Exception):
    """Base of all errors of armnn_py.

    Names in it may come from foreign files: the text shows control characters escaped, so that they
    cannot fake lines or reach a terminal. The fields are not escaped. Lines of more than 2,000
    characters lose their middle, and of details in all 64 KiB are kept.

    Parameters
    ----------
    message
        First line: names the thing in quotes, lower case after the colon, no full stop.
    details
        Further lines, one fact each; shown indented by two. A message of the system may have
        several lines.
    hints
        Actions for the user, one each.

    Attributes
    ----------
    vendor_code
        The number that a backend gave with its error, 0 if it gave none.
    """

    vendor_code = 0

    def __init__(
        self, message: str, *, details: Sequence[str] = (), hints: Sequence[str] = ()
    ) -> None:
        message = shortened(message, _MOST_IN_LINE)
        super().__init__(message)
        self.message = message
        self.details = _bounded(details)
        self.hints = tuple(shortened(hint, _MOST_IN_LINE) for hint in hints)

    def __str__(self) -> str:
        lines = [printable(self.message)]
        for detail in self.details:
            lines += [f"  {printable(line)}" for line in detail.removesuffix("\n").split("\n")]
        lines += [f"hint: {printable(hint)}" for hint in self.hints]
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args, self.__dict__)


class InvalidArgumentError(ArmnnError, ValueError):
    """An argument has the wrong shape, dtype, type or value."""


class UnknownNameError(InvalidArgumentError, KeyError):
    """A name that does not exist, e.g. of an input.

    ``valid`` lists the existing names; if given, it is shown, and similar names become the hint.
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


class InputValuesNeededError(InvalidArgumentError):
    """Values of inputs decide shapes, so that there are no layers without them.

    ``names`` has the inputs. A loaded network takes the values from the inputs of each run.
    """

    def __init__(
        self,
        message: str,
        *,
        names: Sequence[str] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.names = tuple(names)
        super().__init__(message, details=details, hints=hints)


class StagesNeededError(InvalidArgumentError):
    """Data that a network computes decide shapes, so that it has no layers before it runs.

    ``stages`` has its parts, see `Network.stages`. A loaded network runs them one after another.
    """

    def __init__(
        self,
        message: str,
        *,
        stages: Sequence[Any] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.stages = tuple(stages)
        super().__init__(message, details=details, hints=hints)

    @property
    def outputs(self) -> dict[str, Any]:
        """The outputs of the stages: a `TensorInfo` by name."""
        return {name: info for stage in self.stages for name, info in stage.outputs.items()}


class UnimplementedError(ArmnnError, NotImplementedError):
    """The requested feature does not exist in this version."""


class InternalError(ArmnnError):
    """A bug in armnn_py: please report it."""


class BackendError(ArmnnError):
    """Something is wrong with a backend."""


class BackendNotFoundError(BackendError, LookupError):
    """A backend id was asked for that is not loaded; every file's `Verdict` is attached."""

    def __init__(
        self,
        message: str,
        *,
        backend: str = "",
        loaded: Sequence[str] = (),
        verdicts: Sequence[Any] = (),
        details: Sequence[str] = (),
        hints: Sequence[str] = (),
    ) -> None:
        self.backend = backend
        self.loaded = tuple(loaded)
        self.verdicts = tuple(verdicts)
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


class ArmnnWarning(UserWarning):
    """Base of all warnings of armnn_py."""


class BackendSkippedWarning(ArmnnWarning):
    """The search for backends refused files in a folder that the user named."""


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
    """The run was cancelled between two steps, or the work of `load` or `optimize` was."""


class ExecutionTimeoutError(ExecutionError, TimeoutError):
    """The run, `load` or `optimize` did not finish before its deadline."""


class ModelError(ArmnnError):
    """A model file cannot be used."""


class ModelFormatError(ModelError, UnimplementedError):
    """A model file is in a known format that this version does not read."""


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


class ModelFileNotFoundError(ParseError, FileNotFoundError):
    """There is no model file at the path."""


class UnsupportedOperator(Struct, frozen=True):
    """One kind of operator that cannot be imported, and its nodes."""

    name: str
    count: int
    reason: str
    nodes: tuple[str, ...] = ()

    @property
    def _where(self) -> str:
        """The first node only: there may be hundreds, with long names."""
        if not self.nodes:
            return ""
        return f" ({'node' if self.count == 1 else 'first node'}: {self.nodes[0]})"


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
            names = [printable(operator.name) for operator in self.operators]
            width = max(map(len, names))
            details = [
                f"{name:<{width}}   x{operator.count:<3} "
                f"{printable(operator.reason + operator._where)}"
                for name, operator in zip(names, self.operators, strict=True)
            ]
        super().__init__(message, details=details, hints=hints)


class GraphValidationError(ArmnnError):
    """A network breaks the rules of networks; ``problems`` lists every breach."""

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


class LayerRefusal(Struct, frozen=True):
    """A layer that no listed backend takes, with each backend's reason."""

    layer: str
    type: str
    refusals: tuple[tuple[str, str], ...]


def _grouped(layers: Sequence[LayerRefusal]) -> list[str]:
    """Return lines in which layers of one type, refused for the same reasons, share an entry."""
    groups: dict[tuple[str, tuple[tuple[str, str], ...]], list[str]] = {}
    for layer in layers:
        groups.setdefault((layer.type, layer.refusals), []).append(layer.layer)
    lines = []
    for (kind, refusals), names in groups.items():
        if len(names) == 1:
            lines.append(f"layer '{names[0]}' ({kind})")
        else:
            lines.append(f"{len(names)}x {kind} (first: '{names[0]}')")
        lines += [f"  {backend}: {reason}" for backend, reason in refusals]
    return lines


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
            details = _grouped(self.layers)
        super().__init__(message, details=details, hints=hints)
