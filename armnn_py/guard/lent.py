# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arguments of create_workload: constants that are taken away later, a descriptor that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from armnn_py._native.memory.guarded_memory import Region
from armnn_py.guard.outcome import CheckFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from armnn_py._native.layers.layer_structs import LayerStructs
    from armnn_py._native.table.workloads import NativeWorkload

_POISON = 0xA5


class LentConstants:
    """Values that workloads are made from, each in pages of its own."""

    def __init__(self) -> None:
        self._regions: list[Region] = []
        self._free: list[Region] = []

    def again(self) -> LentConstants:
        """Return the same pages, for other values that are lent in the same order."""
        other = LentConstants()
        other._free = [*self._regions]
        return other

    def lend(self, value: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of a value in pages that can be taken away."""
        region = self._free.pop(0) if self._free else Region(value.nbytes, 64, "least", _POISON)
        region.allow(read=True, write=True)
        view = region.view(value.dtype, value.shape)
        view[...] = value
        self._regions.append(region)
        return view

    def take_away(self) -> None:
        """Make the copies unreadable: runs get the values elsewhere."""
        for region in self._regions:
            region.allow(read=False, write=False)


def made_unchanged(structs: LayerStructs, make: Callable[[], NativeWorkload]) -> NativeWorkload:
    """Make a workload, and see whether its descriptor and infos are as they were.

    Raises
    ------
    CheckFailedError
        One of them was written to.
    """
    before = structs.image()
    workload = make()
    changed = [name for name, image in structs.image().items() if image != before[name]]
    if changed:
        workload.destroy()
        raise CheckFailedError(f"create_workload wrote to {changed[0]}")
    return workload
