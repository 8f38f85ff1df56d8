# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of layers: one frozen struct for each descriptor of ``armnn/descriptors.h``.

Names of fields and defaults are Arm NN's. A default that no layer can run with (Arm NN's strides
and pool sizes of 0) is 1 here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from armnn_py.descriptors.attributes import Attribute as Attribute
from armnn_py.descriptors.attributes import AttributeTensor as AttributeTensor
from armnn_py.descriptors.base import Descriptor as Descriptor
from armnn_py.descriptors.base import View as View
from armnn_py.descriptors.compiled import PreCompiledDescriptor as PreCompiledDescriptor
from armnn_py.garbage import without_collections
from armnn_py.interrupts import deferred_interrupts

if TYPE_CHECKING:
    from armnn_py.descriptors.classes import *


def __getattr__(name: str) -> Any:
    """All other classes are imported together: a network of compiled layers needs none of them."""
    if not name[:1].isupper() and name != "__all__":  # a module, or nothing of ours
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with deferred_interrupts(), without_collections():
        made = importlib.import_module("armnn_py.descriptors.classes")
    own = globals()
    own.update((one, getattr(made, one)) for one in made.__all__)
    own["__all__"] = sorted({"Attribute", "AttributeTensor", "Descriptor", "View", *made.__all__})
    if name not in own:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return own[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
