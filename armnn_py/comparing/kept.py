# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Results of one machine or version, kept for a comparison with those of another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from armnn_py.comparing.layers import LayerComparer
from armnn_py.comparing.sides import BackendSide
from armnn_py.comparing.tensors import Tensors, place_of
from armnn_py.errors import InvalidArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armnn_py.comparing.sides import Arrays


def results_of(subject: BackendSide, inputs: Arrays, *, layers: bool) -> dict[str, NDArray[Any]]:
    """Return inputs, outputs and, with ``layers``, the tensors between the layers, by name."""
    found = {**inputs, **subject.outputs(inputs)}
    if layers:
        tensors = Tensors(subject.network)
        groups, _ = LayerComparer(subject, subject, tensors, 1.0, 1).known_tensors(inputs)
        slots = [slot for group in groups for slot in (*group.inputs, *group.outputs)]
        values = subject.tensors(inputs, slots)
        found = {**{tensors.name(slot): values[place_of(slot)] for slot in slots}, **found}
    return found


def write_arrays(path: str | os.PathLike[str], arrays: Arrays) -> None:
    """Write arrays to an ``.npz`` file.

    Raises
    ------
    InvalidArgumentError
        The file cannot be written.
    """
    plain = {
        name: array.astype(str) if array.dtype == np.dtype(object) else array
        for name, array in arrays.items()
    }
    try:
        with open(path, "wb") as file:  # noqa: PTH123
            np.savez_compressed(file, **cast("Any", plain))
    except OSError as error:
        raise InvalidArgumentError(
            f"'{os.fspath(path)}' cannot be written: {(error.strerror or str(error)).lower()}"
        ) from error
