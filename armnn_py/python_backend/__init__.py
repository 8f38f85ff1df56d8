# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends written in Python, for prototypes, tests and mocks.

::

    import numpy as np
    import armnn_py as ann
    from armnn_py.python_backend import PythonBackend, kernel

    class Mine(PythonBackend):
        id = "Mine"

        @kernel(ann.LayerType.SOFTMAX, ann.DataType.FLOAT32)
        def softmax(self, call):
            x = call.inputs[0] * call.layer.descriptor.beta
            e = np.exp(x - x.max(axis=-1, keepdims=True))
            return e / e.sum(axis=-1, keepdims=True)

    runtime = ann.Runtime(python_backends=[Mine()])

They stand behind the same table of functions as backends in C, and are loaded, asked and run in
the same way.
"""

from __future__ import annotations

from armnn_py._native.layers.shown_layers import ShownLayer
from armnn_py.python_backend.backend import PythonBackend
from armnn_py.python_backend.call import KernelCall
from armnn_py.python_backend.kernel import kernel
from armnn_py.python_backend.option import Option, Run
from armnn_py.python_backend.part import Cut, Part, Slot

__all__ = [
    "Cut",
    "KernelCall",
    "Option",
    "Part",
    "PythonBackend",
    "Run",
    "ShownLayer",
    "Slot",
    "kernel",
]

for _name in __all__:
    globals()[_name].__module__ = "armnn_py.python_backend"
del _name
