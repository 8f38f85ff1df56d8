/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend_api.h - the whole contract between armnn_py (the host) and a backend.
 *
 * A backend is a shared object <vendor>_<name>_backend.so with exactly three exports:
 *
 *   const char* GetBackendId(void);                    unique name without ':.=,?', static text
 *   void        GetVersion(uint32_t* major, uint32_t* minor);
 *   void*       BackendFactory(void);                  a constant armnn_backend_api_t
 *
 * The host calls them in that order. It accepts the same major version and a minor version not
 * above its own; before that is settled nothing else of the backend runs. All three are pure: no
 * hardware, no allocation, no host service, any number of calls from any thread. Arm NN looks for
 * the same file names and exports: its C++ interface is major version 1, this one begins at 2, so
 * that each host refuses the other's backends by the number.
 *
 * Reading order for authors: types.h (values), descriptors.h (layers), then this file. Most
 * backends need far less than is here; backend_kit.h turns a list of kernels into one.
 *
 * RULES
 *
 * Growth. Structures start with a header (types.h). Functions of a table may be null unless marked
 * "mandatory"; that short list never grows inside a major version. A backend built from an older
 * minor keeps loading: the host never shows it a layer type, data type or member that came later.
 * Members that change results later get a bit in |fields_used| of the structure that carries
 * them; the host does not offer such a structure to a backend whose table does not list the bit in
 * |understood_fields|. Version 2.0 defines no bit.
 *
 * Errors. A function that can fail returns armnn_status_t and writes a sentence into the caller's
 * armnn_error_t. UNSUPPORTED and UNAVAILABLE are answers, not errors. Nothing but a return leaves a
 * function: no exception, longjmp, abort, exit; no changed locale, signal handler or rounding mode.
 *
 * Strings. A returned const char* is static for as long as the library is mapped. An armnn_string_t
 * passed in is valid for the call. Longer texts go into the caller's buffer.
 *
 * Ownership. The side that allocates frees: every object has |destroy| in its own table. The host
 * destroys children before parents: fences, workloads, tensor handles, execution data, workload
 * factories, tensor handle factories, memory managers, layer support, model, profiling and backend
 * contexts, backend; then, if the table says ARMNN_BACKEND_UNLOADABLE, it closes the library. A
 * blob is released by its own function after the last workload made from it.
 *
 * Objects. Their first member points to a constant table. They are never moved and never written
 * by the other side.
 *
 * Threads. Each function is tagged:
 *   [load]   one at a time in a process, nothing else of this instance in flight; other
 *            instances live and run meanwhile: hold no lock from create to destroy
 *   [any]    any thread, concurrently
 *   [object] the host serialises calls on one object; different objects run concurrently
 *   [exec]   any thread, concurrently for different contexts; no Python, no host lock is held
 * A backend starts no thread of its own if it can use parallel_for of the host. It must work when
 * any entry of the host table is null. A library has no work in static initialisers and uses no
 * instruction above the baseline of its architecture outside functions that it guards itself.
 *
 * Layers. A layer that the host shows (a query, a layer of a sub-graph, a workload info) is a valid
 * one. The host has checked what follows, so that no backend checks it again:
 *   [type] It is canonical. ADDITION, DIVISION, MAXIMUM, MINIMUM, MULTIPLICATION and SUBTRACTION
 *       come as ELEMENTWISE_BINARY, PERMUTE as TRANSPOSE, MEAN as REDUCE, FLOOR as
 *       ELEMENTWISE_UNARY, CONVERT_FP16_TO_FP32 and CONVERT_FP32_TO_FP16 as CAST, MERGE as SELECT;
 *       SWITCH is not shown. The layouts of a BATCH_MAT_MUL are NCHW or NCDHW.
 *   [descriptor] There is one exactly if the type has one, with the tag of the type and every
 *       member that the minor of GetVersion knows. Enumerators are known ones. Strides, dilations,
 *       groups and blocks are not 0. Axes lie within the rank, none comes twice;
 *       a negative int32_t axis is shown as such and counts from the end.
 *   [operands] They are those of the type, in its order. Only an optional one may be absent: its
 *       entry is null, or it is left out at the end; ask |input_count| before you read it.
 *   [tensors] The data type is known, there are at most ARMNN_MAX_DIMS dimensions, all of them
 *       known (but see "Bounded shapes"), and |element_count| is their product. The product of
 * those that are not 0, times the size of an element, is below 2^63: nothing overflows int64_t.
 *   [shapes] Operands fit the descriptor and each other, in shapes and in data types. Outputs have
 *       the shapes and the data types that the layer gives. An output may be quantised otherwise
 *       than an input. Only its backend knows the outputs of a STAND_IN.
 *   [scales] Quantised operands have the scales that [weights] of descriptors.h demands.
 * A backend only asks what its own kernels can do: which data types, which quantisation, how large
 * a tensor, which operand must be constant. layer_rules.h has the usual answers.
 *
 * Bounded shapes. A dimension may be known only at execute, but not of a constant: then its bit in
 * |dim_known_mask| is clear, dims and |element_count| are those of its upper bound, and so are
 * sizes and origins in the descriptor. takes_bounded_shapes agrees to such a layer. All that its
 * workload states holds for every size up to the bound, 0 included, and each execute gets infos
 * with its own sizes; a tensor is dense with these. Bounded dimensions of two tensors of a layer
 * that have one index, counted from the last, and one bound are equal at each execute, but for
 * outputs whose size execute finds. All tensors of the network lie in host memory, and none of its
 * sub-graphs is offered to optimize_subgraph_view.
 *
 * Memory. Workloads hold no addresses: a workload is made from descriptor, tensor infos and
 * constants, packs what it wants to pack once, states its needs, and is immutable afterwards.
 * |execute| receives the addresses for this call. One workload is executed by many threads at once,
 * each with its own addresses and scratch. Tensors in host memory are dense and row-major; their
 * address is a multiple of the alignment that the workload asked for.
 */
#ifndef ARMNN_BACKEND_API_H_
#define ARMNN_BACKEND_API_H_

#include "armnn/descriptors.h"
#include "armnn/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version ------------------------------------------------------------------------------- */
#define ARMNN_BACKEND_API_MAJOR 2u
#define ARMNN_BACKEND_API_MINOR 0u

/* The oldest host minor that this binary must run on; GetVersion reports it. Define it before the
 * include to build, with a new header, a backend that older hosts accept. */
#ifndef ARMNN_TARGET_MINOR
#define ARMNN_TARGET_MINOR ARMNN_BACKEND_API_MINOR
#endif
#if ARMNN_TARGET_MINOR > ARMNN_BACKEND_API_MINOR
#error "ARMNN_TARGET_MINOR is above ARMNN_BACKEND_API_MINOR: these headers do not know that minor"
#endif

/* ---- Objects: opaque, first member is the table -------------------------------------------- */
#define ARMNN_OBJECT(name)                  \
  typedef struct name##_api_t name##_api_t; \
  typedef struct name##_t {                 \
    const name##_api_t* api;                \
  } name##_t

ARMNN_OBJECT(armnn_backend);
ARMNN_OBJECT(armnn_backend_context);
ARMNN_OBJECT(armnn_model_context);
ARMNN_OBJECT(armnn_profiling_context);
ARMNN_OBJECT(armnn_layer_support);
ARMNN_OBJECT(armnn_memory_manager);
ARMNN_OBJECT(armnn_allocator);
ARMNN_OBJECT(armnn_fence);
ARMNN_OBJECT(armnn_tensor_handle);
ARMNN_OBJECT(armnn_tensor_handle_factory);
ARMNN_OBJECT(armnn_workload_factory);
ARMNN_OBJECT(armnn_workload);

