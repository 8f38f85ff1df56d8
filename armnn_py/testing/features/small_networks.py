# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Networks of one or two layers whose first dimension is free, for what is not about one layer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from armnn_py.errors import ArmnnError
from armnn_py.guard.outcome import CheckFailedError
from armnn_py.network import Network
from armnn_py.optimizer import optimize
from armnn_py.tensors import TensorInfo
from armnn_py.testing.subject import AS_GIVEN
from armnn_py.testing.tolerances import compare, tolerance_of
from armnn_py.types import ActivationFunction, DataType, PoolingAlgorithm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.network import Layer
    from armnn_py.runtime import Runtime

ROWS = 9
"""The bound of the free dimension."""

_COLUMNS = 3
_WEIGHTS = np.linspace(-1, 1, _COLUMNS * 4, dtype=np.float32).reshape(_COLUMNS, 4)
_ROW = np.array([[0.5, -2.0, 1.0]], np.float32)
_KERNEL = np.linspace(-1, 1, 2 * 3 * 3 * 2, dtype=np.float32).reshape(2, 3, 3, 2)


class SmallNetwork(Struct, frozen=True):
    """A network over one input, ``x`` float32 [rows, ...], with one output, ``y``.

    Attributes
    ----------
    name, layer
        For messages, and label of the layer in the table of tolerances.
    add
        Adds the layers behind an input.
    tail
        Shape of the input without its first dimension.
    """

    name: str
    layer: str
    add: Callable[[Network, Layer], Layer]
    tail: tuple[int, ...] = (_COLUMNS,)

    def build(self, infos: Mapping[str, TensorInfo]) -> Network:
        """Return it for one shape."""
        network = Network(self.name)
        network.add_output("y", self.add(network, network.add_input("x", infos["x"])))
        return network

    def with_rows(self, rows: int) -> Network:
        """Return it for so many rows."""
        return self.build({"x": TensorInfo((rows, *self.tail))})

    def with_free_rows(self) -> Network:
        """Return it with rows that come with each run."""
        free = TensorInfo((None, *self.tail), dimension_names=("rows", *(None for _ in self.tail)))
        shape = self.with_rows(ROWS).outputs["y"].static_shape
        made = TensorInfo((None,) * len(shape))
        return Network.from_builder(self.name, {"x": free}, self.build, {"y": made})

    def values(self, rows: int, seed: int) -> NDArray[Any]:
        """Return numbers for the input."""
        random = np.random.default_rng((seed, rows))
        return random.uniform(-2, 2, (rows, *self.tail)).astype(np.float32)


def _relu(network: Network, x: Layer) -> Layer:
    return network.add_activation(x, ActivationFunction.RELU)


SMALL_NETWORKS = (
    SmallNetwork("ReLU", "Activation", _relu),
    SmallNetwork("Add of a row", "Addition", lambda n, x: n.add_addition(x, _ROW)),
    SmallNetwork(
        "ReLU, then Add", "Addition", lambda n, x: n.add_addition(_relu(n, x), _ROW)
    ),
    SmallNetwork("Softmax of rows", "Softmax", lambda n, x: n.add_softmax(x, axis=1)),
    SmallNetwork("Softmax of columns", "Softmax", lambda n, x: n.add_softmax(x, axis=0)),
    SmallNetwork(
        "FullyConnected", "FullyConnected", lambda n, x: n.add_fully_connected(x, _WEIGHTS)
    ),
    SmallNetwork(
        "BatchMatMul of rows", "BatchMatMul",
        lambda n, x: n.add_batch_mat_mul(x, x, transpose_y=True),
    ),
    SmallNetwork(
        "BatchMatMul of columns", "BatchMatMul",
        lambda n, x: n.add_batch_mat_mul(x, x, transpose_x=True),
    ),
    SmallNetwork(
        "BatchMatMul with weights", "BatchMatMul", lambda n, x: n.add_batch_mat_mul(x, _WEIGHTS)
    ),
    SmallNetwork(
        "Pooling2d", "Pooling2d",
        lambda n, x: n.add_pooling2d(x, PoolingAlgorithm.MAX, 2), (4, 5, 2),
    ),
    SmallNetwork("Concat with itself", "Concat", lambda n, x: n.add_concat([x, x], axis=0)),
    SmallNetwork("Mean of columns", "Mean", lambda n, x: n.add_mean(x, axes=[0])),
    SmallNetwork("Permute", "Permute", lambda n, x: n.add_permute(x, (1, 0))),
    SmallNetwork(
        "Convolution2d", "Convolution2d",
        lambda n, x: n.add_convolution2d(x, _KERNEL, padding="same"), (4, 5, 2),
    ),
)  # fmt: skip


def taken_by(runtime: Runtime, backend: str) -> Iterator[SmallNetwork]:
    """Give those whose every layer a backend takes."""
    for network in SMALL_NETWORKS:
        with contextlib.suppress(ArmnnError):
            optimize(network.with_rows(ROWS), [backend], runtime=runtime, options=AS_GIVEN)
            yield network


def check_numbers(
    network: SmallNetwork, found: NDArray[Any], expected: NDArray[Any], what: str
) -> None:
    """Compare within the published tolerance.

    Raises
    ------
    CheckFailedError
        An element differs too much, or the shape does.
    """
    where = f"network '{network.name}', {what}"
    if found.shape != expected.shape:
        raise CheckFailedError(f"{where}: shape {found.shape}, {expected.shape} expected")
    allowed = tolerance_of(network.layer, DataType.FLOAT32.label)
    worst = compare(found, expected, DataType.FLOAT32, allowed)
    if worst:
        raise CheckFailedError(f"{where}: {worst}", found=found, expected=expected)
