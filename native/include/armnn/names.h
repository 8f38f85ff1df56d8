/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * names.h - what the numbers of types.h and descriptors.h are called, and what they imply: how
 * large elements are, which data types are quantised, which layers move elements.
 *
 * Optional, as the kit is; backend_kit.h includes it.
 */
#ifndef ARMNN_NAMES_H_
#define ARMNN_NAMES_H_

#include "armnn/descriptors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Generated from schema by scripts/generate_layers.py, down to the next such line. */

/* Name of a data type, for messages. */
static inline const char* armnn_data_type_name(int32_t number) {
  switch (number) {
    case 0: return "float16";
    case 1: return "float32";
    case 2: return "quantised uint8";
    case 3: return "int32";
    case 4: return "bool";
    case 5: return "quantised int16";
    case 6: return "quantised int8 of zero point 0";
    case 7: return "quantised int8";
    case 8: return "bfloat16";
    case 9: return "int64";
    case 10: return "uint16";
    case 11: return "uint32";
    case 12: return "uint64";
    case 13: return "float64";
    case 14: return "float8_e4m3fn";
    case 15: return "float8_e4m3fnuz";
    case 16: return "float8_e5m2";
    case 17: return "float8_e5m2fnuz";
    case 18: return "float8_e8m0fnu";
    case 19: return "float4_e2m1fn";
    case 20: return "quantised int4";
    case 21: return "quantised uint4";
    case 22: return "quantised int2";
    case 23: return "quantised uint2";
    default: return "unknown type";
  }
}

/* Bits of one element; 0 for a number that is not a data type. */
static inline uint32_t armnn_data_type_bits(int32_t number) {
  switch (number) {
    case 0: return 16;
    case 1: return 32;
    case 2: return 8;
    case 3: return 32;
    case 4: return 8;
    case 5: return 16;
    case 6: return 8;
    case 7: return 8;
    case 8: return 16;
    case 9: return 64;
    case 10: return 16;
    case 11: return 32;
    case 12: return 64;
    case 13: return 64;
    case 14: return 8;
    case 15: return 8;
    case 16: return 8;
    case 17: return 8;
    case 18: return 8;
    case 19: return 4;
    case 20: return 4;
    case 21: return 4;
    case 22: return 2;
    case 23: return 2;
    default: return 0;
  }
}

/* Whether elements stand for scale * (element - zero point). */
static inline int32_t armnn_data_type_is_quantized(int32_t number) {
  switch (number) {
    case 2: return 1;
    case 5: return 1;
    case 6: return 1;
    case 7: return 1;
    case 20: return 1;
    case 21: return 1;
    case 22: return 1;
    case 23: return 1;
    default: return 0;
  }
}

/* Name of a layer type, for messages. */
static inline const char* armnn_layer_type_name(int32_t number) {
  switch (number) {
    case 0: return "Activation";
    case 1: return "Addition";
    case 2: return "ArgMinMax";
    case 3: return "BatchNormalization";
    case 4: return "BatchToSpaceNd";
    case 5: return "Comparison";
    case 6: return "Concat";
    case 7: return "Constant";
    case 8: return "ConvertFp16ToFp32";
    case 9: return "ConvertFp32ToFp16";
    case 10: return "Convolution2d";
    case 11: return "Debug";
    case 12: return "DepthToSpace";
    case 13: return "DepthwiseConvolution2d";
    case 14: return "Dequantize";
    case 15: return "DetectionPostProcess";
    case 16: return "Division";
    case 17: return "ElementwiseUnary";
    case 18: return "FakeQuantization";
    case 19: return "Fill";
    case 20: return "Floor";
    case 21: return "FullyConnected";
    case 22: return "Gather";
    case 23: return "Input";
    case 24: return "InstanceNormalization";
    case 25: return "L2Normalization";
    case 26: return "LogicalBinary";
    case 27: return "LogSoftmax";
    case 28: return "Lstm";
    case 29: return "QLstm";
    case 30: return "Map";
    case 31: return "Maximum";
    case 32: return "Mean";
    case 33: return "MemCopy";
    case 34: return "MemImport";
    case 35: return "Merge";
    case 36: return "Minimum";
    case 37: return "Multiplication";
    case 38: return "Normalization";
    case 39: return "Output";
    case 40: return "Pad";
    case 41: return "Permute";
    case 42: return "Pooling2d";
    case 43: return "PreCompiled";
    case 44: return "Prelu";
    case 45: return "Quantize";
    case 46: return "QuantizedLstm";
    case 47: return "Reshape";
    case 48: return "Rank";
    case 49: return "Resize";
    case 50: return "Reduce";
    case 51: return "Slice";
    case 52: return "Softmax";
    case 53: return "SpaceToBatchNd";
    case 54: return "SpaceToDepth";
    case 55: return "Splitter";
    case 56: return "Stack";
    case 57: return "StandIn";
    case 58: return "StridedSlice";
    case 59: return "Subtraction";
    case 60: return "Switch";
    case 61: return "Transpose";
    case 62: return "TransposeConvolution2d";
    case 63: return "Unmap";
    case 64: return "Cast";
    case 65: return "Shape";
    case 66: return "UnidirectionalSequenceLstm";
    case 67: return "ChannelShuffle";
    case 68: return "Convolution3d";
    case 69: return "Pooling3d";
    case 70: return "GatherNd";
    case 71: return "BatchMatMul";
    case 72: return "ElementwiseBinary";
    case 73: return "ReverseV2";
    case 74: return "Tile";
    case 75: return "Fused";
    case 76: return "BroadcastTo";
    case 77: return "ScatterNd";
    case 78: return "Select";
    case 79: return "LayerNormalization";
    case 80: return "RmsNormalization";
    case 81: return "Gru";
    case 82: return "TopK";
    case 83: return "CumSum";
    case 84: return "OneHot";
    case 85: return "DynamicQuantize";
    case 86: return "MatMulInteger";
    case 87: return "DequantizeBlocks";
    case 88: return "Rnn";
    case 89: return "Random";
    case 90: return "RotaryEmbedding";
    case 91: return "Attention";
    case 92: return "NonMaxSuppression";
    case 93: return "TreeLeaves";
    default: return "unknown layer";
  }
}

