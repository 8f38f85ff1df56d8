# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""armnn_py: neural networks from Python on backends that are plain C shared objects.

::

    import armnn_py as ann

    with ann.load("model.onnx", backends=["CpuRef"]) as net:
        outputs = net.run({"image": image})

The longer road has four steps: `import_model` or `Network` describes what to compute, `optimize`
decides which backend computes it, `Runtime.load_network` prepares it, `LoadedNetwork.run` runs it.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

if not os.path.isdir(os.path.join(os.path.dirname(__file__), "_native", "lib")):
    # Imported from a source tree, as in a clone after "pip install .": what the build made is in
    # the installed package, whose folder joins the search path behind this one.
    from pkgutil import extend_path

    __path__ = extend_path(__path__, __name__)

from armnn_py import errors
from armnn_py._version import __version__
from armnn_py.errors import (
    ArmnnError,
    ArmnnWarning,
    BackendError,
    BackendNotFoundError,
    BackendSkippedWarning,
    ExecutionCancelledError,
    ExecutionError,
    ExecutionTimeoutError,
    GraphValidationError,
    InputValuesNeededError,
    InvalidArgumentError,
    LayerValidationError,
    ModelError,
    ModelFileNotFoundError,
    ModelFormatError,
    NoBackendForLayerError,
    OutOfMemoryError,
    ParseError,
    ShortageError,
    StagesNeededError,
    UnimplementedError,
    UnknownNameError,
    UnsupportedOperatorError,
)
from armnn_py.later import names_of

if TYPE_CHECKING:
    from armnn_py.backends import (
        Allocator,
        BackendOption,
        BackendRegistry,
        BackendVersion,
        Counter,
        DeviceDescription,
        LoadReport,
        Verdict,
    )
    from armnn_py.comparing.compare import compare
    from armnn_py.comparing.comparison import Comparison, OutputDifference
    from armnn_py.comparing.differences import Difference
    from armnn_py.comparing.layers import LayerDifference
    from armnn_py.comparing.narrowing import Finding
    from armnn_py.comparing.shadow import Shadow, ShadowReport, ShadowRuns
    from armnn_py.frontends import import_model
    from armnn_py.isolation import Isolation, WorkerEvent
    from armnn_py.memory_budget import get_memory_budget, set_memory_budget
    from armnn_py.network import Layer, ModelMetadata, Network, OutputSlot
    from armnn_py.optimizer import (
        Assignment,
        LayerAssignment,
        OptimizedNetwork,
        OptimizerOptions,
        PassRecord,
        Placement,
        PlacementRule,
    )
    from armnn_py.optimizer.optimize import optimize
    from armnn_py.runtime import (
        CancelToken,
        DeviceSpec,
        LoadedNetwork,
        Runtime,
        get_num_threads,
        set_num_threads,
    )
    from armnn_py.runtime.arrays.external_memory import ExternalMemory
    from armnn_py.runtime.bound_network import BoundNetwork
    from armnn_py.runtime.bounded.bounded_plan import BoundedShapesReport
    from armnn_py.runtime.events import EventLog, ShadowEvent
    from armnn_py.runtime.failover import Health, LastRun
    from armnn_py.runtime.load import load
    from armnn_py.runtime.network_memory import MemoryShare, NetworkMemory, PeakTensor
    from armnn_py.runtime.network_state import NetworkState
    from armnn_py.runtime.profile.profile_records import BackendEvent, LayerProfile, TimelineEvent
    from armnn_py.runtime.profile.profiling import Profile
    from armnn_py.tensors import QuantizationInfo, StringInfo, TensorInfo
    from armnn_py.types import (
        ActivationFunction,
        ArgMinMaxFunction,
        BinaryOperation,
        ComparisonOperation,
        DataLayout,
        DataType,
        LayerType,
        LogicalBinaryOperation,
        MemorySource,
        OutputShapeRounding,
        PaddingMethod,
        PaddingMode,
        PoolingAlgorithm,
        ReduceOperation,
        ResizeMethod,
        UnaryOperation,
    )

