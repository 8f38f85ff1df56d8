# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The simplifying passes, in the order in which they run (Arm NN's order).

Each is a function in a module of its own, which is imported when a network has layers that the pass
begins at.
"""

from __future__ import annotations

from armnn_py.optimizer.passes.base import (
    Pass,
    PassLog,
    has_operands_of_unequal_rank,
    is_affine,
    is_known,
    late,
    multiplies,
)
from armnn_py.types import LayerType

__all__ = ["SIMPLIFYING", "Pass", "PassLog"]

_TRANSPOSES = frozenset({LayerType.PERMUTE, LayerType.TRANSPOSE})
_AFFINE = frozenset(
    {LayerType.ACTIVATION, LayerType.BATCH_NORMALIZATION, LayerType.ELEMENTWISE_BINARY}
)

#: Every pass that runs before layers get their backends.
SIMPLIFYING: tuple[Pass, ...] = (
    # Before constants are dequantised for good.
    Pass(
        "make-quantized-layers",
        "a layer between Dequantize and Quantize layers computes quantised numbers",
        late(".quantized_layers"),
        frozenset({LayerType.QUANTIZE}),
    ),
    Pass(
        "write-out-lstm",
        "an LSTM that only a later backend takes becomes the layers of its steps",
        late(".write_out_lstm"),
        frozenset({LayerType.LSTM, LayerType.UNIDIRECTIONAL_SEQUENCE_LSTM}),
    ),
    Pass(
        "write-out-attention",
        "an Attention or RotaryEmbedding that only a later backend takes becomes its parts",
        late(".write_out_attention"),
        frozenset({LayerType.ATTENTION, LayerType.ROTARY_EMBEDDING}),
    ),
    Pass(
        "insert-broadcast-reshapes",
        "elementwise layers get operands of equal rank",
        late(".broadcast_shapes"),
        begins_at=has_operands_of_unequal_rank,
    ),
    # Constants.
    Pass(
        "fold-constants",
        "layers whose inputs are all constant are computed now and become constants",
        late(".folding.fold_constants"),
        begins_at=is_known,
    ),
    # The main passes.
    Pass(
        "squash-equal-transpose-siblings",
        "equal Transposes of one tensor become one",
        late(".squash_siblings", LayerType.TRANSPOSE),
        frozenset({LayerType.TRANSPOSE}),
        least=2,
    ),
    Pass(
        "squash-equal-reshape-siblings",
        "equal Reshapes of one tensor become one",
        late(".squash_siblings", LayerType.RESHAPE),
        frozenset({LayerType.RESHAPE}),
        least=2,
    ),
    Pass(
        "cancel-inverse-transposes",
        "a Transpose that takes back the Transpose before it",
        late(".permutes.inverse_permutes"),
        _TRANSPOSES,
    ),
    Pass(
        "permute-regions",
        "layers compute in another order of dimensions if that takes fewer Transposes",
        late(".permutes.permute_regions"),
        _TRANSPOSES,
    ),
    Pass(
        "move-transpose-up",
        "Transposes move up through elementwise layers to where they cancel",
        late(".permutes.move_permute_up"),
        _TRANSPOSES,
    ),
    Pass(
        "transpose-as-reshape",
        "a Transpose that moves only dimensions of 1 becomes a Reshape",
        late(".permutes.permute_as_reshape"),
        _TRANSPOSES,
    ),
    Pass(
        "merge-consecutive-reshapes",
        "of Reshapes in a row only the last stays",
        late(".merge_reshapes"),
        frozenset({LayerType.RESHAPE}),
        least=2,
    ),
    # Fusions.
    Pass(
        "fold-pad-into-convolution2d",
        "zeros padded around an image become the padding of the convolution that reads it",
        late(".folding.fold_pad", LayerType.CONVOLUTION2D),
        frozenset({LayerType.PAD}),
    ),
    Pass(
        "fold-pad-into-depthwise-convolution2d",
        "zeros padded around an image become the padding of the depthwise convolution that reads "
        "it",
        late(".folding.fold_pad", LayerType.DEPTHWISE_CONVOLUTION2D),
        frozenset({LayerType.PAD}),
    ),
    Pass(
        "fold-pad-into-pooling2d",
        "padding that pooling does not notice becomes its own",
        late(".folding.fold_pad", LayerType.POOLING2D),
        frozenset({LayerType.PAD}),
    ),
    Pass(
        "transpose-and-batch-to-space-as-depth-to-space",
        "a Transpose and the BatchToSpaceNd behind it become one DepthToSpace",
        late(".depth_to_space"),
        frozenset({LayerType.BATCH_TO_SPACE_ND}),
    ),
    Pass(
        "fuse-batch-norm-into-convolution2d",
        "batch normalisation becomes part of the constant weights of the convolution before it",
        late(".fuse_affine", LayerType.CONVOLUTION2D),
        frozenset({LayerType.BATCH_NORMALIZATION}),
    ),
    Pass(
        "fuse-batch-norm-into-depthwise-convolution2d",
        "batch normalisation becomes part of the constant weights of the depthwise convolution "
        "before it",
        late(".fuse_affine", LayerType.DEPTHWISE_CONVOLUTION2D),
        frozenset({LayerType.BATCH_NORMALIZATION}),
    ),
    # Passes that Arm NN does not have.
    Pass(
        "fold-edges-into-pooling2d",
        "repeated edges that a maximum does not notice become its padding",
        late(".folding.fold_pad", function="fold_edges"),
        frozenset({LayerType.GATHER}),
    ),
    Pass(
        "merge-consecutive-slices",
        "a cut from a cut is made from the first tensor",
        late(".merge_slices"),
        frozenset({LayerType.SLICE, LayerType.STRIDED_SLICE}),
    ),
    Pass(
        "recognize-hard-swish",
        "x * clip(x + 3, 0, 6) / 6 in several layers becomes one Activation",
        late(".hard_swish"),
        frozenset({LayerType.ELEMENTWISE_BINARY}),
        multiplies,
    ),
    Pass(
        "fuse-affine-into-weights-before",
        "constants that a result is multiplied with, or that are added, become part of the weights "
        "and the bias that made it",
        late(".fuse_affine", function="into_before"),
        _AFFINE,
        is_affine,
    ),
    Pass(
        "fuse-affine-into-weights-behind",
        "constants that an input is multiplied with, or that are added, become part of the weights "
        "and the bias that read it",
        late(".fuse_affine", function="into_behind"),
        _AFFINE,
        is_affine,
    ),
    Pass(
        "merge-affine-runs",
        "multiplications and additions of constants in a row become one layer",
        late(".merge_affine"),
        _AFFINE,
        is_affine,
        least=2,
    ),
    Pass("remove-identities", "layers that hand on what they read", late(".identities")),
    Pass("remove-dead-layers", "layers that no output depends on", late(".dead_layers")),
)
