# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""A network in which every layer has its backend, as the steps of `optimize` hand it over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from armnn_py._native.table.blob import NativeBlob
    from armnn_py.backends import ModelOptions
    from armnn_py.network import NetworkStorage
    from armnn_py.optimizer.reports.report import Assignment
    from armnn_py.optimizer.run_passes import PassRecord
    from armnn_py.optimizer.subgraphs.compiled_source import CompiledSource
    from armnn_py.optimizer.subgraphs.source_network import SavedSource


class PlacedNetwork(Struct, frozen=True):
    """A network whose shapes are known, with the backends of its layers.

    Attributes
    ----------
    network
        The network that is run: simplified, with compiled sub-graphs and inserted copies.
    layer_backends
        Id of the backend of each layer, by guid; None for Input, Output and Constant layers.
    read_assignment, read_passes
        Return `assignment` and `passes`.
    blobs
        Blobs of PreCompiled layers, by guid.
    memory
        By (guid, index of the output): the tensor handle factory of each tensor that does not lie
        in host memory.
    model_options
        Options of this model for the backends.
    origins
        By guid: the layers of the user's network that a layer stands for, as their guids there.
    public_guids
        For each layer, in order, its number for backends: the guid of one of these layers where
        there is one, so that backends name layers of the user's network.
    sources
        By guid: the layers that were compiled to a PreCompiled layer, where that replaced them
        alone; for saving the network.
    replacements
        Guids of the layers that backends made to replace others.
    """

    network: NetworkStorage
    layer_backends: tuple[str | None, ...]
    read_assignment: Callable[[], Assignment]
    blobs: Mapping[int, NativeBlob]
    memory: Mapping[tuple[int, int], str]
    read_passes: Callable[[], tuple[PassRecord, ...]]
    model_options: ModelOptions
    origins: Mapping[int, tuple[int, ...]]
    public_guids: tuple[int, ...]
    sources: dict[int, CompiledSource | SavedSource]
    replacements: frozenset[int]

    @property
    def assignment(self) -> Assignment:
        """Backend and reason of each layer."""
        return self.read_assignment()

    @property
    def passes(self) -> tuple[PassRecord, ...]:
        """The changes of each pass and stage, in order."""
        return self.read_passes()
