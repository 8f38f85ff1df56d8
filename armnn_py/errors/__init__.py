# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Everything that armnn_py raises, and its warnings.

::

    ArmnnError
    ├── InvalidArgumentError (ValueError)       wrong shape, dtype, value; says what was expected
    │   ├── InputValuesNeededError              .names
    │   ├── StagesNeededError                   .stages, .outputs
    │   └── UnknownNameError (KeyError)         .name .valid .near
    ├── BackendError
    │   ├── BackendNotFoundError (LookupError)  .backend .loaded .verdicts
    │   └── BackendUnavailableError             .backend
    ├── ModelError
    │   ├── ModelFormatError (UnimplementedError)
    │   ├── ParseError                          .path .offset .node
    │   │   └── ModelFileNotFoundError (FileNotFoundError)
    │   └── UnsupportedOperatorError            .operators
    ├── GraphValidationError                    .problems
    │   └── LayerValidationError                .layer
    ├── NoBackendForLayerError                  .layers
    ├── ShortageError                       .resource
    │   └── OutOfMemoryError (MemoryError)  an ExecutionError, too
    ├── ExecutionError                          .layer .backend .kernel .status
    │   ├── ExecutionCancelledError
    │   └── ExecutionTimeoutError (TimeoutError)
    ├── UnimplementedError (NotImplementedError)
    └── InternalError                           a bug in armnn_py

The text of each is a first line that stands alone, details indented by two, and hints last::

    backend 'AcmeNpu' is not loaded
      loaded: CpuAcc, CpuRef
    hint: 'armnn-py backends list' shows every file that was found

Each of these is a field: ``message``, ``details`` and ``hints``.
"""

from __future__ import annotations

from armnn_py.errors.base import (
    ArmnnError,
    ArmnnWarning,
    BackendError,
    BackendNotFoundError,
    BackendSkippedWarning,
    BackendUnavailableError,
    ExecutionCancelledError,
    ExecutionError,
    ExecutionTimeoutError,
    GraphValidationError,
    InputValuesNeededError,
    InternalError,
    InvalidArgumentError,
    LayerRefusal,
    LayerValidationError,
    ModelError,
    ModelFileNotFoundError,
    ModelFormatError,
    NoBackendForLayerError,
    ParseError,
    StagesNeededError,
    UnimplementedError,
    UnknownNameError,
    UnsupportedOperator,
    UnsupportedOperatorError,
    near_names,
)
from armnn_py.errors.shortage import OutOfMemoryError, ShortageError

__all__ = [
    "ArmnnError",
    "ArmnnWarning",
    "BackendError",
    "BackendNotFoundError",
    "BackendSkippedWarning",
    "BackendUnavailableError",
    "ExecutionCancelledError",
    "ExecutionError",
    "ExecutionTimeoutError",
    "GraphValidationError",
    "InputValuesNeededError",
    "InternalError",
    "InvalidArgumentError",
    "LayerRefusal",
    "LayerValidationError",
    "ModelError",
    "ModelFileNotFoundError",
    "ModelFormatError",
    "NoBackendForLayerError",
    "OutOfMemoryError",
    "ParseError",
    "ShortageError",
    "StagesNeededError",
    "UnimplementedError",
    "UnknownNameError",
    "UnsupportedOperator",
    "UnsupportedOperatorError",
    "near_names",
]

# One public module for all, whatever the file: in tracebacks, in pickles and in documentation.
for _name in __all__:
    globals()[_name].__module__ = __name__
