# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random numbers, which have a state: a variable of the network with a seed and a count of runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armnn_py.descriptors import RandomDescriptor
from armnn_py.frontends.common.emit.arithmetic import Arithmetic
from armnn_py.frontends.common.values import Known, Value
from armnn_py.network import VariableLayer
from armnn_py.tensors import TensorInfo
from armnn_py.types import DataType, LayerType, RandomDistribution

RANDOM_STATE = "random"
"""Name of the variable."""

RANDOM_STATE_INFO = TensorInfo((2,), DataType.SIGNED64)
"""Of the variable: seed, and number of the run."""

_MASK = 2**63 - 1


class Randomness(Arithmetic):
    """Adds `random_state` and `random` to the building blocks."""

    _random_state: VariableLayer | None = None
    _streams: frozenset[int] = frozenset()

    def random_state(self, seed: int) -> VariableLayer:
        """Return the variable, which counts runs; the first call makes it with this seed."""
        if self._random_state is None:
            first = np.array([seed & _MASK, 0], np.int64)
            state = self.network.add_variable(RANDOM_STATE, RANDOM_STATE_INFO, first)
            step = Known(np.array([0, 1], np.int64))
            following = self.add(state.output, step, "next")
            self.network.assign(state, self.slot(following))
            self._random_state = state
        return self._random_state

    def random(
        self, shape: Sequence[int], like: Value | None, normal: bool, seed: int | None, name: str
    ) -> Value:
        """Return uniform or normal random numbers of float32.

        Parameters
        ----------
        shape
            Of the result.
        like
            A value whose shape the result takes; None if ``shape`` states it.
        normal
            Mean 0 and variance 1; else uniform from 0 to below 1.
        seed
            Of numbers that are the same in each run; None: numbers of the network's state.
        name
            Tells numbers of one node apart.
        """
        if like is None:
            like = Known(np.broadcast_to(np.float32(0), tuple(shape)))
        operand = self.cast(like, np.float32, "shape")
        if seed is None:
            assert self._random_state is not None  # the conversion begins with it
            state: Value = self._random_state.output
            stream = self._new_stream(name)
        else:
            state, stream = Known(np.array([seed & _MASK, 0], np.int64)), 0
        kind = RandomDistribution.NORMAL if normal else RandomDistribution.UNIFORM
        return self.layer(
            LayerType.RANDOM, [operand, state], RandomDescriptor(kind, stream), name=name
        )

    def _new_stream(self, name: str) -> int:
        """Return a number for a node, the same in each conversion of its model."""
        import zlib

        stream = zlib.crc32(f"{self.network.name}/{self._base}/{name}".encode())
        while stream in self._streams:
            stream = (stream + 1) % 2**32
        self._streams = self._streams | {stream}
        return stream