/* ---- Services of the host ------------------------------------------------------------------ */
enum armnn_log_level_e {
  ARMNN_LOG_TRACE = 0,
  ARMNN_LOG_DEBUG = 1,
  ARMNN_LOG_INFO = 2,
  ARMNN_LOG_WARNING = 3,
  ARMNN_LOG_ERROR = 4,
  ARMNN_LOG_LEVEL_MAX_ENUM = INT32_MAX
};

enum armnn_trace_phase_e {
  ARMNN_TRACE_BEGIN = 0,
  ARMNN_TRACE_END = 1,
  ARMNN_TRACE_INSTANT = 2,
  ARMNN_TRACE_PHASE_MAX_ENUM = INT32_MAX
};

/* Body of parallel_for: works on [begin, end). |thread_index| is below concurrency() and below
 * |max_threads|, and names the thread for the length of this parallel_for, so that it can select a
 * private part of scratch. The number of threads may change while a workload lives: one that sizes
 * its scratch by concurrency() keeps that number and passes it as |max_threads|. A status other
 * than OK ends the loop: chunks that have not begun are left out. */
typedef armnn_status_t (*armnn_range_fn_t)(void* argument, uint64_t begin, uint64_t end,
                                           uint32_t thread_index) ARMNN_NOEXCEPT;

/* Lives as long as the process. Every function is [any] unless said otherwise; |context| is the
 * member of the same name. */
typedef struct armnn_host_t {
  armnn_header_t header;
  uint32_t api_major;
  uint32_t api_minor;
  void* context;
  /* Would a line of this level be kept? Ask before building an expensive text. */
  int32_t (*log_enabled)(void* context, int32_t level) ARMNN_NOEXCEPT;
  /* Keeps a copy of the texts; never calls into Python. */
  void (*log)(void* context, int32_t level, armnn_string_t component,
              armnn_string_t text) ARMNN_NOEXCEPT;
  /* |alignment| is a power of two. Null when memory is out. */
  void* (*allocate)(void* context, uint64_t size, uint64_t alignment)ARMNN_NOEXCEPT;
  void (*release)(void* context, void* memory) ARMNN_NOEXCEPT;
  /* Threads that parallel_for may use, the caller included; at least 1. */
  uint32_t (*concurrency)(void* context) ARMNN_NOEXCEPT;
  /* Runs |body| over [0, count) in chunks of at least |grain|, on at most |max_threads| threads (0
   * = all), and returns when all of it is done: the first status other than OK that a body
   * returned, or OK. Inside a body it runs serially, as the thread's index there, or as 0
   * where |max_threads| is not above that index. INVALID_ARGUMENT without a body. */
  armnn_status_t (*parallel_for)(void* context, armnn_range_fn_t body, void* argument,
                                 uint64_t count, uint64_t grain,
                                 uint32_t max_threads) ARMNN_NOEXCEPT;
  /* 1 inside a body of parallel_for, where another one runs serially; 0 elsewhere. */
  int32_t (*in_parallel)(void* context) ARMNN_NOEXCEPT;
  /* |function| runs once on the calling thread, when that thread of the pool ends; UNSUPPORTED on
   * any other thread, INVALID_ARGUMENT unless |function| is code of a library that is loaded. The
   * host ends its threads before it closes a library; if the library is gone nevertheless, or
   * another is mapped at its address, |function| does not run. */
  armnn_status_t (*on_thread_exit)(void* context, void (*function)(void* argument) ARMNN_NOEXCEPT,
                                   void* argument) ARMNN_NOEXCEPT;
  /* Non-zero: the run should stop; a long execute asks now and then and returns CANCELLED. On its
   * own thread that handles Ctrl-C. optimize_subgraph_view and create_workload ask with run 0. */
  int32_t (*cancelled)(void* context, uint64_t run_id) ARMNN_NOEXCEPT;
  uint64_t (*now_ns)(void* context) ARMNN_NOEXCEPT; /* monotonic clock */
  /* An event of the trace, nested by begin and end on one thread; |id| is free for the backend,
   * usually a layer's guid. Cheap while nothing is recorded. */
  void (*trace)(void* context, int32_t phase, armnn_string_t name, uint64_t id) ARMNN_NOEXCEPT;
  uint64_t (*cpu_features)(void* context) ARMNN_NOEXCEPT; /* ARMNN_CPU_ bits */
  /* The device is gone: the host stops giving work to |who| and reports |why|. */
  void (*device_lost)(void* context, armnn_backend_t* who, armnn_string_t why) ARMNN_NOEXCEPT;
  /* A table named by a revisioned text ("armnn.something/1"), or null. */
  const void* (*extension)(void* context, const char* id)ARMNN_NOEXCEPT;
} armnn_host_t;

/* ---- Layers as the host shows them --------------------------------------------------------- */
/* A compiled sub-graph. The host owns it once a sink has accepted it, and calls |release| once
 * [any], after the last workload made from it was destroyed. */
typedef struct armnn_blob_t {
  armnn_header_t header;
  void* object;
  void (*release)(void* object) ARMNN_NOEXCEPT;
  armnn_string_t compatibility; /* what check_blob gets to see when a blob comes from a cache */
  /* Its bytes, for deserialize_blob of another process; both or neither [any]. |buffer| is 64-byte
   * aligned, |size| what get_size answered. Neither: where a network is saved, the layers that the
   * blob stands for are, and optimize_subgraph_view gets them again when it is loaded. */
  uint64_t (*get_size)(void* object) ARMNN_NOEXCEPT;
  armnn_status_t (*serialize)(void* object, void* buffer, uint64_t size,
                              armnn_error_t* error) ARMNN_NOEXCEPT;
} armnn_blob_t;

/* Where an input comes from: output |slot| of layer |layer|, or one of the values below. */
typedef struct armnn_slot_t {
  uint32_t layer;
  uint32_t slot;
} armnn_slot_t;

#define ARMNN_SLOT_BOUNDARY 0xffffffffu /* |slot| counts the inputs of the sub-graph */
#define ARMNN_SLOT_CONSTANT 0xfffffffeu /* |slot| is the input's own index: see constants[] */
#define ARMNN_SLOT_ABSENT 0xfffffffdu   /* an optional operand that is not there */

/* One layer of a sub-graph. Arrays |inputs|, |input_infos| and |constants| run in parallel. */
typedef struct armnn_layer_t {
  armnn_header_t header;
  /* The number of the user's layer that this one stands for. If it stands for several: the smallest
   * number among those of its own type. If for none: a number from 2^32 on. Unique in the network
   * and the same wherever the host shows the layer. Profiles need it: hand it to |trace|. */
  uint64_t guid;
  int32_t type; /* armnn_layer_type_e */
  uint32_t input_count;
  uint32_t output_count;
  uint32_t reserved;
  armnn_string_t name; /* may be empty, and several layers may have the same: go by the guid */
  const armnn_header_t* descriptor; /* null for a layer without parameters */
  const armnn_slot_t* inputs;
  const armnn_tensor_info_t* const* input_infos; /* null entry: absent */
  const armnn_const_tensor_t* const* constants;  /* null entry: not constant; may be null */
  const armnn_tensor_info_t* const* output_infos;
  const armnn_blob_t* blob; /* PRE_COMPILED only */
  uint64_t fields_used;
} armnn_layer_t;

