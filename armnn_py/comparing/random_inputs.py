# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Random inputs for a network, the same on every machine for a seed."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.tensors import StringInfo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.tensors import TensorInfo

_AT_A_TIME = 1 << 20


def random_inputs(
    infos: Mapping[str, TensorInfo], seed: int, *, whole_range: bool = False
) -> dict[str, NDArray[Any]]:
    """Return inputs from a generator with this seed: floats in [0, 1), integers 0 and 1.

    Strings are of ten words.

    Parameters
    ----------
    infos
        By name; shapes have no free dimensions.
    seed
        Of the generator.
    whole_range
        Whether quantised elements are spread over the range of their type.

    Raises
    ------
    InvalidArgumentError
        An input is too large.
    """
    # Not numpy.random: importing that takes longer than a short run.
    generator = random.Random(seed)
    arrays: dict[str, NDArray[Any]] = {}
    for name, info in infos.items():
        try:
            values = _random_floats(generator, info.static_shape)
            if isinstance(info, StringInfo):
                words = np.array([f"word{number}" for number in range(10)], object)
                arrays[name] = words[(values * len(words)).astype(np.intp)]
                continue
            if whole_range and info.data_type.is_quantized and not info.data_type.is_packed:
                limits = np.iinfo(info.dtype)
                values = np.floor(limits.min + values * (int(limits.max) - int(limits.min) + 1))
            elif info.dtype.kind != "f":
                values = values.round()
            arrays[name] = values.astype(info.dtype)
        except (MemoryError, ValueError) as error:
            raise InvalidArgumentError(
                f"input '{name}' is too large to be made: {info!r}",
                details=[str(error) or type(error).__name__],
            ) from error
    return arrays


def _random_floats(generator: random.Random, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return float32 numbers in [0, 1), all multiples of 2^-24 equally likely."""
    values = np.empty(shape, np.float32)
    flat = values.reshape(-1)
    for begin in range(0, flat.size, _AT_A_TIME):
        part = flat[begin : begin + _AT_A_TIME]
        bits = np.frombuffer(generator.randbytes(4 * part.size), "<u4") >> 8
        np.multiply(bits, 2.0**-24, out=part, casting="same_kind")
    return values
