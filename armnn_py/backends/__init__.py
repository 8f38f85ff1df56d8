# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Backends: the folders searched, the rules for a file to load, and why one did not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armnn_py._native.table.backend_services import DeviceDescription
from armnn_py._native.table.profiling_context import Counter
from armnn_py.backends.backend import Backend
from armnn_py.backends.loader.identity import BackendVersion
from armnn_py.backends.loader.loading import load_backends
from armnn_py.backends.loader.naming import FILE_NAME_RULE, BackendFileName, parse_file_name
from armnn_py.backends.loader.shared_library import LOADING
from armnn_py.backends.loader.verdict import LoadReport, Place, Verdict
from armnn_py.backends.options.allocator import Allocator
from armnn_py.backends.options.given_options import BackendOptions
from armnn_py.backends.options.model_options import ModelOptions
from armnn_py.backends.options.option import BackendOption
from armnn_py.backends.probe.findings import ProbeFinding
from armnn_py.backends.registry import BackendRegistry
from armnn_py.later import names_of

if TYPE_CHECKING:
    from armnn_py.backends.questions.layer_support import LayerSignature, LayerSupport, Support

__all__ = [
    "FILE_NAME_RULE",
    "LOADING",
    "Allocator",
    "Backend",
    "BackendFileName",
    "BackendOption",
    "BackendOptions",
    "BackendRegistry",
    "BackendVersion",
    "Counter",
    "DeviceDescription",
    "LayerSignature",
    "LayerSupport",
    "LoadReport",
    "ModelOptions",
    "Place",
    "ProbeFinding",
    "Support",
    "Verdict",
    "load_backends",
    "parse_file_name",
]

# Support queries import descriptors and shape rules; finding backends needs neither.
__getattr__ = names_of(
    "armnn_py.backends",
    {"armnn_py.backends.questions.layer_support": ("LayerSignature", "LayerSupport", "Support")},
)
