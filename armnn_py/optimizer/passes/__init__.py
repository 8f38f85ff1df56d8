# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The simplifying passes, in the order in which they run (Arm NN's order)."""

from __future__ import annotations

from armnn_py.optimizer.passes.base import Pass, PassLog
from armnn_py.optimizer.passes.broadcast_shapes import INSERT_BROADCAST_RESHAPES
from armnn_py.optimizer.passes.dead_layers import REMOVE_DEAD_LAYERS
from armnn_py.optimizer.passes.depth_to_space import (
    TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE,
)
from armnn_py.optimizer.passes.fold_constants import FOLD_CONSTANTS
from armnn_py.optimizer.passes.fold_edges import FOLD_EDGES_INTO_POOLING2D
from armnn_py.optimizer.passes.fold_pad import (
    FOLD_PAD_INTO_CONVOLUTION2D,
    FOLD_PAD_INTO_DEPTHWISE_CONVOLUTION2D,
    FOLD_PAD_INTO_POOLING2D,
)
from armnn_py.optimizer.passes.fuse_affine import (
    FUSE_AFFINE_INTO_WEIGHTS_BEFORE,
    FUSE_AFFINE_INTO_WEIGHTS_BEHIND,
)
from armnn_py.optimizer.passes.fuse_batch_norm import (
    FUSE_BATCH_NORM_INTO_CONVOLUTION2D,
    FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D,
)
from armnn_py.optimizer.passes.hard_swish import RECOGNIZE_HARD_SWISH
from armnn_py.optimizer.passes.identities import REMOVE_IDENTITIES
from armnn_py.optimizer.passes.inverse_permutes import (
    CANCEL_INVERSE_TRANSPOSES,
)
from armnn_py.optimizer.passes.merge_affine import MERGE_AFFINE_RUNS
from armnn_py.optimizer.passes.merge_reshapes import MERGE_CONSECUTIVE_RESHAPES
from armnn_py.optimizer.passes.merge_slices import MERGE_CONSECUTIVE_SLICES
from armnn_py.optimizer.passes.move_permute_up import MOVE_TRANSPOSE_UP
from armnn_py.optimizer.passes.permute_as_reshape import TRANSPOSE_AS_RESHAPE
from armnn_py.optimizer.passes.permute_regions import PERMUTE_REGIONS
from armnn_py.optimizer.passes.quantized_layers import MAKE_QUANTIZED_LAYERS
from armnn_py.optimizer.passes.squash_siblings import (
    SQUASH_EQUAL_RESHAPE_SIBLINGS,
    SQUASH_EQUAL_TRANSPOSE_SIBLINGS,
)
from armnn_py.optimizer.passes.write_out_lstm import WRITE_OUT_LSTM

__all__ = ["SIMPLIFYING", "Pass", "PassLog"]

#: Every pass that runs before layers get their backends.
SIMPLIFYING: tuple[Pass, ...] = (
    # Before constants are dequantised for good.
    MAKE_QUANTIZED_LAYERS,
    WRITE_OUT_LSTM,
    INSERT_BROADCAST_RESHAPES,
    # Constants.
    FOLD_CONSTANTS,
    # The main passes.
    SQUASH_EQUAL_TRANSPOSE_SIBLINGS,
    SQUASH_EQUAL_RESHAPE_SIBLINGS,
    CANCEL_INVERSE_TRANSPOSES,
    PERMUTE_REGIONS,
    MOVE_TRANSPOSE_UP,
    TRANSPOSE_AS_RESHAPE,
    MERGE_CONSECUTIVE_RESHAPES,
    # Fusions.
    FOLD_PAD_INTO_CONVOLUTION2D,
    FOLD_PAD_INTO_DEPTHWISE_CONVOLUTION2D,
    FOLD_PAD_INTO_POOLING2D,
    TRANSPOSE_AND_BATCH_TO_SPACE_AS_DEPTH_TO_SPACE,
    FUSE_BATCH_NORM_INTO_CONVOLUTION2D,
    FUSE_BATCH_NORM_INTO_DEPTHWISE_CONVOLUTION2D,
    # Passes that Arm NN does not have.
    FOLD_EDGES_INTO_POOLING2D,
    MERGE_CONSECUTIVE_SLICES,
    RECOGNIZE_HARD_SWISH,
    FUSE_AFFINE_INTO_WEIGHTS_BEFORE,
    FUSE_AFFINE_INTO_WEIGHTS_BEHIND,
    MERGE_AFFINE_RUNS,
    REMOVE_IDENTITIES,
    REMOVE_DEAD_LAYERS,
)
