# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""References of a vendor's own operators: Python functions by their names."""

from __future__ import annotations

import functools
import pkgutil
import runpy
from typing import TYPE_CHECKING, Any

import numpy as np

from armnn_py.errors import InvalidArgumentError
from armnn_py.python_backend import PythonBackend, kernel
from armnn_py.types import LayerType

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from armnn_py.descriptors import StandInDescriptor
    from armnn_py.python_backend import KernelCall
    from armnn_py.tensors import TensorInfo

OPERATORS = "ReferenceOperators"
"""Id of the backend of `operators_backend`."""


@functools.cache
def function_of(named: str) -> Callable[..., Any]:
    """Import the function of ``module:function`` or ``file.py:function``.

    Raises
    ------
    InvalidArgumentError
        The text has another form, the import fails, or the name is not a function.
    """
    place, _, name = named.rpartition(":")
    if not place or not name:
        raise InvalidArgumentError(
            f"reference '{named}' is not understood",
            hints=["write it as module:function or file.py:function"],
        )
    try:
        found = (
            runpy.run_path(place)[name] if place.endswith(".py") else pkgutil.resolve_name(named)
        )
    except Exception as error:  # a module of the user may raise anything
        raise InvalidArgumentError(
            f"reference '{named}' cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not callable(found):
        raise InvalidArgumentError(f"reference '{named}' is not a function")
    return found  # type: ignore[no-any-return]


def computed(
    named: str,
    descriptor: StandInDescriptor,
    operands: Sequence[NDArray[Any] | None],
    outputs: Sequence[TensorInfo],
) -> list[NDArray[Any]]:
    """Compute an operator by its reference.

    Parameters
    ----------
    named
        The function. It is called with the operands, and with the attributes by name.
    descriptor
        The operator.
    operands
        Arrays as the backend gets them: quantised ones are integers. None where one is absent.
    outputs
        The number and the shapes that the results must have.

    Raises
    ------
    InvalidArgumentError
        The function raises an error, or returns another number of arrays or other shapes.
    """
    attributes = {one.name: getattr(one.value, "array", one.value) for one in descriptor.attributes}
    try:
        found = function_of(named)(*operands, **attributes)
    except InvalidArgumentError:
        raise
    except Exception as error:  # a function of the user may raise anything
        raise InvalidArgumentError(
            f"reference '{named}' of operator '{descriptor.name}' raised "
            f"{type(error).__name__}: {error}"
        ) from error
    arrays = [np.asarray(one) for one in (found if isinstance(found, tuple) else (found,))]
    shapes, expected = [one.shape for one in arrays], [info.static_shape for info in outputs]
    if shapes != expected:
        raise InvalidArgumentError(
            f"reference '{named}' of operator '{descriptor.name}' returned shapes {shapes}, "
            f"{expected} expected"
        )
    return arrays


def operators_backend(references: Mapping[str, str]) -> PythonBackend:
    """Return a backend that runs operators by their references, for whole networks."""
    rows: dict[str, Any] = {"id": OPERATORS}
    for number, (operator, named) in enumerate(references.items()):

        def run(_backend: PythonBackend, call: KernelCall, named: str = named) -> Any:
            infos = call.layer.outputs
            found = computed(named, call.layer.descriptor, call.inputs, infos)
            arrays = [a.astype(info.dtype) for a, info in zip(found, infos, strict=True)]
            return tuple(arrays) if len(arrays) > 1 else arrays[0]

        run.__name__ = name = f"operator{number}"
        rows[name] = kernel(LayerType.STAND_IN, name=operator)(run)
    made: PythonBackend = type("Operators", (PythonBackend,), rows)()
    return made