__all__ = [
    "ActivationFunction",
    "Allocator",
    "ArgMinMaxFunction",
    "ArmnnError",
    "ArmnnWarning",
    "Assignment",
    "BackendError",
    "BackendEvent",
    "BackendNotFoundError",
    "BackendOption",
    "BackendRegistry",
    "BackendSkippedWarning",
    "BackendVersion",
    "BinaryOperation",
    "BoundNetwork",
    "BoundedShapesReport",
    "CancelToken",
    "Comparison",
    "ComparisonOperation",
    "Counter",
    "DataLayout",
    "DataType",
    "DeviceDescription",
    "DeviceSpec",
    "Difference",
    "EventLog",
    "ExecutionCancelledError",
    "ExecutionError",
    "ExecutionTimeoutError",
    "ExternalMemory",
    "Finding",
    "GraphValidationError",
    "Health",
    "InputValuesNeededError",
    "InvalidArgumentError",
    "Isolation",
    "LastRun",
    "Layer",
    "LayerAssignment",
    "LayerDifference",
    "LayerProfile",
    "LayerType",
    "LayerValidationError",
    "LoadReport",
    "LoadedNetwork",
    "LogicalBinaryOperation",
    "MemoryShare",
    "MemorySource",
    "ModelError",
    "ModelFileNotFoundError",
    "ModelFormatError",
    "ModelMetadata",
    "Network",
    "NetworkMemory",
    "NetworkState",
    "NoBackendForLayerError",
    "OptimizedNetwork",
    "OptimizerOptions",
    "OutOfMemoryError",
    "OutputDifference",
    "OutputShapeRounding",
    "OutputSlot",
    "PaddingMethod",
    "PaddingMode",
    "ParseError",
    "PassRecord",
    "PeakTensor",
    "Placement",
    "PlacementRule",
    "PoolingAlgorithm",
    "Profile",
    "QuantizationInfo",
    "ReduceOperation",
    "ResizeMethod",
    "Runtime",
    "Shadow",
    "ShadowEvent",
    "ShadowReport",
    "ShadowRuns",
    "ShortageError",
    "StagesNeededError",
    "StringInfo",
    "TensorInfo",
    "TimelineEvent",
    "UnaryOperation",
    "UnimplementedError",
    "UnknownNameError",
    "UnsupportedOperatorError",
    "Verdict",
    "WorkerEvent",
    "__version__",
    "compare",
    "errors",
    "get_memory_budget",
    "get_num_threads",
    "import_model",
    "load",
    "optimize",
    "set_memory_budget",
    "set_num_threads",
]

logging.getLogger("armnn_py").addHandler(logging.NullHandler())

# Public names say where users find them, not in which file they were written: tracebacks then read
# "armnn_py.InvalidArgumentError".
for _name in __all__:
    _public = globals().get(_name)
    if isinstance(_public, type):
        _public.__module__ = "armnn_py"
del _name, _public

# Imported when they are first asked for: a program that lists backends describes no network, and
# does without numpy.
__getattr__ = names_of(
    "armnn_py",
    {
        "armnn_py.backends": (
            "Allocator",
            "BackendOption",
            "BackendRegistry",
            "BackendVersion",
            "Counter",
            "DeviceDescription",
            "LoadReport",
            "Verdict",
        ),
        "armnn_py.comparing.compare": ("compare",),
        "armnn_py.comparing.comparison": ("Comparison", "OutputDifference"),
        "armnn_py.comparing.differences": ("Difference",),
        "armnn_py.comparing.layers": ("LayerDifference",),
        "armnn_py.comparing.narrowing": ("Finding",),
        "armnn_py.comparing.shadow": ("Shadow", "ShadowReport", "ShadowRuns"),
        "armnn_py.frontends": ("import_model",),
        "armnn_py.isolation": ("Isolation", "WorkerEvent"),
        "armnn_py.memory_budget": ("get_memory_budget", "set_memory_budget"),
        "armnn_py.network": ("Layer", "ModelMetadata", "Network", "OutputSlot"),
        "armnn_py.optimizer": (
            "Assignment",
            "LayerAssignment",
            "OptimizedNetwork",
            "OptimizerOptions",
            "PassRecord",
            "Placement",
            "PlacementRule",
            "optimize",
        ),
        "armnn_py.runtime": (
            "CancelToken",
            "DeviceSpec",
            "LoadedNetwork",
            "Runtime",
            "get_num_threads",
            "set_num_threads",
        ),
        "armnn_py.runtime.bound_network": ("BoundNetwork",),
        "armnn_py.runtime.arrays.external_memory": ("ExternalMemory",),
        "armnn_py.runtime.bounded.bounded_plan": ("BoundedShapesReport",),
        "armnn_py.runtime.events": ("EventLog", "ShadowEvent"),
        "armnn_py.runtime.failover": ("Health", "LastRun"),
        "armnn_py.runtime.load": ("load",),
        "armnn_py.runtime.network_memory": ("MemoryShare", "NetworkMemory", "PeakTensor"),
        "armnn_py.runtime.network_state": ("NetworkState",),
        "armnn_py.runtime.profile.profile_records": (
            "BackendEvent",
            "LayerProfile",
            "TimelineEvent",
        ),
        "armnn_py.runtime.profile.profiling": ("Profile",),
        "armnn_py.tensors": ("QuantizationInfo", "StringInfo", "TensorInfo"),
        "armnn_py.types": (
            "ActivationFunction",
            "ArgMinMaxFunction",
            "BinaryOperation",
            "ComparisonOperation",
            "DataLayout",
            "DataType",
            "LayerType",
            "LogicalBinaryOperation",
            "MemorySource",
            "OutputShapeRounding",
            "PaddingMethod",
            "PaddingMode",
            "PoolingAlgorithm",
            "ReduceOperation",
            "ResizeMethod",
            "UnaryOperation",
        ),
    },
    packages=(
        "backends",
        "descriptors",
        "frontends",
        "network",
        "optimizer",
        "runtime",
        "tensors",
        "types",
    ),
    public=True,
)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
