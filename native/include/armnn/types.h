/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * types.h - the values that cross the border between the host and a backend.
 *
 * Included by backend_api.h; a backend author includes that file and never this one. Needs only
 * <stddef.h> and <stdint.h>, and compiles as C11 and as C++17.
 *
 * Rules of this file, which hold for every structure of the backend API:
 *   - only fixed-width integers, float, double and pointers; padding is spelt out;
 *   - a structure that can grow starts with an armnn_header_t; one without a header is frozen for
 *     the whole major version;
 *   - new members are appended, zero is their default, numbers are never reused or reordered;
 *   - enumerations are stored in int32_t or uint32_t members, never as a C enum.
 */
#ifndef ARMNN_TYPES_H_
#define ARMNN_TYPES_H_

#if defined(__cplusplus) && __cplusplus < 201703L
#error "these headers need C++17 or later: noexcept is part of a function's type there"
#endif

/* armnn_add_backend defines one of these in a cross build. */
#if (defined(ARMNN_I_FOR_AARCH64) && !defined(__aarch64__)) || \
    (defined(ARMNN_I_FOR_X86_64) && !defined(__x86_64__))
#error "this compiler is not for CMAKE_SYSTEM_PROCESSOR: the toolchain file names none that is"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ARMNN_NOEXCEPT \
  noexcept /* part of the type in C++17: a throwing function does not convert */
