# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The conversion that an importer makes at load, with sizes in place of the free dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from armnn_py.network.network import Network
    from armnn_py.network.storage import NetworkStorage
    from armnn_py.symbolic import SizeTrace
    from armnn_py.tensors import TensorInfo

Places: TypeAlias = "Mapping[tuple[str, int], int]"
"""Sizes by input and axis."""

#: Sizes of the first free dimension of an input, of the second, and so on, in turn. What is refused
#: at all of them does not depend on sizes; a size of 1 often makes a layer disappear.
_PATTERNS: tuple[tuple[int, ...], ...] = (
    (1, 64), (2, 2), (1, 256), (1, 1), (3, 32), (64, 1), (1, 1, 64), (1, 64, 1), (8, 5, 7),
    (4, 1000),
)  # fmt: skip


class Trial(Struct, eq=False):
    """A network for stand-in sizes. It shows at load what no sizes can make run.

    Attributes
    ----------
    network
        The network; None if it runs in stages.
    trace
        The trace of its sizes, where these are symbolic: the first run goes on with it.
    shapes
        Shapes of the inputs for further trials.
    """

    network: Network | None
    trace: SizeTrace | None = None
    shapes: Sequence[Mapping[str, tuple[int, ...]]] = ()


def stand_in_shapes(
    infos: Mapping[str, TensorInfo], told: Places | None = None, *, keeps_axes: bool = False
) -> Iterator[dict[str, tuple[int, ...]]]:
    """Give shapes of the inputs with sizes in place of the free dimensions, the likeliest first.

    Parameters
    ----------
    infos
        The inputs. Dimensions of one name get one size.
    told
        Sizes that are known from elsewhere.
    keeps_axes
        Whether sizes above 1 come first: an axis of one element may vanish.
    """
    told = told or {}
    for pattern in sorted(_PATTERNS, key=lambda one: keeps_axes and 1 in one):
        named: dict[str, int] = {}
        # The batch of a matrix or a picture decides before the length of a list of that name.
        for name, info in sorted(infos.items(), key=lambda item: item[1].rank < 2):
            for axis, label in enumerate(info.dimension_names or ()):
                if label is not None and info.shape[axis] is None:
                    size = told.get((name, axis), _size(pattern, axis, info.rank))
                    named.setdefault(label, size)
        yield {
            name: tuple(
                dim
                if dim is not None
                else told.get((name, axis))
                or named.get(_label(info, axis), 0)
                or _size(pattern, axis, info.rank)
                for axis, dim in enumerate(info.shape)
            )
            for name, info in infos.items()
        }


def _label(info: TensorInfo, axis: int) -> str:
    return (info.dimension_names[axis] or "") if info.dimension_names else ""


def _size(pattern: tuple[int, ...], axis: int, rank: int) -> int:
    if axis == 0:
        return pattern[0] if rank > 1 else pattern[1]
    return pattern[1 + (axis - 1) % (len(pattern) - 1)]


def kept_trial(network: NetworkStorage) -> Trial | None:
    """Return the trial that the builder of a network keeps."""
    found = getattr(_builder(network), "trial", None)
    return found if isinstance(found, Trial) else None


def take_trial(network: NetworkStorage) -> Trial | None:
    """Return the trial that the builder of a network keeps; of several threads one gets it."""
    found = getattr(_builder(network), "__dict__", {}).pop("trial", None)
    return found if isinstance(found, Trial) else None


def written_out(network: NetworkStorage) -> NetworkStorage | None:
    """Return a network with the turns of its loops as layers; None if they are that already."""
    builder: Any = _builder(network)
    if not hasattr(builder, "written_out"):
        return None
    made: NetworkStorage | None = builder.written_out(network.inputs)
    return made


def _builder(network: NetworkStorage) -> object:
    return None if network._dynamic is None else network._dynamic.builder
