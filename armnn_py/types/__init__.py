# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Enumerations: data types, layer types and the choices that layers offer.

Names and numbers are Arm NN's, the same that cross the border to a backend (``armnn/types.h`` and
``armnn/descriptors.h``); members are spelt as the C suffixes. All are generated from the table in
``schema``; `armnn_py.types.facts` has what else it says of each layer type.
"""

from __future__ import annotations

from armnn_py.types import enumerations
from armnn_py.types.bases import MemorySource
from armnn_py.types.enumerations import *
from armnn_py.types.layer_facts import LayerFacts

__all__ = ["LayerFacts", "MemorySource"]
__all__ += enumerations.__all__

# Names that networks of users rarely need are not names of the package as well.
_HERE_ALONE = {
    "FusedKernelType",
    "LayerFacts",
    "NormalizationAlgorithmChannel",
    "NormalizationAlgorithmMethod",
    "RandomDistribution",
    "RecurrentDirection",
    "Rescaling",
    "RowRounding",
    "ScatterNdFunction",
}

# One public place for each, whatever the file: in tracebacks, in pickles and in documentation.
for _name in __all__:
    globals()[_name].__module__ = __name__ if _name in _HERE_ALONE else "armnn_py"
