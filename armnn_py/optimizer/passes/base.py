# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The class of a pass, its log, and the layers at which passes begin."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from armnn_py.descriptors import ActivationDescriptor, ElementwiseBinaryDescriptor
from armnn_py.types import ActivationFunction, BinaryOperation, LayerType
from armnn_py.types.facts import FACTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network import Network
    from armnn_py.optimizer.graph import Graph, Node


def may_merge(node: Node, into: Node) -> bool:
    """Whether a layer may be merged into another one, or into its replacement.

    A layer with backends asked for, by a rule or its own hint, is merged only into one with the
    same backends, asked for at least as strictly.
    """
    asked, given = node.pin, into.pin
    if not asked.backends:
        return True
    return asked.backends == given.backends and (given.is_strict or not asked.is_strict)


class PassLog(Struct, eq=False):
    """Given to a pass beside the graph: for its report, to compute constants, to ask backends.

    ``evaluate`` runs a network without inputs and returns its outputs by name, or None if no loaded
    backend runs it; it is None where there are no backends.

    ``rank_of`` returns the index, in a layer's list of backends, of the first that takes it, or
    None if none does; it is None where there are no backends.
    """

    evaluate: Callable[[Network], Mapping[str, NDArray[Any]] | None] | None = None
    rank_of: Callable[[Node], int | None] | None = None
    changes: list[str] = field(default_factory=list)

    def runs_as_well(self, new: Iterable[Node], old: Iterable[Node]) -> bool:
        """Whether new layers get backends as good as those of the layers that they would replace.

        A backend must not lose layers because it lacks the type of the new one.
        """
        if self.rank_of is None:
            return True
        needed = [self.rank_of(node) for node in new]
        if all(rank == 0 for rank in needed):
            return True
        found = [self.rank_of(node) for node in old]
        if None in found:
            return True  # it does not run as it is
        worst = max((rank for rank in found if rank is not None), default=0)
        return all(rank is not None and rank <= worst for rank in needed)

    def changed(self, sentence: str) -> None:
        """Report one change, e.g. ``pad 'pad_1' folded into 'conv_1'``."""
        self.changes.append(sentence)


class Pass(Struct, frozen=True):
    """A rewriting of the graph that leaves its outputs as they are.

    Attributes
    ----------
    name
        Unique, e.g. ``fold-pad-into-convolution2d``.
    summary
        One line that describes the pass.
    run
        Changes the graph in place and reports each change.
    types
        Types of layers without any of which it changes nothing; None: all types.
    begins_at
        Whether a layer of these types is one of those; None: each is.
    least
        How many of them there must be, for it to change anything.
    """

    name: str
    summary: str
    run: Callable[[Graph, PassLog], None]
    types: frozenset[LayerType] | None = None
    begins_at: Callable[[Node], bool] | None = None
    least: int = 1

    def may_change(self, graph: Graph) -> bool:
        """Whether the graph has the layers without which it changes nothing."""
        types, begins_at = self.types, self.begins_at
        found = (
            node
            for node in graph
            if (types is None or node.type in types) and (begins_at is None or begins_at(node))
        )
        return sum(1 for _ in itertools.islice(found, self.least)) == self.least


def late(
    module: str, *arguments: object, function: str = "run"
) -> Callable[[Graph, PassLog], None]:
    """Return a function of a module that is imported when it is called.

    Parameters
    ----------
    module
        Name of the module, seen from this package: ``.fold_pad``.
    arguments
        Further arguments of the function, after graph and log.
    function
        Its name in the module.
    """

    def run(graph: Graph, log: PassLog) -> None:
        found = importlib.import_module(module, __package__)
        getattr(found, function)(graph, log, *arguments)

    return run


# Where passes begin: a function may say yes where the pass then finds nothing, never the reverse.
_SHAPES = frozenset({LayerType.RANK, LayerType.SHAPE})


def has_operands_of_unequal_rank(node: Node) -> bool:
    """Whether operands get leading dimensions of 1."""
    if FACTS[node.type].shape != "broadcast":
        return False
    return len({value.info.rank for value in node.inputs if value is not None}) > 1


def is_known(node: Node) -> bool:
    """Whether the layer reads constants alone, or is about a shape alone."""
    return node.type in _SHAPES or (
        bool(node.inputs)
        and all(value is None or value.constant is not None for value in node.inputs)
    )


def multiplies(node: Node) -> bool:
    """Whether the layer is a product."""
    d = node.descriptor
    return isinstance(d, ElementwiseBinaryDescriptor) and d.operation is BinaryOperation.MUL


def is_affine(node: Node) -> bool:
    """Whether a layer of the types with factors and summands has constant ones."""
    d = node.descriptor
    if isinstance(d, ActivationDescriptor):
        return d.function is ActivationFunction.LINEAR
    if isinstance(d, ElementwiseBinaryDescriptor):
        return any(array is not None for array in node.constants)
    return True
