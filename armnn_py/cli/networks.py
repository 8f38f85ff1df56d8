# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From MODEL and ``--shape`` to a network; a batch that alone is free becomes 1."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import armnn_py
from armnn_py.cli.render import shortened
from armnn_py.errors import InvalidArgumentError
from armnn_py.network.saved_files import is_saved_network
from armnn_py.network.specialized import specialized
from armnn_py.optimizer.saved.read import read_network as read_saved
from armnn_py.text import printable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from armnn_py import Runtime
    from armnn_py.network import Network
    from armnn_py.optimizer.saved.contents import SavedNetwork, SavedStages
    from armnn_py.tensors import TensorInfo

_MAX_DIMENSION = 2**31 - 1
_OTHER_SIZE = 8


def read_network(
    model: str,
    shapes: Sequence[str],
    arrays: Mapping[str, Sequence[int]] | None = None,
    part: Mapping[str, str] | None = None,
    *,
    runtime: Runtime | None = None,
) -> Network:
    """Import a file, or read a compiled one.

    The shapes of ``--shape`` and of the arrays for its inputs are bound. ``part`` has what
    ``--signature`` and ``--subgraph`` say.

    The backends of a runtime are offered the operators without a layer.

    Raises
    ------
    ModelError
        The file cannot be imported.
    InvalidArgumentError
        A shape is not understood, or does not fit its input.
    """
    wanted: dict[str | None, Sequence[int | None]] = {**parse_shapes(shapes)}
    chosen: dict[str, Any] = dict(part or {})
    saved = read_compiled(model, shapes, chosen)
    if saved is not None:
        return saved.network
    backends = () if runtime is None else tuple(runtime.backends.values())
    if None in wanted:
        whole = armnn_py.import_model(model, backends=backends, **chosen)
        name = only_input(whole.inputs, shapes[-1])
        wanted[name] = wanted.pop(None)
    if any(len(dims) == 1 for dims in wanted.values()):  # a dimension, perhaps
        whole = armnn_py.import_model(model, backends=backends, **chosen)
        wanted = by_input(wanted, whole.inputs)
    bound = {**(arrays or {}), **{name: dims for name, dims in wanted.items() if name}}
    return armnn_py.import_model(model, shapes=bound or None, backends=backends, **chosen)


def read_compiled(
    model: str, shapes: Sequence[str], part: Collection[str] = ()
) -> SavedNetwork | SavedStages | None:
    """Read a file that ``armnn-py save`` wrote; None for any other.

    Raises
    ------
    ParseError
        It is damaged.
    InvalidArgumentError
        A shape or a part of a model is given.
    """
    if not is_saved_network(model):
        return None
    if shapes:
        raise InvalidArgumentError("--shape given with a compiled model, which has its shapes")
    for name in part:
        raise InvalidArgumentError(f"--{name} given with a compiled model, which is one network")
    return read_saved(model)


def parse_shapes(given: Sequence[str]) -> dict[str | None, list[int]]:
    """Read ``NAME=1x3x640x640`` arguments; a shape without a name has the key None.

    Raises
    ------
    InvalidArgumentError
        The text is not a shape.
    """
    shapes: dict[str | None, list[int]] = {}
    for argument in given:
        name, separator, text = argument.rpartition("=")
        if not re.fullmatch(r"[0-9]+([x,][0-9]+)*", text):
            raise InvalidArgumentError(
                f"shape '{shortened(text, 60)}' is not understood",
                hints=["write it as 1x3x640x640"],
            )
        parts = re.split("[x,]", text)
        for part in parts:
            if len(part) > 10 or int(part) > _MAX_DIMENSION:
                of = f"shape of '{shortened(name, 60)}'" if separator else "shape"
                raise InvalidArgumentError(
                    f"{of}: dimension {shortened(part, 20)} given, at most {_MAX_DIMENSION} allowed"
                )
        shapes[name if separator else None] = [int(part) for part in parts]
    return shapes


def by_input(
    wanted: Mapping[str | None, Sequence[int | None]], infos: Mapping[str, TensorInfo]
) -> dict[str | None, Sequence[int | None]]:
    """Return shapes by input; a single number may be that of a free dimension of that name."""
    found = {name: dims for name, dims in wanted.items() if name in infos or len(dims) != 1}
    for name, dims in wanted.items():
        if name in found:
            continue
        places = [
            (key, axis)
            for key, info in infos.items()
            for axis, dimension in enumerate(info.dimension_names)
            if dimension == name and info.shape[axis] is None
        ]
        if not places:
            found[name] = dims  # refused as the name of an input
        for key, axis in places:
            shape = list(found.get(key, infos[key].shape))
            if shape[axis] not in (None, dims[0]):
                raise InvalidArgumentError(
                    f"dimension '{name}' is given as {shape[axis]} and as {dims[0]}"
                )
            shape[axis] = dims[0]
            found[key] = shape
    return found


