# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The layers of one compiled layer as a network of their own, made or read from a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from armnn_py.network import NetworkStorage


class Border(Struct, frozen=True):
    """How the tensors of a compiled layer and those of its source belong together.

    Attributes
    ----------
    inputs
        For each input of the layer the index of the source's input; -1: a constant, or absent.
    outputs
        For each output of the source the index of the layer's.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class SourceNetwork(Struct, frozen=True):
    """The source of one compiled layer as a network of its own.

    Attributes
    ----------
    network
        Its inputs and outputs are those of the sub-graph, in order.
    guids
        For each layer of the network its number for backends; 0 for the host's layers.
    border
        Its tensors in terms of the compiled layer.
    """

    network: NetworkStorage
    guids: tuple[int, ...]
    border: Border


class SavedSource:
    """The layers of a compiled layer in a file, read and checked when somebody asks for them.

    Where its backend takes the bytes beside them, nobody does.
    """

    __slots__ = ("_made", "_read")

    def __init__(self, read: Callable[[], SourceNetwork]) -> None:
        self._read = read
        self._made: SourceNetwork | None = None

    def as_network(self, _name: str = "") -> SourceNetwork:
        """The layers as a network, with the name that they were saved with.

        Raises
        ------
        ParseError
            The file is damaged here.
        """
        if self._made is None:
            self._made = self._read()
        return self._made