/* Whether a layer puts elements of its input elsewhere, as they are: their quantisation must be
 * that of the output. */
static inline int32_t armnn_layer_moves_elements(int32_t number) {
  switch (number) {
    case 4: return 1;
    case 6: return 1;
    case 12: return 1;
    case 22: return 1;
    case 35: return 1;
    case 40: return 1;
    case 47: return 1;
    case 51: return 1;
    case 53: return 1;
    case 54: return 1;
    case 55: return 1;
    case 56: return 1;
    case 58: return 1;
    case 60: return 1;
    case 61: return 1;
    case 67: return 1;
    case 70: return 1;
    case 73: return 1;
    case 74: return 1;
    case 76: return 1;
    case 77: return 1;
    case 78: return 1;
    case 82: return 1;
    default: return 0;
  }
}

/* Name of what a layer's descriptor asks for first; null where there is none. */
static inline const char* armnn_operation_name(int32_t layer_type, int32_t operation) {
  switch (layer_type) {
    case ARMNN_LAYER_ACTIVATION:
      switch (operation) {
        case 0: return "Sigmoid";
        case 1: return "TanH";
        case 2: return "Linear";
        case 3: return "ReLu";
        case 4: return "BoundedReLu";
        case 5: return "SoftReLu";
        case 6: return "LeakyReLu";
        case 7: return "Abs";
        case 8: return "Sqrt";
        case 9: return "Square";
        case 10: return "Elu";
        case 11: return "HardSwish";
        case 12: return "Gelu";
        case 13: return "HardSigmoid";
        case 14: return "Mish";
        case 15: return "Softsign";
        case 16: return "ThresholdedReLu";
        default: return NULL;
      }
    case ARMNN_LAYER_COMPARISON:
      switch (operation) {
        case 0: return "Equal";
        case 1: return "Greater";
        case 2: return "GreaterOrEqual";
        case 3: return "Less";
        case 4: return "LessOrEqual";
        case 5: return "NotEqual";
        default: return NULL;
      }
    case ARMNN_LAYER_ELEMENTWISE_UNARY:
      switch (operation) {
        case 0: return "Abs";
        case 1: return "Exp";
        case 2: return "Sqrt";
        case 3: return "Rsqrt";
        case 4: return "Neg";
        case 5: return "LogicalNot";
        case 6: return "Log";
        case 7: return "Sin";
        case 8: return "Ceil";
        case 9: return "Floor";
        case 10: return "Erf";
        case 11: return "Round";
        case 12: return "Cos";
        case 13: return "Tan";
        case 14: return "Asin";
        case 15: return "Acos";
        case 16: return "Atan";
        case 17: return "Sinh";
        case 18: return "Cosh";
        case 19: return "Asinh";
        case 20: return "Acosh";
        case 21: return "Atanh";
        case 22: return "BitwiseNot";
        default: return NULL;
      }
    case ARMNN_LAYER_LOGICAL_BINARY:
      switch (operation) {
        case 0: return "LogicalAnd";
        case 1: return "LogicalOr";
        default: return NULL;
      }
    case ARMNN_LAYER_REDUCE:
      switch (operation) {
        case 0: return "Sum";
        case 1: return "Max";
        case 2: return "Mean";
        case 3: return "Min";
        case 4: return "Prod";
        default: return NULL;
      }
    case ARMNN_LAYER_ELEMENTWISE_BINARY:
      switch (operation) {
        case 0: return "Add";
        case 1: return "Div";
        case 2: return "Maximum";
        case 3: return "Minimum";
        case 4: return "Mul";
        case 5: return "Sub";
        case 6: return "SqDiff";
        case 7: return "Power";
        case 8: return "Mod";
        case 9: return "Fmod";
        case 10: return "BitwiseAnd";
        case 11: return "BitwiseOr";
        case 12: return "BitwiseXor";
        case 13: return "ShiftLeft";
        case 14: return "ShiftRight";
        default: return NULL;
      }
    default: return NULL;
  }
}

/* Generated down to here. */
/* clang-format on */

/* Bytes of one element; 0 for a number that is not a data type, and for types of less than a byte.
 */
static inline uint32_t armnn_data_type_size(int32_t data_type) {
  return armnn_data_type_bits(data_type) / 8;
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_NAMES_H_ */