/* A read-only view of some layers of the network; valid for the call. Layers are in topological
 * order. |inputs| lists the tensors that come from outside, |outputs| those used outside. */
typedef struct armnn_subgraph_t {
  armnn_header_t header;
  const armnn_layer_t* const* layers;
  const armnn_tensor_info_t* const* input_infos;
  const armnn_slot_t* outputs;
  uint32_t layer_count;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t reserved;
} armnn_subgraph_t;

/* The question "would you run this layer?", which is a valid one ("Layers" above). All pointers are
 * valid for the call. */
typedef struct armnn_layer_query_t {
  armnn_header_t header;
  int32_t type;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t reserved;
  const armnn_header_t* descriptor;
  const armnn_tensor_info_t* const* input_infos; /* null entry: absent */
  const armnn_tensor_info_t* const* output_infos;
  uint64_t fields_used;
} armnn_layer_query_t;

/* ---- Optimisation: four result lists (Arm NN's OptimizationViews) --------------------------- */
/* Host side, valid for one call of optimize_subgraph_view. Every layer of the sub-graph belongs in
 * exactly one list: substituted, failed, untouched or deleted. The host checks this, and slots,
 * types and shapes; a faulty answer turns the whole sub-graph into "failed". Layers named nowhere
 * count as untouched only if nothing at all was reported. Each function returns INVALID_ARGUMENT
 * for nonsense and may be called from the thread of the call only. */
typedef struct armnn_optimization_sink_t {
  armnn_header_t header;
  void* context;
  /* Opens a substitution of |layers| (indices into the sub-graph). */
  armnn_status_t (*begin_substitution)(void* context, const uint32_t* layers, uint64_t layer_count,
                                       uint64_t* out_token) ARMNN_NOEXCEPT;
  /* Adds a replacement layer; its inputs name earlier layers of the same replacement, or boundary
   * inputs of the substitution. The host copies everything; an accepted blob becomes its own. */
  armnn_status_t (*add_layer)(void* context, uint64_t token,
                              const armnn_layer_t* layer) ARMNN_NOEXCEPT;
  /* Closes the substitution. |inputs|: what each boundary input of the replacement is, in terms of
   * the sub-graph. |originals| and |replacements| run in parallel: a slot of the substituted layers
   * that is used outside, and the replacement's slot that its readers get instead. */
  armnn_status_t (*end_substitution)(void* context, uint64_t token, const armnn_slot_t* inputs,
                                     uint64_t input_count, const armnn_slot_t* originals,
                                     const armnn_slot_t* replacements,
                                     uint64_t output_count) ARMNN_NOEXCEPT;
  /* Cannot run here after all: the host assigns these layers to other backends. */
  armnn_status_t (*add_failed)(void* context, const uint32_t* layers, uint64_t layer_count,
                               armnn_string_t reason) ARMNN_NOEXCEPT;
  /* Run here, as they are. */
  armnn_status_t (*add_untouched)(void* context, const uint32_t* layers, uint64_t layer_count,
                                  armnn_string_t reason) ARMNN_NOEXCEPT;
  /* Together these layers do nothing: readers of their output i get their input i instead. */
  armnn_status_t (*add_deleted)(void* context, const uint32_t* layers,
                                uint64_t layer_count) ARMNN_NOEXCEPT;
} armnn_optimization_sink_t;

/* ---- Memory --------------------------------------------------------------------------------- */
/* An allocator, given by the user or by a backend. */
struct armnn_allocator_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_allocator_t* allocator) ARMNN_NOEXCEPT; /* [object] */
  void* (*allocate)(armnn_allocator_t* allocator, uint64_t size,
                    uint64_t alignment)ARMNN_NOEXCEPT;                        /* [any] */
  void (*release)(armnn_allocator_t* allocator, void* memory) ARMNN_NOEXCEPT; /* [any] */
  int32_t (*get_memory_source)(armnn_allocator_t* allocator) ARMNN_NOEXCEPT;  /* [any] */
  void* (*get_memory_region_at_offset)(armnn_allocator_t* allocator, void* memory, uint64_t offset,
                                       uint64_t alignment)ARMNN_NOEXCEPT; /* [any] */
};

/* Memory behind the objects of a backend: made real before the first run, given back at unload.
 * There are two kinds. Pools of tensors are registered with the factories of their handles, made
 * anew for each execution context, acquired with it, and gone with it. What all contexts of a
 * network share (weights on a device, say) is behind the manager of create_memory_manager, which
 * the workload factory gets: acquired for the first context, released when the network goes. */
struct armnn_memory_manager_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_memory_manager_t* manager) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*acquire)(armnn_memory_manager_t* manager,
                            armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*release)(armnn_memory_manager_t* manager,
                            armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
};

enum armnn_fence_kind_e {
  ARMNN_FENCE_OBJECT = 0,    /* |wait|, or the backend whose table it is */
  ARMNN_FENCE_EVENTFD = 1,   /* poll says that get_fd can be read, once it is signalled */
  ARMNN_FENCE_SYNC_FILE = 2, /* the same; drivers take it, too */
  ARMNN_FENCE_KIND_MAX_ENUM = INT32_MAX
};

/* Signalled once, and for good. */
struct armnn_fence_api_t {
  armnn_header_t header;
  int32_t kind; /* armnn_fence_kind_e */
  uint32_t reserved;
  void (*destroy)(armnn_fence_t* fence) ARMNN_NOEXCEPT; /* mandatory [object] */
  /* Mandatory [any]. OK: signalled; TIMEOUT: not within |timeout_ns|, where 0 only asks. Any other
   * answer: it is signalled, and what it stands for failed. */
  armnn_status_t (*wait)(armnn_fence_t* fence, uint64_t timeout_ns,
                         armnn_error_t* error) ARMNN_NOEXCEPT;
  int32_t (*get_fd)(armnn_fence_t* fence) ARMNN_NOEXCEPT; /* stays the fence's own [any] */
};

/* Memory to import. Valid for the call; |ready| until unimport_memory has returned. The host calls
 * DMA_BUF_IOCTL_SYNC of a DMA_BUF around its own copies; a backend around accesses of its own by
 * the processor, at |address| or in a mapping of its own. A device's accesses need none. */
typedef struct armnn_memory_t {
  armnn_header_t header;
  int32_t source;  /* one of armnn_memory_source_e */
  int32_t fd;      /* -1: none. It stays the host's: duplicate it to keep it */
  void* address;   /* of the first byte; null: the host could not map the descriptor */
  uint64_t offset; /* of the first byte behind |fd| */
  uint64_t size;   /* bytes from the first to behind the last */
  uint64_t byte_strides[ARMNN_MAX_DIMS]; /* first one 0: dense; else there is can_be_imported */
  armnn_fence_t* ready; /* what to wait for before the first use; null where wait_fence is null */
} armnn_memory_t;

enum armnn_map_access_bits_e {
  ARMNN_MAP_READ = 1,
  ARMNN_MAP_WRITE = 2,
  ARMNN_MAP_ACCESS_MAX_ENUM = INT32_MAX
};

