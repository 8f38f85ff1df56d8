# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Options of `optimize`: Arm NN's OptimizerOptions, and more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from armnn_py.later import public_class

if TYPE_CHECKING:
    import os

    from armnn_py._native.table.backend_options import OptionValue
    from armnn_py.optimizer.placing.placement import Placement

from dataclasses import dataclass


@public_class
@dataclass(frozen=True, slots=True)
class OptimizerOptions:
    """Options of `optimize`.

    Attributes
    ----------
    placement
        Rules that say which backend runs which layer, or None.
    disabled_passes
        Names of simplifying passes that do not run; ``OptimizedNetwork.passes`` lists all names.
    simplify
        False: no simplifying pass runs.
    compile_parts
        False: no backend may replace sub-graphs; layers run one by one.
    import_memory
        False: no backend takes over memory of another one, of the host or of the caller; tensors
        there are copied.
    reduce_fp32_to_fp16
        Compute in float16; inputs and outputs of the network stay float32. Needs a first backend
        with the capability ``HasFp16``; otherwise a warning is logged and nothing is converted.
    debug
        Insert a Debug layer behind each layer. No simplifying pass runs and no sub-graph is
        compiled then, so that `LoadedNetwork.register_debug_callback` gets every tensor.
    validate
        Check after every pass that the graph is well formed.
    model_options
        By backend id: options of this model.
    strategy
        How a backend is chosen where neither a rule nor a hint decides. ``"preference"``: the first
        in the list that takes the layer. ``"measure"``: layers are timed on each listed backend
        that takes them, and the assignment with the least sum is taken, copies included.
    measure_cache
        Where measured times are kept: True for the user's cache folder (see
        `armnn_py.environment.cache_folder`), the path of a folder, or None for nowhere.
    """

    placement: Placement | None = None
    disabled_passes: frozenset[str] = frozenset()
    simplify: bool = True
    compile_parts: bool = True
    import_memory: bool = True
    reduce_fp32_to_fp16: bool = False
    debug: bool = False
    validate: bool = False
    #: Not in the repr: which of the values are secret is known by the backends alone.
    model_options: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict, repr=False)
    strategy: Literal["preference", "measure"] = "preference"
    measure_cache: str | os.PathLike[str] | bool | None = True


AS_IT_IS = OptimizerOptions(simplify=False, compile_parts=False)
"""Layers as they are, each on the first backend that takes it."""
