# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The tensors in one buffer, and which bytes of it are still in use."""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from armnn_py.runtime.plan.planned import PlannedTensor

__all__ = ["Neighbours"]


class Neighbours:
    """The tensors of one buffer.

    Tensors that no step needs any more are dropped as they are met: a chain of layers that work in
    place has as many tensors in one buffer as it has layers.

    Parameters
    ----------
    tensors
        All that lie in the buffer, with lifetimes; see `find_groups`.

    Attributes
    ----------
    alignment
        The largest alignment that one of them has.
    """

    __slots__ = ("_by_size", "alignment")

    def __init__(self, tensors: Sequence[PlannedTensor]) -> None:
        #: By bits of the size: begin, id, tensor; in the order of the begins.
        self._by_size: dict[int, list[tuple[int, int, PlannedTensor]]] = {}
        self.alignment = max(tensor.alignment for tensor in tensors)
        for tensor in tensors:
            self._insert(tensor.location[1], tensor)

    def take_in(self, others: Neighbours, offset: int) -> None:
        """Add the tensors of another buffer, which now begins ``offset`` bytes into this one."""
        for entries in others._by_size.values():
            for begin, _, tensor in entries:
                self._insert(offset + begin, tensor)

    def _insert(self, begin: int, tensor: PlannedTensor) -> None:
        insort(self._by_size.setdefault(tensor.size.bit_length(), []), (begin, id(tensor), tensor))

    def are_in_use(self, begin: int, end: int, position: int, *, besides: PlannedTensor) -> bool:
        """Whether a step from ``position`` on needs a tensor that has some of these bytes.

        Call it for positions in order. ``besides`` is not checked.
        """
        for bits, entries in self._by_size.items():
            index = bisect_left(entries, (end,))  # tensors before it begin before the end
            while index:
                index -= 1
                start, _, tensor = entries[index]
                if start + (1 << bits) <= begin:
                    break  # it ends before the begin, and so do all before it
                if tensor is besides:
                    continue
                if tensor.last < position:
                    del entries[index]
                elif begin < start + tensor.size:
                    return True
        return False