def parse_bounds(given: Sequence[str]) -> dict[str, int | list[int | None]]:
    """Read ``NAME=128`` for a free dimension, and ``NAME=1x?x128`` for all of an input.

    Raises
    ------
    InvalidArgumentError
        The text is neither.
    """
    bounds: dict[str, int | list[int | None]] = {}
    for argument in given:
        name, _, text = argument.rpartition("=")
        if not name or not re.fullmatch(r"([0-9]{1,10}|\?)([x,]([0-9]{1,10}|\?))*", text):
            raise InvalidArgumentError(
                f"bound '{shortened(argument, 60)}' is not understood",
                hints=["write it as sequence=128, or for an input as tokens=1x128"],
            )
        dims = [None if part == "?" else int(part) for part in re.split("[x,]", text)]
        too_large = [dim for dim in dims if dim is not None and dim > _MAX_DIMENSION]
        if too_large:
            raise InvalidArgumentError(
                f"bound of '{shortened(name, 60)}': {too_large[0]} given, at most "
                f"{_MAX_DIMENSION} allowed"
            )
        bounds[name] = dims[0] if len(dims) == 1 and dims[0] is not None else dims
    return bounds


def only_input(infos: Mapping[str, TensorInfo], what: object) -> str:
    """Return the name of the only input, for ``what``, which was given without a name.

    Raises
    ------
    InvalidArgumentError
        The network has no input, or several.
    """
    if len(infos) != 1:
        raise InvalidArgumentError(
            f"'{what}' names no input, and the network has {len(infos)}",
            details=[f"inputs: {', '.join(infos)}"],
            hints=["write NAME=..."],
        )
    return next(iter(infos))


def shape_hint(infos: Mapping[str, TensorInfo]) -> str:
    """Return how to bind all free dimensions of inputs: by their names, where they have some."""
    options: dict[str, str] = {}  # by the name of a dimension or of an input
    for name, info in infos.items():
        free = [axis for axis, dim in enumerate(info.shape) if dim is None]
        named = {axis: info.dimension_names[axis] for axis in free if info.dimension_names}
        if free and all(named.get(axis) not in (None, *infos) for axis in free):
            for axis in free:
                dimension = str(named[axis])
                options.setdefault(dimension, _option(dimension, [_size(info, axis)]))
        elif free:
            dims = [_size(info, n) if dim is None else dim for n, dim in enumerate(info.shape)]
            options[name] = _option(name, dims)
    return f"give them, as in {' '.join(options.values())}"


def _size(info: TensorInfo, axis: int) -> int:
    """Return a size for a free dimension: the first is a batch, others sides of a picture."""
    if axis == 0:
        return 1
    return 224 if len(info.shape) > 2 else 16


class AssumedShapes(dict[str, list[int]]):
    """Shapes of inputs whose first dimension became 1.

    Attributes
    ----------
    dimension
        The name of that dimension if it is the same for all of them, else None.
    """

    def __init__(
        self, shapes: Mapping[str, list[int]] | None = None, dimension: str | None = None
    ) -> None:
        super().__init__(shapes or {})
        self.dimension = dimension


def with_batch(network: Network) -> tuple[Network, AssumedShapes]:
    """Take a batch of 1 where nothing else is free.

    Returns
    -------
    Network
        With known shapes; the same network where more or nothing is free.
    AssumedShapes
        The shape of each input whose batch became 1.
    """
    free = {name: info for name, info in network.inputs.items() if not info.is_static}
    taken: dict[str, list[int]] = {}
    for name, info in free.items():
        rest = [dim for dim in info.shape[1:] if dim is not None]
        if not rest or len(rest) < len(info.shape) - 1:
            return network, AssumedShapes()
        taken[name] = [1, *rest]
    if not taken:
        return network, AssumedShapes()
    names = {info.dimension_names[0] if info.dimension_names else None for info in free.values()}
    dimension = names.pop() if len(names) == 1 else None
    if dimension in network.inputs:
        dimension = None  # --shape would mean the input
    return specialized(network, taken), AssumedShapes(taken, dimension)


def assumption(taken: AssumedShapes) -> str:
    """Return the sentence on shapes that `with_batch` assumed; empty without any."""
    if not taken:
        return ""
    if taken.dimension is not None:
        other = _option(taken.dimension, [_OTHER_SIZE])
        return f"{printable(taken.dimension)} of 1 assumed; {other} gives another"
    options = " ".join(_option(name, [_OTHER_SIZE, *dims[1:]]) for name, dims in taken.items())
    return f"batch of 1 assumed; {options} gives another"


def _option(name: str, dims: Sequence[int]) -> str:
    return f"--shape {shlex.quote(printable(name) + '=' + 'x'.join(map(str, dims)))}"