#define ARMNN_STATIC_ASSERT(condition, text) static_assert(condition, text)
extern "C" {
#else
#define ARMNN_NOEXCEPT
#define ARMNN_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

/* ---- Limits ------------------------------------------------------------------------------- */

#define ARMNN_MAX_DIMS 8     /* dimensions of a tensor; Arm NN itself stops at 5 */
#define ARMNN_MAX_ID_SIZE 64 /* bytes of a backend id, without the closing zero */

/* ---- Header of a structure that can grow --------------------------------------------------- */

/* The writer of a structure sets |struct_size| to sizeof as its own compiler sees it and
 * |struct_type| to the tag below. Reading: a member exists when the stated size covers it; a
 * function of a table exists when, in addition, it is not null. Never compare sizes for equality.
 */
typedef struct armnn_header_t {
  uint32_t struct_size;
  uint32_t struct_type;
} armnn_header_t;

#define ARMNN_MEMBER_END(type, member) \
  ((uint32_t)(offsetof(type, member) + sizeof(((type*)0)->member)))
#define ARMNN_HAS(pointer, type, member) \
  ((pointer)->header.struct_size >= ARMNN_MEMBER_END(type, member))
#define ARMNN_HAS_FN(pointer, type, member) \
  (ARMNN_HAS(pointer, type, member) && (pointer)->member != NULL)

/* Kind tags. The upper half spells "AN", so that memory which is not ours is told apart at once.
 * A layer descriptor's tag is ARMNN_STRUCT_DESCRIPTOR + its layer type. */
enum armnn_struct_type_e {
  ARMNN_STRUCT_ERROR = 0x414e0001,
  ARMNN_STRUCT_TENSOR_INFO = 0x414e0002,
  ARMNN_STRUCT_CONST_TENSOR = 0x414e0003,
  ARMNN_STRUCT_LAYER = 0x414e0004,
  ARMNN_STRUCT_SUBGRAPH = 0x414e0005,
  ARMNN_STRUCT_LAYER_QUERY = 0x414e0006,
  ARMNN_STRUCT_BLOB = 0x414e0007,
  ARMNN_STRUCT_WORKLOAD_INFO = 0x414e0008,
  ARMNN_STRUCT_WORKLOAD_REQUIREMENTS = 0x414e0009,
  ARMNN_STRUCT_EXECUTE_ARGS = 0x414e000a,
  ARMNN_STRUCT_FACTORY_ARGS = 0x414e000b,
  ARMNN_STRUCT_HOST = 0x414e000c,
  ARMNN_STRUCT_REGISTRY = 0x414e000d,
  ARMNN_STRUCT_OPTIMIZATION_SINK = 0x414e000e,
  ARMNN_STRUCT_PROFILING_HOST = 0x414e000f,
  ARMNN_STRUCT_COUNTER_DESCRIPTION = 0x414e0010,
  ARMNN_STRUCT_DEVICE_DESCRIPTION = 0x414e0011,
  ARMNN_STRUCT_CREATE_ARGS = 0x414e0012,
  ARMNN_STRUCT_OPTION_DESCRIPTION = 0x414e0013,
  ARMNN_STRUCT_RUN_NOTICE = 0x414e0014,
  ARMNN_STRUCT_TENSOR_NEEDS = 0x414e0015,
  ARMNN_STRUCT_MEMORY = 0x414e0016,
  ARMNN_STRUCT_BACKEND = 0x414e0020,
  ARMNN_STRUCT_BACKEND_CONTEXT = 0x414e0021,
  ARMNN_STRUCT_MODEL_CONTEXT = 0x414e0022,
  ARMNN_STRUCT_PROFILING_CONTEXT = 0x414e0023,
  ARMNN_STRUCT_LAYER_SUPPORT = 0x414e0024,
  ARMNN_STRUCT_MEMORY_MANAGER = 0x414e0025,
  ARMNN_STRUCT_ALLOCATOR = 0x414e0026,
  ARMNN_STRUCT_TENSOR_HANDLE_FACTORY = 0x414e0027,
  ARMNN_STRUCT_TENSOR_HANDLE = 0x414e0028,
  ARMNN_STRUCT_WORKLOAD_FACTORY = 0x414e0029,
  ARMNN_STRUCT_WORKLOAD = 0x414e002a,
  ARMNN_STRUCT_FENCE = 0x414e002b,
  ARMNN_STRUCT_DESCRIPTOR = 0x414e1000,
  ARMNN_STRUCT_TYPE_MAX_ENUM = INT32_MAX
};

/* ---- Status and error ---------------------------------------------------------------------- */

/* 0 is success, positive values are answers ("no" is not an error), negative values are errors. */
typedef int32_t armnn_status_t;

enum armnn_status_e {
  ARMNN_STATUS_OK = 0,
  ARMNN_STATUS_UNSUPPORTED = 1, /* a normal answer: this backend does not take this layer */
  ARMNN_STATUS_UNAVAILABLE = 2, /* a normal answer: no such device or driver on this machine */
  ARMNN_STATUS_INVALID_ARGUMENT = -1,
  ARMNN_STATUS_OUT_OF_MEMORY = -2,
  ARMNN_STATUS_CANCELLED = -3,
  ARMNN_STATUS_TIMEOUT = -4,
  ARMNN_STATUS_INCOMPATIBLE = -5, /* versions, blobs, allocators that do not fit together */
  ARMNN_STATUS_DEVICE_LOST = -6,
  ARMNN_STATUS_UNIMPLEMENTED = -7,
  ARMNN_STATUS_INTERNAL = -8,
  ARMNN_STATUS_MAX_ENUM = INT32_MAX
};

/* Storage belongs to the caller, nothing is ever freed. The callee writes at most |capacity| bytes
 * of UTF-8 including the closing zero, and sets |needed| to the bytes that the whole text takes,
 * so that a cut text is known as such. The caller clears |code|, |needed| and text[0] before the
 * call; a callee with nothing to say leaves them. A null armnn_error_t* is allowed everywhere. */
typedef struct armnn_error_t {
  armnn_header_t header;
  armnn_status_t code;
  int32_t vendor_code;
  char* text;
  uint64_t capacity;
  uint64_t needed;
} armnn_error_t;

/* ---- Small frozen types -------------------------------------------------------------------- */

/* Counted UTF-8; need not end in a zero. Passed in: valid for the call, the callee copies. |data|
 * is null only if |size| is 0. */
typedef struct armnn_string_t {
  const char* data;
  uint64_t size;
} armnn_string_t;

enum armnn_option_type_e {
  ARMNN_OPTION_BOOL = 0,
  ARMNN_OPTION_INT = 1,
  ARMNN_OPTION_UINT = 2,
  ARMNN_OPTION_FLOAT = 3,
  ARMNN_OPTION_STRING = 4,
  ARMNN_OPTION_TYPE_MAX_ENUM = INT32_MAX
};

/* A named value: an option of a backend, of a model or of a run, or a capability. Bool, int and
 * uint use |integer|, float uses |real|, string uses |string|. */
typedef struct armnn_option_t {
  armnn_string_t name;
  int32_t type;
  uint32_t flags; /* zero */
  int64_t integer;
  double real;
  armnn_string_t string;
} armnn_option_t;

typedef struct armnn_options_t {
  const armnn_option_t* items; /* null only if |count| is 0 */
  uint64_t count;
} armnn_options_t;

/* The kind of an option: when its values are given. */
enum armnn_option_scope_e {
  ARMNN_OPTION_SCOPE_BACKEND = 0, /* get_option_defaults: create, set_option */
  ARMNN_OPTION_SCOPE_MODEL = 1,   /* get_model_option_defaults: |model_options| */
  ARMNN_OPTION_SCOPE_RUN = 2,     /* get_run_option_defaults: before_run */
  ARMNN_OPTION_SCOPE_MAX_ENUM = INT32_MAX
};

/* Bits of armnn_option_description_t.flags. */
enum armnn_option_bits_e {
  /* The host shows neither value nor default anywhere; no text of the backend may have them. */
  ARMNN_OPTION_SECRET = 1 << 0,
  /* SCOPE_BACKEND: set_option takes it, also while networks are loaded and run. */
  ARMNN_OPTION_CHANGEABLE = 1 << 1,
  ARMNN_OPTION_BITS_MAX_ENUM = INT32_MAX
};

/* What people read about an option, and what the host checks before a backend gets its value.
 * Members that are zero say nothing; the default keeps to the rest. A STRING has choices or none;
 * an INT or UINT has a range, choices or neither; a FLOAT has a range or none; a BOOL has none. */
typedef struct armnn_option_description_t {
  armnn_header_t header;
  uint32_t flags; /* armnn_option_bits_e; a bit that means nothing is refused */
  uint32_t reserved;
  armnn_string_t help; /* one line: what it does */
  armnn_string_t unit; /* of a number: "ms", "MiB" */
  int64_t minimum;     /* INT, UINT: |minimum| to |maximum|, both included; both 0: any */
  int64_t maximum;
  double real_minimum; /* FLOAT: the same; may be infinite */
  double real_maximum;
  const armnn_string_t* choices; /* the only values; those of INT and UINT in decimal */
  uint64_t choice_count;
} armnn_option_description_t;

/* ---- Runs ---------------------------------------------------------------------------------- */

/* One run of a network, for before_run and after_run; valid for the call. */
typedef struct armnn_run_notice_t {
  armnn_header_t header;
  uint64_t network_id;     /* UINT64_MAX: one that the host itself computes or times, unannounced */
  uint64_t run_id;         /* that of armnn_execute_args_t, for cancelled() */
  void* execution_data;    /* that of armnn_execute_args_t */
  armnn_options_t options; /* of this run: the values that the user gave for this backend */
  armnn_status_t status;   /* after_run: how the run ended */
  uint32_t reserved;
} armnn_run_notice_t;

/* ---- Processors ----------------------------------------------------------------------------- */

/* Bits returned by cpu_features. A bit is set only if the operating system saves the registers. */
#define ARMNN_CPU_X86_SSE42 (UINT64_C(1) << 0)
#define ARMNN_CPU_X86_AVX (UINT64_C(1) << 1)
#define ARMNN_CPU_X86_AVX2 (UINT64_C(1) << 2)
#define ARMNN_CPU_X86_FMA (UINT64_C(1) << 3)
#define ARMNN_CPU_X86_F16C (UINT64_C(1) << 4)
#define ARMNN_CPU_X86_AVX512F (UINT64_C(1) << 5)
#define ARMNN_CPU_X86_AVX512BW (UINT64_C(1) << 6)
#define ARMNN_CPU_X86_AVX512VL (UINT64_C(1) << 7)
#define ARMNN_CPU_X86_AVX512DQ (UINT64_C(1) << 8)
#define ARMNN_CPU_X86_AVX512VNNI (UINT64_C(1) << 9)
#define ARMNN_CPU_X86_AVX512BF16 (UINT64_C(1) << 10)
#define ARMNN_CPU_X86_AVXVNNI (UINT64_C(1) << 11)
#define ARMNN_CPU_X86_AMX_INT8 (UINT64_C(1) << 12) /* with permission for its tiles */
#define ARMNN_CPU_ARM_NEON (UINT64_C(1) << 32)
#define ARMNN_CPU_ARM_FP16 (UINT64_C(1) << 33)
#define ARMNN_CPU_ARM_DOTPROD (UINT64_C(1) << 34)
#define ARMNN_CPU_ARM_I8MM (UINT64_C(1) << 35)
#define ARMNN_CPU_ARM_BF16 (UINT64_C(1) << 36)
#define ARMNN_CPU_ARM_SVE (UINT64_C(1) << 37)

/* ---- Tensors ------------------------------------------------------------------------------- */

/* clang-format off */
/* Generated from schema by scripts/generate_layers.py, down to the next such line. */

enum armnn_data_type_e {
  ARMNN_DATA_TYPE_FLOAT16 = 0,
  ARMNN_DATA_TYPE_FLOAT32 = 1,
  ARMNN_DATA_TYPE_QASYMM_U8 = 2,
  ARMNN_DATA_TYPE_SIGNED32 = 3,
  ARMNN_DATA_TYPE_BOOLEAN = 4, /* one byte, 0 or 1 */
  ARMNN_DATA_TYPE_QSYMM_S16 = 5,
  ARMNN_DATA_TYPE_QSYMM_S8 = 6, /* per tensor or per axis */
  ARMNN_DATA_TYPE_QASYMM_S8 = 7,
  ARMNN_DATA_TYPE_BFLOAT16 = 8, /* travels as uint16 in numpy */
  ARMNN_DATA_TYPE_SIGNED64 = 9,
  ARMNN_DATA_TYPE_UNSIGNED16 = 10,
  ARMNN_DATA_TYPE_UNSIGNED32 = 11,
  ARMNN_DATA_TYPE_UNSIGNED64 = 12,
  ARMNN_DATA_TYPE_FLOAT64 = 13,
  ARMNN_DATA_TYPE_FLOAT8_E4M3FN = 14, /* no infinities; travels as uint8 in numpy */
  /* one NaN, no infinities, no -0; travels as uint8 in numpy */
  ARMNN_DATA_TYPE_FLOAT8_E4M3FNUZ = 15,
  ARMNN_DATA_TYPE_FLOAT8_E5M2 = 16, /* travels as uint8 in numpy */
  /* one NaN, no infinities, no -0; travels as uint8 in numpy */
  ARMNN_DATA_TYPE_FLOAT8_E5M2FNUZ = 17,
  ARMNN_DATA_TYPE_FLOAT8_E8M0FNU = 18, /* powers of two and NaN; travels as uint8 in numpy */
  ARMNN_DATA_TYPE_FLOAT4_E2M1FN = 19, /* no NaN, no infinities; two to a byte */
  ARMNN_DATA_TYPE_QASYMM_S4 = 20, /* two to a byte */
  ARMNN_DATA_TYPE_QASYMM_U4 = 21, /* two to a byte */
  ARMNN_DATA_TYPE_QASYMM_S2 = 22, /* four to a byte */
  ARMNN_DATA_TYPE_QASYMM_U2 = 23, /* four to a byte */
  ARMNN_DATA_TYPE_COUNT = 24, /* one above the highest */
  ARMNN_DATA_TYPE_MAX_ENUM = INT32_MAX
};

/* Order of batch (N), channels (C), depth (D), height (H) and width (W). */
enum armnn_data_layout_e {
  ARMNN_DATA_LAYOUT_NCHW = 1,
  ARMNN_DATA_LAYOUT_NHWC = 2,
  ARMNN_DATA_LAYOUT_NDHWC = 3,
  ARMNN_DATA_LAYOUT_NCDHW = 4,
  ARMNN_DATA_LAYOUT_COUNT = 5,
  ARMNN_DATA_LAYOUT_MAX_ENUM = INT32_MAX
};

/* Generated down to here. */
/* clang-format on */

enum armnn_dimensionality_e {
  ARMNN_DIMENSIONALITY_NOT_SPECIFIED = 0,
  ARMNN_DIMENSIONALITY_SPECIFIED = 1,
  ARMNN_DIMENSIONALITY_SCALAR = 2,
  ARMNN_DIMENSIONALITY_MAX_ENUM = INT32_MAX
};

/* Bits of armnn_tensor_info_t.flags. */
enum armnn_tensor_bits_e {
  ARMNN_TENSOR_CONSTANT = 1 << 0, /* the values are known when the workload is made */
  ARMNN_TENSOR_BITS_MAX_ENUM = INT32_MAX
};

/* Where memory lies; one bit each, combined in import and export masks. Arm NN's numbers, and FILE.
 */
enum armnn_memory_source_e {
  ARMNN_MEMORY_SOURCE_UNDEFINED = 0,
  ARMNN_MEMORY_SOURCE_MALLOC = 1,            /* at an address of this process */
  ARMNN_MEMORY_SOURCE_DMA_BUF = 2,           /* descriptor of a Linux dma-buf */
  ARMNN_MEMORY_SOURCE_DMA_BUF_PROTECTED = 4, /* the same, which the host cannot map */
  ARMNN_MEMORY_SOURCE_GRALLOC = 8,           /* reserved */
  ARMNN_MEMORY_SOURCE_FILE = 16,             /* descriptor of a memfd or file: mmap shares it */
  ARMNN_MEMORY_SOURCE_MAX_ENUM = INT32_MAX
};

/* Shape, type and quantisation of a dense, row-major tensor: the last dimension is contiguous.
 * Quantised values mean real = scale * (q - zero_point).
 *
 * Per axis there is a scale for each index of |quantization_dim|. In blocks, which later minor
 * versions bring, |block_size| neighbours along that axis share one, and all other indices have
 * scales of their own: |scales| is a dense tensor of the same shape, but for
 * ceil(dims[quantization_dim] / block_size).
 *
 * Elements of less than a byte are packed: of b bits, element i lies in byte i * b / 8, from bit
 * i * b % 8 upwards; rows are not padded, unused bits at the end are 0. armnn_data_type_bits of
 * names.h tells b. No input, output or variable of a network has them; constants, and tensors
 * between its layers, may. An 8-bit float is a data type like any other. */
typedef struct armnn_tensor_info_t {
  armnn_header_t header;
  int32_t data_type;       /* armnn_data_type_e */
  uint32_t dimensionality; /* armnn_dimensionality_e; a scalar has rank 0 and one element */
  uint32_t rank;           /* 0 .. ARMNN_MAX_DIMS */
  uint32_t dim_known_mask; /* bit d: dims[d] is known; clear: it is an upper bound */
  uint64_t dims[ARMNN_MAX_DIMS];
  uint64_t element_count;      /* product of dims; 1 for a scalar */
  const float* scales;         /* |quantization_count| values, else null */
  const int32_t* zero_points;  /* |quantization_count| values, else null */
  uint32_t quantization_count; /* 0 none, 1 per tensor, n per axis */
  int32_t quantization_dim;    /* axis of per-axis quantisation, else -1 */
  uint32_t flags;              /* armnn_tensor_bits_e */
  uint32_t block_size;         /* 0: no blocks, always so in version 2.0 */
  uint64_t fields_used;        /* must-understand bits, see backend_api.h */
} armnn_tensor_info_t;

/* A tensor whose values are known. |data| is 64-byte aligned. */
typedef struct armnn_const_tensor_t {
  armnn_header_t header;
  const armnn_tensor_info_t* info;
  const void* data;
  uint64_t size; /* bytes */
} armnn_const_tensor_t;

#if UINTPTR_MAX > 0xffffffffu
ARMNN_STATIC_ASSERT(sizeof(armnn_header_t) == 8, "frozen");
ARMNN_STATIC_ASSERT(sizeof(armnn_string_t) == 16, "frozen");
ARMNN_STATIC_ASSERT(sizeof(armnn_option_t) == 56, "frozen");
ARMNN_STATIC_ASSERT(sizeof(armnn_options_t) == 16, "frozen");
ARMNN_STATIC_ASSERT(sizeof(armnn_error_t) == 40, "first version");
ARMNN_STATIC_ASSERT(sizeof(armnn_option_description_t) == 96, "first version");
ARMNN_STATIC_ASSERT(sizeof(armnn_run_notice_t) == 56, "first version");
ARMNN_STATIC_ASSERT(sizeof(armnn_tensor_info_t) == 136, "first version");
#endif

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_TYPES_H_ */
