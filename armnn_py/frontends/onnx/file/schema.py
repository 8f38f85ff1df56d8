# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The messages of ONNX files, as the package ``onnx`` defines them.

Importing the whole package takes longer than reading most models, so its generated module is loaded
alone. Protobuf has one class for each message, so that these are the classes of ``onnx`` also for a
program that imports it. The module does not stay in ``sys.modules``, where its package is missing.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

from armnn_py.errors import ModelError

if TYPE_CHECKING:
    import onnx

__all__ = ["model_class"]

_GENERATED = "onnx.onnx_ml_pb2"


@functools.cache
def model_class() -> type[onnx.ModelProto]:
    """Return the class ``onnx.ModelProto``.

    Raises
    ------
    ModelError
        The package ``onnx``, or the package ``protobuf`` below it, cannot be imported.
    """
    try:
        found = None if "onnx" in sys.modules else _from_generated_module()
        if found is None:
            import onnx

            found = onnx.ModelProto
    except Exception as error:  # versions that do not fit raise all kinds of errors
        raise ModelError(
            "the Python package 'onnx' cannot be imported",
            details=[f"{type(error).__name__}: {error}"],
            hints=["pip install --upgrade onnx protobuf"],
        ) from error
    assert isinstance(found, type)
    return found


def _from_generated_module() -> Any:
    """Return the class, or ``None`` where the package is laid out in another way."""
    package = importlib.util.find_spec("onnx")
    folders = package.submodule_search_locations if package is not None else None
    spec = PathFinder.find_spec(_GENERATED, folders) if folders else None
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, "ModelProto", None)