/* A tensor in memory of the backend. */
struct armnn_tensor_handle_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_tensor_handle_t* handle) ARMNN_NOEXCEPT; /* [object] */
  /* Begin and end of life, called in the order of the plan at load: a pooling manager learns from
   * them which tensors may share memory. Both may be null. A variable of the network has two
   * handles that live from before the first step to after the last: their contents stay from run
   * to run, and what one run writes in one of them, the next one reads there.
   * A handle that is not managed gets neither call at load. Where an import is refused, the tensor
   * is copied instead, and |allocate| comes without |manage|, during a run, before the first such
   * copy: get memory of your own now. It comes once, and the memory is kept until destroy: later
   * runs may import, and copy again. If it is null, copy_in_from or map is called without it. */
  armnn_status_t (*manage)(armnn_tensor_handle_t* handle,
                           armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*allocate)(armnn_tensor_handle_t* handle,
                             armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* The parent that create_sub_tensor_handle got; the host checks that. Null: no sub-tensor. */
  armnn_tensor_handle_t* (*get_parent)(armnn_tensor_handle_t* handle)ARMNN_NOEXCEPT; /* [any] */
  /* |out_memory| is valid until unmap and dense unless get_layout says otherwise. A handle is never
   * mapped twice at a time; a parent and its sub-tensors may be mapped together. Between map and
   * unmap for reading, workloads and copy_out_to may read the tensor, and nobody writes to it;
   * between map and unmap for writing nobody else uses it. */
  armnn_status_t (*map)(armnn_tensor_handle_t* handle, uint32_t access, void** out_memory,
                        armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*unmap)(armnn_tensor_handle_t* handle,
                          armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* Shape and byte strides of the mapped memory, ARMNN_MAX_DIMS values each. */
  armnn_status_t (*get_layout)(armnn_tensor_handle_t* handle, uint64_t* out_shape,
                               uint64_t* out_byte_strides,
                               uint32_t* out_rank) ARMNN_NOEXCEPT; /* [any] */
  /* Whole tensor, dense on the host's side. */
  armnn_status_t (*copy_in_from)(armnn_tensor_handle_t* handle, const void* source, uint64_t size,
                                 armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*copy_out_to)(armnn_tensor_handle_t* handle, void* target, uint64_t size,
                                armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* Import: use the given memory instead of own memory, until unimport_memory has returned. The
   * memory stays valid that long. Its contents may change between two executes: read them when an
   * execute needs them. Results are in it when execute, after_enqueue_workload or a fence is done;
   * unimport_memory writes nothing, since others may use the memory by then. Memory of the caller
   * is unimported at the end of each run, or after many runs if the caller promised to keep it at
   * its address. Sources with a descriptor are offered to managed handles, too. */
  uint32_t (*get_import_flags)(armnn_tensor_handle_t* handle) ARMNN_NOEXCEPT; /* [any] */
  armnn_status_t (*can_be_imported)(armnn_tensor_handle_t* handle, const armnn_memory_t* memory,
                                    armnn_error_t* why_not) ARMNN_NOEXCEPT; /* [object] */
  /* UNSUPPORTED refuses, like any answer but OK of can_be_imported; another error ends the run. */
  armnn_status_t (*import_memory)(armnn_tensor_handle_t* handle, const armnn_memory_t* memory,
                                  armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*unimport_memory)(armnn_tensor_handle_t* handle,
                                    armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* The same memory under another info, e.g. a reshape: |out_handle| uses the memory of |handle| at
   * all times, gets no call of manage or allocate, and is destroyed before |handle|. UNSUPPORTED:
   * the layer is executed instead. */
  armnn_status_t (*decorate)(armnn_tensor_handle_t* handle, const armnn_tensor_info_t* info,
                             armnn_tensor_handle_t** out_handle,
                             armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
};

/* Traits of a tensor handle factory. */
#define ARMNN_FACTORY_SUPPORTS_SUB_TENSORS (UINT64_C(1) << 0)
#define ARMNN_FACTORY_SUPPORTS_MAP_UNMAP (UINT64_C(1) << 1)
#define ARMNN_FACTORY_SUPPORTS_IN_PLACE (UINT64_C(1) << 2)

/* Capability classes of get_capabilities, as bits of its answer. Each of them turns an import into
 * a copy: of the memory of a neighbour, or of the caller's buffer for an output. */
#define ARMNN_FACTORY_PADDING_REQUIRED (UINT64_C(1) << 0)
#define ARMNN_FACTORY_FALLBACK_IMPORT_DISABLED (UINT64_C(1) << 1)

struct armnn_tensor_handle_factory_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_tensor_handle_factory_t* factory) ARMNN_NOEXCEPT; /* [object] */
  /* Mandatory. Unique among all factories, e.g. "Acme/AcmeNpu/Device"; those of another device of
   * the same backend have the same ids: each instance finds its own by them. */
  const char* (*get_id)(armnn_tensor_handle_factory_t* factory)ARMNN_NOEXCEPT; /* [any] */
  /* Mandatory. |managed|: memory comes from the pools of a memory manager. Otherwise the handle
   * imports memory at each run, and needs some of its own only where that is refused: then
   * |allocate| of the handle is called. */
  armnn_status_t (*create_tensor_handle)(armnn_tensor_handle_factory_t* factory,
                                         const armnn_tensor_info_t* info, uint32_t managed,
                                         armnn_tensor_handle_t** out_handle,
                                         armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* A sub-tensor of |parent| that begins at |origin|, for Concat and Splitter along the outermost
   * axis. It uses the parent's memory at all times, also when the parent imports other memory, gets
   * no call of manage or allocate, and is destroyed before the parent; the parent may be a
   * sub-tensor itself. If kernels need aligned tensors, answer UNSUPPORTED for a sub-tensor that is
   * not aligned: then the layer is executed instead. */
  armnn_status_t (*create_sub_tensor_handle)(armnn_tensor_handle_factory_t* factory,
                                             armnn_tensor_handle_t* parent,
                                             const armnn_tensor_info_t* info,
                                             const uint64_t* origin,
                                             armnn_tensor_handle_t** out_handle,
                                             armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  uint64_t (*get_traits)(armnn_tensor_handle_factory_t* factory) ARMNN_NOEXCEPT;   /* [any] */
  uint32_t (*get_export_flags)(armnn_tensor_handle_factory_t* factory) ARMNN_NOEXCEPT; /* [any] */
  uint32_t (*get_import_flags)(armnn_tensor_handle_factory_t* factory) ARMNN_NOEXCEPT; /* [any] */
  /* |layer| has the tensor in handles of this factory, |connected_layer| is at the tensor's other
   * end. Asked only where memory could be imported. Constants have their flags, but no values. */
  uint64_t (*get_capabilities)(armnn_tensor_handle_factory_t* factory, const armnn_layer_t* layer,
                               const armnn_layer_t* connected_layer) ARMNN_NOEXCEPT; /* [any] */
};

/* Host side: collects the factories and memory managers of all backends of one network. Valid for
 * the call that it is handed to, from the thread of that call only. */
typedef struct armnn_tensor_handle_factory_registry_t {
  armnn_header_t header;
  void* context;
  /* The host owns what it accepts. Null and duplicate ids are refused. */
  armnn_status_t (*register_memory_manager)(void* context,
                                            armnn_memory_manager_t* manager) ARMNN_NOEXCEPT;
  armnn_status_t (*register_factory)(void* context,
                                     armnn_tensor_handle_factory_t* factory) ARMNN_NOEXCEPT;
  /* Where a workload prefers the copy factory, handles that import (a network's input or output,
   * what another backend exports) come from the import factory; the workload takes both. Both must
   * be factories of the same backend, registered before the call of the backend returns. The same
   * id twice: that factory does both, like every factory without a pair.
   * A sub-tensor and its parent are of one factory: a Splitter of an imported tensor, and a Concat
   * whose output is the caller's buffer, are executed. */
  armnn_status_t (*register_copy_and_import_pair)(void* context, const char* copy_factory_id,
                                                  const char* import_factory_id) ARMNN_NOEXCEPT;
  armnn_tensor_handle_factory_t* (*get_factory)(void* context, const char* id)ARMNN_NOEXCEPT;
} armnn_tensor_handle_factory_registry_t;

/* ---- Workloads ------------------------------------------------------------------------------ */
/* What a workload is made from. The structure and everything it points to, except the values
 * behind |constants|, stay valid and unchanged until the workload is destroyed; a backend keeps the
 * pointer instead of copying. Arrays of inputs run in parallel. */
typedef struct armnn_workload_info_t {
  armnn_header_t header;
  uint64_t guid; /* as in armnn_layer_t */
  int32_t type;  /* armnn_layer_type_e */
  uint32_t input_count;
  uint32_t output_count;
  uint32_t reserved;
  armnn_string_t name; /* of the layer, may be empty */
  const armnn_header_t* descriptor;
  const armnn_tensor_info_t* const* input_infos; /* null entry: absent */
  /* Null entry: known only at execute. Values are valid during create_workload; a constant that is
   * not consumed (see the requirements) comes again as the address of its input at execute. */
  const armnn_const_tensor_t* const* constants;
  const armnn_tensor_info_t* const* output_infos;
  const armnn_blob_t* blob; /* PRE_COMPILED only */
  uint64_t fields_used;
} armnn_workload_info_t;

/* Bits of |flags| in the next two structures; any other is refused. */
#define ARMNN_NEEDS_CONSUMED 1u  /* of a tensor: as consumed_mask, for any input */
#define ARMNN_WORKLOAD_SERIAL 1u /* of a workload: never two executes of it at a time */

/* Requirements of a workload on one tensor in host memory. */
typedef struct armnn_tensor_needs_t {
  armnn_header_t header;
  uint32_t alignment;      /* as tensor_alignment, which it replaces; 0: that one */
  uint32_t readable_bytes; /* so many behind it may be read, up to 4096, and hold anything */
  uint64_t in_place_mask;  /* of an output: bit i: it may be the same memory as input i */
  uint32_t flags;
  uint32_t reserved;
} armnn_tensor_needs_t;

/* Requirements of a workload. The host zero-fills it, so that a workload without needs writes
 * nothing.
 */
typedef struct armnn_workload_requirements_t {
  armnn_header_t header;
  uint64_t scratch_size;      /* bytes of private memory for each execute; contents undefined */
  uint32_t scratch_alignment; /* a power of two up to 4096; 0 = 64 */
  uint32_t tensor_alignment;  /* of every input and output address, a power of two; never less than
                                 the size of the tensor's elements, whatever is asked */
  uint64_t in_place_mask;     /* bit i: output 0 may be the same memory as input i; inputs from 64
                                 on never. Inputs may always share memory with each other. */
  uint64_t consumed_mask;     /* bit i: constant input i was packed; its address will be null */
  /* Of each input, then each output: what it needs besides; null entry: nothing. Null: no tensor
   * does. Valid until the workload is destroyed. */
  const armnn_tensor_needs_t* const* tensors;
  uint64_t persistent_size; /* bytes of |workload_data|, 64-byte aligned; zero at first and after a
                               reset. Not together with create_workload_data. */
  /* Shown to users; 0: unknown. */
  uint64_t packed_size; /* bytes that it keeps, such as packed weights, shared ones included */
  uint64_t operations;  /* arithmetic of one execute; a multiply-add counts as two */
  uint64_t expected_ns; /* the backend's estimate of the time of one execute */
  uint32_t flags;
  uint32_t reserved;
  uint64_t shared_size; /* of packed_size: bytes that workloads made before this one keep, too */
} armnn_workload_requirements_t;

/* Arguments of one execute; valid for the call. */
typedef struct armnn_execute_args_t {
  armnn_header_t header;
  const void* const* inputs; /* host addresses; null entry: absent or consumed */
  void* const* outputs;
  armnn_tensor_handle_t* const* input_handles; /* instead of addresses, for own memory */
  armnn_tensor_handle_t* const* output_handles;
  void* scratch; /* null if none was asked for */
  uint64_t scratch_size;
  void* execution_data; /* of this context, from create_execution_data */
  uint64_t run_id;      /* for cancelled() */
  void* workload_data;  /* of this context: from create_workload_data, or persistent_size bytes */
  /* With the sizes of this call; both null if the workload info has no bounded dimension. */
  const armnn_tensor_info_t* const* input_infos;
  const armnn_tensor_info_t* const* output_infos;
  /* Null unless execute itself finds sizes of outputs (of a STAND_IN): those dimensions are bounded
   * in output_infos[k], too, and execute writes each, at most its bound, to output_dims[k][d].
   * Entry k is null if all sizes of output k are known. */
  uint64_t* const* output_dims;
} armnn_execute_args_t;

struct armnn_workload_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_workload_t* workload) ARMNN_NOEXCEPT; /* mandatory [object] */
  /* Mandatory [exec]. Does not allocate. It may return before a device is done only if the backend
   * has a context with after_enqueue_workload: the host calls that, or waits for a fence, first. */
  armnn_status_t (*execute)(armnn_workload_t* workload, const armnn_execute_args_t* args,
                            armnn_error_t* error) ARMNN_NOEXCEPT;
  void (*get_requirements)(armnn_workload_t* workload,
                           armnn_workload_requirements_t* out_requirements)
      ARMNN_NOEXCEPT; /* [any] */
  /* Once for each workload in execution order, after all workloads of the network exist. Memory
   * comes later: each execution context acquires its own. [object] */
  armnn_status_t (*post_allocation_configure)(armnn_workload_t* workload,
                                              armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Which kernel was chosen, e.g. "armnn_f32_conv2d__avx2_6x16"; valid until destroy. */
  const char* (*get_kernel_name)(armnn_workload_t* workload)ARMNN_NOEXCEPT; /* [any] */
  /* State of this workload in one execution context: of a recurrent layer, or operators of a
   * library that hold addresses. Made before the first run of the context, handed to each of its
   * executes as |workload_data|; null is "none". Contexts have data of their own. [any] */
  armnn_status_t (*create_workload_data)(armnn_workload_t* workload, void* execution_data,
                                         void** out_data, armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Back to what create_workload_data made: a new sequence begins. After a run that failed, nothing
   * runs before this. Null: one run leaves nothing for the next; only then plain runs of a network
   * go side by side. [object], of the data */
  armnn_status_t (*reset_workload_data)(armnn_workload_t* workload, void* data,
                                        armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Mandatory with create_workload_data. Before the workload and the execution data go. [any] */
  void (*destroy_workload_data)(armnn_workload_t* workload, void* data) ARMNN_NOEXCEPT;
};

/* Stands for Arm NN's five overloads of CreateWorkloadFactory. */
typedef struct armnn_factory_args_t {
  armnn_header_t header;
  armnn_memory_manager_t* memory_manager;           /* from create_memory_manager, or null */
  armnn_tensor_handle_factory_registry_t* registry; /* or null */
  const armnn_options_t* model_options;             /* or null; valid for the call */
  armnn_model_context_t* model_context;             /* or null */
  uint32_t input_sources;                           /* armnn_memory_source_e bits, 0 = not given */
  uint32_t output_sources;
} armnn_factory_args_t;

struct armnn_workload_factory_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_workload_factory_t* factory) ARMNN_NOEXCEPT; /* mandatory [object] */
  /* Mandatory [object]. Checks what it uses; a layer that was declared supported must be made. */
  armnn_status_t (*create_workload)(armnn_workload_factory_t* factory,
                                    const armnn_workload_info_t* info,
                                    armnn_workload_t** out_workload,
                                    armnn_error_t* error) ARMNN_NOEXCEPT;
  armnn_status_t (*after_workloads_created)(armnn_workload_factory_t* factory,
                                            armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* State of one execution context (a device queue, say), handed to every execute of it. */
  armnn_status_t (*create_execution_data)(armnn_workload_factory_t* factory, void** out_data,
                                          armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  void (*destroy_execution_data)(armnn_workload_factory_t* factory,
                                 void* data) ARMNN_NOEXCEPT; /* [object] */
};

/* ---- Layer support -------------------------------------------------------------------------- */
struct armnn_layer_support_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_layer_support_t* support) ARMNN_NOEXCEPT; /* mandatory [object] */
  /* Mandatory [any]. OK, or UNSUPPORTED with the reason in |reason|; any other answer counts as
   * UNSUPPORTED and is logged as a fault of the backend. It tells the truth: what it accepts,
   * create_workload makes. It is never asked about PRE_COMPILED, which only the backend itself
   * brings into a network. */
  armnn_status_t (*is_layer_supported)(armnn_layer_support_t* support,
                                       const armnn_layer_query_t* query,
                                       armnn_error_t* reason) ARMNN_NOEXCEPT;
  /* The same for many layers at once [any]: verdicts[i] is OK or UNSUPPORTED, reasons come through
   * the callback, so that there is no error to fill. */
  armnn_status_t (*are_layers_supported)(armnn_layer_support_t* support,
                                         const armnn_layer_query_t* const* queries, uint64_t count,
                                         armnn_status_t* verdicts,
                                         void (*on_reason)(void* context, uint64_t index,
                                                           armnn_string_t reason) ARMNN_NOEXCEPT,
                                         void* context) ARMNN_NOEXCEPT;
  /* In which armnn_data_layout_e would you have this layer, whose descriptor has a |data_layout|?
   * 0: as it is. Name another one only if your kernel would have to convert its operands, or would
   * refuse the layer as it is. If is_layer_supported takes the layer in that layout, the host shows
   * it so, with weights to match, between TRANSPOSE layers, which it then saves where it can; they
   * are offered to this backend first. Null: no preferences. [any] */
  int32_t (*get_preferred_layout)(armnn_layer_support_t* support,
                                  const armnn_layer_query_t* query) ARMNN_NOEXCEPT;
  /* Would this backend run an operator of a model that no layer expresses? |layer| is a STAND_IN
   * whose constants have their values; |inputs| and |output_infos| are null. OK: |out_infos|, one
   * for each output, have data type, rank, dims and quantisation; the host made them as scalars of
   * FLOAT32 with all dimensions known, and copies them before the next call. A cleared bit of
   * |dim_known_mask|: execute finds that size (see "Bounded shapes"). UNSUPPORTED, with the reason:
   * no. Null: it runs no such operator. [any] */
  armnn_status_t (*infer_stand_in)(armnn_layer_support_t* support, const armnn_layer_t* layer,
                                   armnn_tensor_info_t* out_infos,
                                   armnn_error_t* reason) ARMNN_NOEXCEPT;
  /* May these dimensions of a layer be bounded? Asked for layers that is_layer_supported took with
   * the bounds; answers as there. Null: no. [any] */
  armnn_status_t (*takes_bounded_shapes)(armnn_layer_support_t* support,
                                         const armnn_layer_query_t* query,
                                         armnn_error_t* reason) ARMNN_NOEXCEPT;
};

/* ---- Contexts and profiling ----------------------------------------------------------------- */
/* Notices about networks, of all that the runtime loads from now on. A status other than OK from a
 * "before" function vetoes the step; from an "after" function it is logged. Each network is loaded
 * and unloaded once; one with free dimensions makes and drops workloads in between.
 *
 * A context that agreed to a load gets after_unload_network once, also when the load fails after
 * all because another context vetoes it or a workload cannot be made; then no other call comes in
 * between. A context that agreed to an unload may be asked again, if another one vetoed it. At the
 * end of the process, or when the network has no holder any more, a veto is only logged. */
struct armnn_backend_context_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_backend_context_t* context) ARMNN_NOEXCEPT; /* mandatory [load] */
  armnn_status_t (*before_load_network)(armnn_backend_context_t* context, uint64_t network_id,
                                        armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*after_load_network)(armnn_backend_context_t* context, uint64_t network_id,
                                       armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*before_unload_network)(armnn_backend_context_t* context, uint64_t network_id,
                                          armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*after_unload_network)(armnn_backend_context_t* context, uint64_t network_id,
                                         armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* Flush and wait: on return all outputs of the executes before it are written, and none of the
   * addresses that they got is touched any more, whatever the answer is. Called after each row of
   * executes of this backend, with the execution data that they had, also when one of them failed
   * or the run is stopped. Between the executes of a row memory is reused as if each were done when
   * it returns: a queue must keep the order of the calls. [exec] */
  armnn_status_t (*after_enqueue_workload)(armnn_backend_context_t* context, uint64_t network_id,
                                           void* execution_data,
                                           armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Begin and end of a run of a network that has workloads of this backend. Any status but OK ends
   * the run before its first execute. For each OK, or without a before_run, after_run comes once:
   * after the last after_enqueue_workload and unimport_memory, also of a run that failed or was
   * stopped, before the next run with this execution data begins. [exec] */
  armnn_status_t (*before_run)(armnn_backend_context_t* context, const armnn_run_notice_t* notice,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
  void (*after_run)(armnn_backend_context_t* context,
                    const armnn_run_notice_t* notice) ARMNN_NOEXCEPT;
  /* Not without after_enqueue_workload, which then comes only if a run fails, is stopped, or this
   * answers UNSUPPORTED. Makes, at once, a fence for all executes of the queue so far: until then
   * other steps run, and only the queue, in the order of the calls, uses the addresses. The host
   * destroys it. [exec] */
  armnn_status_t (*signal_fence)(armnn_backend_context_t* context, uint64_t network_id,
                                 void* execution_data, armnn_fence_t** out_fence,
                                 armnn_error_t* error) ARMNN_NOEXCEPT;
  /* Later executes of the queue wait for |fence|, of any maker, which stays until they are done; if
   * it fails, so do they. A wait asks cancelled(). UNSUPPORTED: the host waits itself. [exec] */
  armnn_status_t (*wait_fence)(armnn_backend_context_t* context, uint64_t network_id,
                               void* execution_data, armnn_fence_t* fence,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
};

/* Settings of one model on one backend, made from its model options. */
struct armnn_model_context_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_model_context_t* context) ARMNN_NOEXCEPT; /* mandatory [object] */
};

typedef struct armnn_counter_value_t {
  uint32_t counter_id;
  uint32_t reserved;
  uint64_t value;
} armnn_counter_value_t;

typedef struct armnn_counter_description_t {
  armnn_header_t header;
  armnn_string_t name;
  armnn_string_t description;
  armnn_string_t unit;
  uint32_t counter_class; /* 0 delta: it counts up, a profile shows by how much; 1 absolute */
  uint32_t reserved;
  double multiplier;
} armnn_counter_description_t;

/* Host side of profiling; lives as long as the profiling context. Names of counters are unique in
 * a backend; ids count from 0. Its functions enter Python: do not call them in a kernel. [any] */
typedef struct armnn_profiling_host_t {
  armnn_header_t header;
  void* context;
  armnn_status_t (*register_counter)(void* context, const armnn_counter_description_t* description,
                                     uint32_t* out_counter_id) ARMNN_NOEXCEPT;
  armnn_status_t (*report)(void* context, uint64_t time_ns, const armnn_counter_value_t* values,
                           uint64_t count) ARMNN_NOEXCEPT;
  int32_t (*enabled)(void* context) ARMNN_NOEXCEPT;
} armnn_profiling_host_t;

struct armnn_profiling_context_api_t {
  armnn_header_t header;
  void (*destroy)(armnn_profiling_context_t* context) ARMNN_NOEXCEPT; /* mandatory [load] */
  armnn_status_t (*activate_counters)(armnn_profiling_context_t* context,
                                      const uint32_t* counter_ids, uint64_t count,
                                      armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  /* Report the present values of the active counters through the profiling host. */
  armnn_status_t (*report_counter_values)(armnn_profiling_context_t* context,
                                          armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
  armnn_status_t (*enable_profiling)(armnn_profiling_context_t* context, uint32_t on,
                                     armnn_error_t* error) ARMNN_NOEXCEPT; /* [object] */
};

/* ---- The backend ---------------------------------------------------------------------------- */
/* The arguments of create; valid for the call, but |host|, which stays. */
typedef struct armnn_create_args_t {
  armnn_header_t header;
  const armnn_host_t* host;
  const armnn_options_t* options; /* the values that somebody gave, for this device */
  uint32_t device_index;          /* counts the devices of list_devices */
  uint32_t reserved;
} armnn_create_args_t;

typedef struct armnn_device_description_t {
  armnn_header_t header;
  armnn_string_t name; /* not empty */
  armnn_string_t vendor;
  armnn_string_t driver_version;
  uint64_t memory_size; /* bytes, 0 = unknown */
} armnn_device_description_t;

/* Bits of armnn_backend_api_t.flags. */
enum armnn_backend_bits_e {
  /* dlclose is safe after destroy: no threads, no thread-local destructors, no exit handlers. */
  ARMNN_BACKEND_UNLOADABLE = 1 << 0,
  /* Computes by the definition, so that others can be compared with it: by default the last choice
   * for layers, and the first for folding constants and for Debug layers. */
  ARMNN_BACKEND_REFERENCE = 1 << 1,
  ARMNN_BACKEND_BITS_MAX_ENUM = INT32_MAX
};

/* Bits of armnn_backend_api_t.build_features, filled by ARMNN_BUILD_FEATURES. */
#define ARMNN_BUILD_ADDRESS_SANITIZER (UINT64_C(1) << 0)
#define ARMNN_BUILD_THREAD_SANITIZER (UINT64_C(1) << 1)
#if defined(__SANITIZE_ADDRESS__)
#define ARMNN_BUILD_FEATURES ARMNN_BUILD_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define ARMNN_BUILD_FEATURES ARMNN_BUILD_THREAD_SANITIZER
#elif defined(__has_feature) /* clang says it so */
#if __has_feature(address_sanitizer)
#define ARMNN_BUILD_FEATURES ARMNN_BUILD_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define ARMNN_BUILD_FEATURES ARMNN_BUILD_THREAD_SANITIZER
#else
#define ARMNN_BUILD_FEATURES UINT64_C(0)
#endif
#else
#define ARMNN_BUILD_FEATURES UINT64_C(0)
#endif

/* What BackendFactory returns: constant, static, the same pointer each time. Mandatory: create,
 * destroy, get_id, create_workload_factory, get_layer_support; the rest may be null. */
struct armnn_backend_api_t {
  armnn_header_t header;      /* tag ARMNN_STRUCT_BACKEND */
  uint32_t built_minor;       /* ARMNN_BACKEND_API_MINOR of the header it was built with */
  uint32_t flags;             /* armnn_backend_bits_e; a bit that means nothing is refused */
  uint64_t understood_fields; /* must-understand bits that this backend reads */
  uint64_t build_features;    /* ARMNN_BUILD_FEATURES */
  int32_t score;              /* default order of preference, higher first; 0 for a reference */
  uint32_t reserved;
  const char* vendor_version; /* the backend's own version, any text, or null */
  const char* description;    /* one line for people, or null */

  /* Makes the one instance of a runtime for a device: of index 0 at once, of another when somebody
   * names it. Users call them "AcmeNpu" (or "AcmeNpu:0") and "AcmeNpu:1"; to the host they are two
   * backends, which share nothing but code. UNAVAILABLE: no such device here. [load] */
  armnn_status_t (*create)(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                           armnn_error_t* error) ARMNN_NOEXCEPT;
  void (*destroy)(armnn_backend_t* backend) ARMNN_NOEXCEPT;      /* [load] */
  const char* (*get_id)(armnn_backend_t* backend)ARMNN_NOEXCEPT; /* equals GetBackendId [any] */
  armnn_status_t (*create_workload_factory)(armnn_backend_t* backend,
                                            const armnn_factory_args_t* args,
                                            armnn_workload_factory_t** out_factory,
                                            armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  armnn_status_t (*get_layer_support)(armnn_backend_t* backend,
                                      const armnn_options_t* model_options,
                                      armnn_layer_support_t** out_support,
                                      armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */

  /* Success with a null object means "none" in the four functions that follow.
   * create_memory_manager: once for each workload factory, before it, with or without factories of
   * tensor handles; see armnn_factory_args_t. */
  armnn_status_t (*create_memory_manager)(armnn_backend_t* backend,
                                          armnn_memory_manager_t** out_manager,
                                          armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* Called right after create, with the same options; UNAVAILABLE means the same. */
  armnn_status_t (*create_backend_context)(armnn_backend_t* backend, const armnn_options_t* options,
                                           armnn_backend_context_t** out_context,
                                           armnn_error_t* error) ARMNN_NOEXCEPT; /* [load] */
  armnn_status_t (*create_model_context)(armnn_backend_t* backend,
                                         const armnn_options_t* model_options,
                                         armnn_model_context_t** out_context,
                                         armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  armnn_status_t (*create_profiling_context)(armnn_backend_t* backend,
                                             const armnn_options_t* options,
                                             const armnn_profiling_host_t* profiling_host,
                                             armnn_profiling_context_t** out_context,
                                             armnn_error_t* error) ARMNN_NOEXCEPT; /* [load] */
  /* OK: the host does what |sink| was told, if it passes the checks there. UNSUPPORTED: all layers
   * run as they are, and |sink| is ignored. Any other status: the backend can run none of the
   * layers; all are assigned to other backends, with the error's text and the first refusal of
   * |sink| as the reason, and |sink| is ignored. */
  armnn_status_t (*optimize_subgraph_view)(armnn_backend_t* backend,
                                           const armnn_subgraph_t* subgraph,
                                           const armnn_options_t* model_options,
                                           const armnn_optimization_sink_t* sink,
                                           armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* Own memory: registering at least one factory and preferring it makes the backend's workloads
   * receive handles instead of addresses, except for constants. */
  armnn_status_t (*register_tensor_handle_factories)(
      armnn_backend_t* backend, armnn_tensor_handle_factory_registry_t* registry,
      uint32_t input_sources, uint32_t output_sources,
      armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* Ids in order of preference: static array of static texts; returns how many. */
  uint64_t (*get_handle_factory_preferences)(armnn_backend_t* backend, const char* const** out_ids)
      ARMNN_NOEXCEPT; /* [any] */
  /* Static array of named values; these are BOOL, and Arm NN's but for the third and fourth:
   *   "HasFp16": computes in float16; the host acts on it where a user asks for float16 in place of
   *     float32
   *   "ProtectedContentAllocation": takes protected memory from a custom allocator; the host uses
   *     no other backend where a user asks for protected mode
   *   "FiniteMathOnly": NaN and infinity may get lost; conformance tests compare without them
   *   "BlobsInPlace": blobs hold weights as one kind of processor wants them, and are read where
   *     they are: see deserialize_blob; the user may leave their layers out of a saved network
   *   "ConstantTensorsAsInputs", "NonConstWeights", "PreImportIOTensors", "MultiAxisPacking",
   *     "ExternallyManagedMemory", "SingleAxisPacking", "AllOrNothing": shown, without an effect
   * Other names are the backend's own, and are shown, too. */
  armnn_status_t (*get_capabilities)(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                     armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* Options that create understands, with their defaults as values; the host refuses others. Asked
   * before create, so |backend| may be null; the array and its texts are static. A name stands once
   * and has neither '=' nor '.'; a default is of its type: 0 or 1 for BOOL, 0 or more for UINT. */
  armnn_status_t (*get_option_defaults)(armnn_backend_t* backend, armnn_options_t* out_options,
                                        armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* Options of optimize and load that the backend understands, with defaults as above; the host
   * refuses others. Only the values that the user gave are passed, as |model_options|. */
  armnn_status_t (*get_model_option_defaults)(armnn_backend_t* backend,
                                              armnn_options_t* out_options,
                                              armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* OK: all tensor memory will come from |allocator|, which outlives the backend. */
  armnn_status_t (*use_custom_memory_allocator)(armnn_backend_t* backend,
                                                armnn_allocator_t* allocator,
                                                armnn_error_t* error) ARMNN_NOEXCEPT; /* [load] */
  armnn_status_t (*get_default_allocator)(armnn_backend_t* backend,
                                          armnn_allocator_t** out_allocator,
                                          armnn_error_t* error) ARMNN_NOEXCEPT;   /* [load] */
  uint32_t (*get_number_of_cache_files)(armnn_backend_t* backend) ARMNN_NOEXCEPT; /* [any] */
  /* Once, before destroy: stop, finish queues within the time, touch nothing afterwards. At the end
   * of the process it is called even if a run that did not stop still uses the instance. */
  armnn_status_t (*quiesce)(armnn_backend_t* backend, uint64_t timeout_ns,
                            armnn_error_t* error) ARMNN_NOEXCEPT; /* [load] */
  /* Level 0 is quick (is the device there?), higher levels may take seconds. */
  armnn_status_t (*self_test)(armnn_backend_t* backend, int32_t level,
                              armnn_error_t* error) ARMNN_NOEXCEPT; /* [load] */
  /* Each device once, index 0 first: the one for users who name none. Asked at any time, also
   * before create, so |backend| may be null; the answer stays the same as long as the library is
   * mapped. Null or UNSUPPORTED: one device, of which nothing is told. UNAVAILABLE: no device. */
  armnn_status_t (*list_devices)(armnn_backend_t* backend,
                                 void (*on_device)(void* context,
                                                   const armnn_device_description_t* device)
                                     ARMNN_NOEXCEPT,
                                 void* context, armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* May a blob with this compatibility text still be used? INCOMPATIBLE with a reason if not. Null:
   * deserialize_blob refuses texts of other versions. */
  armnn_status_t (*check_blob)(armnn_backend_t* backend, armnn_string_t compatibility,
                               armnn_error_t* why_not) ARMNN_NOEXCEPT; /* [any] */
  /* A blob from the bytes of |serialize|; null: none is saved as bytes. check_blob has said OK. The
   * bytes are whole, but anybody can write a file: check each size, offset and count in them.
   * |data| is 64-byte aligned and valid for the call; with "BlobsInPlace" it stays until the blob
   * is released, and is a file in memory: who may write to the file changes it under the reader,
   * so what is checked is copied first. |out_blob| is the host's, with its header.
   * INCOMPATIBLE: the layers are compiled again, if the file has them. */
  armnn_status_t (*deserialize_blob)(armnn_backend_t* backend, const void* data, uint64_t size,
                                     armnn_string_t compatibility, armnn_blob_t* out_blob,
                                     armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* A table named by a revisioned text, or null; both sides cope with null. */
  const void* (*extension)(armnn_backend_t* backend, const char* id)ARMNN_NOEXCEPT; /* [any] */
  /* Describes option |index| of the array that the function of |scope| gives; static. Null: there
   * is nothing to say. |backend| is null for ARMNN_OPTION_SCOPE_BACKEND. [any] */
  const armnn_option_description_t* (*describe_option)(armnn_backend_t* backend, int32_t scope,
                                                       uint64_t index)ARMNN_NOEXCEPT;
  /* Options of one run that before_run of the backend context understands, with defaults as above;
   * the host refuses others. */
  armnn_status_t (*get_run_option_defaults)(armnn_backend_t* backend, armnn_options_t* out_options,
                                            armnn_error_t* error) ARMNN_NOEXCEPT; /* [any] */
  /* A new value for an option that is ARMNN_OPTION_CHANGEABLE; a run under way may see either. If
   * the answer is not OK, the old value holds. [object] */
  armnn_status_t (*set_option)(armnn_backend_t* backend, const armnn_option_t* option,
                               armnn_error_t* error) ARMNN_NOEXCEPT;
};

/* ---- Exports --------------------------------------------------------------------------------- */
/* A backend that is linked into the host defines ARMNN_STATIC_BACKEND to its file name's <name>;
 * its three functions are then called <name>_GetBackendId and so on, and are not exported. */
#ifdef ARMNN_STATIC_BACKEND
#define ARMNN_I_PASTE(a, b) a##_##b
#define ARMNN_I_ENTRY(a, b) ARMNN_I_PASTE(a, b)
#define ARMNN_ENTRY(function) ARMNN_I_ENTRY(ARMNN_STATIC_BACKEND, function)
#define ARMNN_EXPORT
#else
#define ARMNN_ENTRY(function) function
#define ARMNN_EXPORT __attribute__((visibility("default")))
#endif

typedef const char* (*armnn_get_backend_id_fn_t)(void)ARMNN_NOEXCEPT;
typedef void (*armnn_get_version_fn_t)(uint32_t* out_major, uint32_t* out_minor) ARMNN_NOEXCEPT;
typedef void* (*armnn_backend_factory_fn_t)(void)ARMNN_NOEXCEPT;

#ifndef ARMNN_NO_ENTRY_DECLARATIONS
ARMNN_EXPORT const char* ARMNN_ENTRY(GetBackendId)(void) ARMNN_NOEXCEPT;
ARMNN_EXPORT void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) ARMNN_NOEXCEPT;
ARMNN_EXPORT void* ARMNN_ENTRY(BackendFactory)(void) ARMNN_NOEXCEPT;
#endif

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_BACKEND_API_H_ */
