# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Parameters of layers: one frozen record for each descriptor of ``armnn/descriptors.h``.

Names of fields and defaults are Arm NN's. A default that no layer can run with (Arm NN's strides
and pool sizes of 0) is 1 here.
"""

from __future__ import annotations

from armnn_py.descriptors import classes
from armnn_py.descriptors.attributes import Attribute, AttributeTensor
from armnn_py.descriptors.base import Descriptor, View
from armnn_py.descriptors.classes import *

__all__ = ["Attribute", "AttributeTensor", "Descriptor", "View"]
__all__ += classes.__all__
