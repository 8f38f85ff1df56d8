/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_rows.h - kernels as rows, and what their functions need; part of backend_kit.h.
 */
#ifndef ARMNN_KIT_ROWS_H_
#define ARMNN_KIT_ROWS_H_

#include "armnn/kit_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Kernels --------------------------------------------------------------------------------- */

/* What a kernel gets for one execute. Shapes, types and descriptor are in |info|: the shapes of
 * this call, also where they are bounded. */
typedef struct armnn_kernel_call_t {
  const armnn_workload_info_t* info;
  const void* const* inputs; /* null entry: absent, or constant and consumed by prepare */
  void* const* outputs;
  void* scratch;        /* as many bytes as prepare asked for */
  const void* prepared; /* what prepare made, or null */
  const armnn_host_t* host;
  armnn_backend_t* backend; /* for armnn_kit_user, and for device_lost of the host */
  uint64_t run_id;
  void* state; /* what create_state made for this execution context, the persistent_size bytes that
                  prepare asked for, or null */
  void* run_data;               /* what before_run of the hooks wrote for this run, or null */
  uint64_t* const* output_dims; /* as in armnn_execute_args_t */
} armnn_kernel_call_t;

/* Functions of a row; armnn_kernel_t says when they are called. */
typedef armnn_status_t (*armnn_kernel_execute_fn_t)(const armnn_kernel_call_t* call,
                                                    armnn_error_t* error) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_supports_fn_t)(const armnn_layer_query_t* query,
                                                     armnn_error_t* reason) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_prepare_fn_t)(const armnn_workload_info_t* info,
                                                    const armnn_host_t* host,
                                                    armnn_backend_t* backend, void** out_prepared,
                                                    armnn_workload_requirements_t* requirements,
                                                    armnn_error_t* error) ARMNN_NOEXCEPT;
typedef void (*armnn_kernel_release_fn_t)(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_create_state_fn_t)(const armnn_workload_info_t* info,
                                                         const void* prepared,
                                                         const armnn_host_t* host,
                                                         armnn_backend_t* backend, void** out_state,
                                                         armnn_error_t* error) ARMNN_NOEXCEPT;
typedef armnn_status_t (*armnn_kernel_reset_state_fn_t)(void* state, const void* prepared,
                                                        armnn_error_t* error) ARMNN_NOEXCEPT;
typedef void (*armnn_kernel_destroy_state_fn_t)(void* state,
                                                const armnn_host_t* host) ARMNN_NOEXCEPT;

/* In a row: any operation, any data type. A layer with a tensor whose elements are less than a byte
 * goes to rows of such a data type and of ARMNN_ANY_BITS alone. */
#define ARMNN_ANY (-1)
#define ARMNN_ANY_BITS (-2)

/* A row: which layers it takes, and what computes them. The macros below make it. */
typedef struct armnn_kernel_t {
  const char* name;   /* static; printed by profiles */
  int32_t layer_type; /* armnn_layer_type_e */
  int32_t operation;  /* first member of the descriptor (operation, function, ...), or ARMNN_ANY */
  int32_t data_type;  /* of input 0 (of output 0 for a layer without inputs), or one of those */
  armnn_kernel_execute_fn_t execute;
  /* Null: all present inputs and outputs have this data type and one shape. */
  armnn_kernel_supports_fn_t supports;
  /* Null: nothing to prepare; tensors aligned to their elements, no scratch. A prepare that fails
   * leaves nothing behind: release is not called then. */
  armnn_kernel_prepare_fn_t prepare;
  armnn_kernel_release_fn_t release;
  /* State from run to run, one for each execution context: |state| of the call. All null: none.
   * |reset_state| may be null alone: one run leaves nothing for the next; they go side by side. */
  armnn_kernel_create_state_fn_t create_state;
  armnn_kernel_reset_state_fn_t reset_state;
  armnn_kernel_destroy_state_fn_t destroy_state;
  /* Which dimensions may be bounded; null: none. Asked for layers that the row takes with the
   * bounds as sizes. What prepare makes and states must do for every size up to these. */
  armnn_kernel_supports_fn_t takes_bounded;
} armnn_kernel_t;

/* ---- Rows ------------------------------------------------------------------------------------ */

/* Any row: |layer|, |operator_value| (or ARMNN_ANY) and |type| (or ANY) say what it takes,
 * |function| computes it, ARMNN_SET(member, value) for each other member follow, one at least:
 *
 *   ARMNN_KERNEL_ROW(SOFTMAX, ARMNN_ANY, FLOAT32, softmax_f32,
 *                    ARMNN_SET(prepare, softmax_prepare)
 *                        ARMNN_SET(takes_bounded, armnn_kernel_any_bounded))
 *
 * The row is named after |function|, which is what profiles print. */
#define ARMNN_KERNEL_ROW(layer, operator_value, type, function, ...)                               \
  ARMNN_INIT(armnn_kernel_t,                                                                       \
             ARMNN_SET(name, #function) ARMNN_SET(layer_type, ARMNN_LAYER_##layer)                 \
                 ARMNN_SET(operation, operator_value) ARMNN_SET(data_type, ARMNN_DATA_TYPE_##type) \
                     ARMNN_SET(execute, function) __VA_ARGS__)
/* Short forms of it: with what is asked and prepared, and with bounded shapes or with
 * state besides. |bounded|: a function, or armnn_kernel_any_bounded for a kernel that reads all
 * sizes from the infos of its call. */
#define ARMNN_KERNEL_FULL(layer, operator_value, type, function, asked, prepared_by, released_by) \
  ARMNN_KERNEL_ROW(layer, operator_value, type, function,                                         \
                   ARMNN_SET(supports, asked) ARMNN_SET(prepare, prepared_by)                     \
                       ARMNN_SET(release, released_by))
#define ARMNN_KERNEL_BOUNDED(layer, operator_value, type, function, asked, prepared_by, \
                             released_by, bounded)                                      \
  ARMNN_KERNEL_ROW(layer, operator_value, type, function,                               \
                   ARMNN_SET(supports, asked) ARMNN_SET(prepare, prepared_by)           \
                       ARMNN_SET(release, released_by) ARMNN_SET(takes_bounded, bounded))
#define ARMNN_KERNEL_STATE(layer, operator_value, type, function, asked, prepared_by, released_by, \
                           created_by, reset_by, destroyed_by)                                     \
  ARMNN_KERNEL_STATE_BOUNDED(layer, operator_value, type, function, asked, prepared_by,            \
                             released_by, created_by, reset_by, destroyed_by, NULL)
#define ARMNN_KERNEL_STATE_BOUNDED(layer, operator_value, type, function, asked, prepared_by,      \
                                   released_by, created_by, reset_by, destroyed_by, bounded)       \
  ARMNN_KERNEL_ROW(layer, operator_value, type, function,                                          \
                   ARMNN_SET(supports, asked) ARMNN_SET(prepare, prepared_by)                      \
                       ARMNN_SET(release, released_by) ARMNN_SET(create_state, created_by)         \
                           ARMNN_SET(reset_state, reset_by) ARMNN_SET(destroy_state, destroyed_by) \
                               ARMNN_SET(takes_bounded, bounded))
/* With nothing but the function; the last three are of one operation of their layer. */
#define ARMNN_KERNEL(layer, type, function) \
  ARMNN_KERNEL_FULL(layer, ARMNN_ANY, type, function, NULL, NULL, NULL)
#define ARMNN_KERNEL_BINARY(operator_name, type, function)                                        \
  ARMNN_KERNEL_FULL(ELEMENTWISE_BINARY, ARMNN_BINARY_##operator_name, type, function, NULL, NULL, \
                    NULL)
#define ARMNN_KERNEL_UNARY(operator_name, type, function)                                       \
  ARMNN_KERNEL_FULL(ELEMENTWISE_UNARY, ARMNN_UNARY_##operator_name, type, function, NULL, NULL, \
                    NULL)
#define ARMNN_KERNEL_ACTIVATION(operator_name, type, function) \
  ARMNN_KERNEL_FULL(ACTIVATION, ARMNN_ACTIVATION_##operator_name, type, function, NULL, NULL, NULL)
/* For a row whose data type is ARMNN_ANY or ARMNN_ANY_BITS. */
#define ARMNN_DATA_TYPE_ANY ARMNN_ANY
#define ARMNN_DATA_TYPE_ANY_BITS ARMNN_ANY_BITS

/* For |takes_bounded|: any dimension may be bounded. */
static inline armnn_status_t armnn_kernel_any_bounded(const armnn_layer_query_t* query,
                                                      armnn_error_t* reason) ARMNN_NOEXCEPT {
  (void)query, (void)reason;
  return ARMNN_STATUS_OK;
}

/* ---- What a row's functions read ------------------------------------------------------------- */

/* Of a call: the address of an input or output, its info, and how many elements output 0 has. */
#define ARMNN_IN(call, index, type) ((const type*)(call)->inputs[index])
#define ARMNN_OUT(call, index, type) ((type*)(call)->outputs[index])
#define ARMNN_IN_INFO(call, index) ((call)->info->input_infos[index])
#define ARMNN_OUT_INFO(call, index) ((call)->info->output_infos[index])
#define ARMNN_COUNT(call) ((call)->info->output_infos[0]->element_count)
/* The descriptor of a call's info, of a layer or of a query. */
#define ARMNN_DESCRIPTOR(source, type) ((const type*)(source)->descriptor)

/* In prepare: what it needs of one tensor, to be filled in; inputs first, then outputs. */
static inline armnn_tensor_needs_t* armnn_needs_of(const armnn_workload_requirements_t* needs,
                                                   uint32_t operand) {
  return (armnn_tensor_needs_t*)(uintptr_t)needs->tensors[operand]; /* of the workload, not const */
}

/* The operation of a descriptor: its first member (|operation|, |function|, ...), or ARMNN_ANY. */
static inline int32_t armnn_kit_operation(const armnn_header_t* descriptor) {
  int32_t operation = ARMNN_ANY;
  if (descriptor != NULL && descriptor->struct_size >= sizeof(armnn_header_t) + sizeof(int32_t)) {
    memcpy(&operation, descriptor + 1, sizeof operation);
  }
  return operation;
}

/* What the kit shows to rows and hooks: the host's structure, and what goes with it. */
typedef struct armnn_i_query_t {
  armnn_layer_query_t base;
  const armnn_options_t* model_options;
  armnn_backend_t* backend;
} armnn_i_query_t;

typedef struct armnn_i_info_t {
  armnn_workload_info_t base;
  const armnn_options_t* model_options;
} armnn_i_info_t;

/* The options that the user gave for this network and backend, or null: of the |query| that
 * |supports| and |takes_bounded| of a row or a hook got, not of a copy of it. armnn_find_option
 * looks into them. */
static inline const armnn_options_t* armnn_model_options_of_query(
    const armnn_layer_query_t* query) {
  return ((const armnn_i_query_t*)query)->model_options;
}

/* The same for the |info| that |prepare|, |create_state| and a kernel's call have. */
static inline const armnn_options_t* armnn_model_options_of_info(
    const armnn_workload_info_t* info) {
  return ((const armnn_i_info_t*)info)->model_options;
}

/* The instance that is asked, for armnn_kit_user: of a |query| as above. */
static inline armnn_backend_t* armnn_backend_of_query(const armnn_layer_query_t* query) {
  return ((const armnn_i_query_t*)query)->backend;
}

/* ---- Operators that no layer expresses ----------------------------------------------------- */

/* Whether |descriptor|, of a STAND_IN, is of this operator. */
static inline int32_t armnn_is_operator(const armnn_header_t* descriptor, const char* domain,
                                        const char* name) {
  const armnn_stand_in_descriptor_t* self = (const armnn_stand_in_descriptor_t*)descriptor;
  return armnn_string_equals(self->domain, domain) && armnn_string_equals(self->name, name);
}

/* An attribute of an operator; null if the model does not give it, or as another type. */
static inline const armnn_attribute_t* armnn_find_attribute(const armnn_header_t* descriptor,
                                                            const char* name, int32_t type) {
  const armnn_stand_in_descriptor_t* self = (const armnn_stand_in_descriptor_t*)descriptor;
  for (uint32_t i = 0; i < self->attribute_count; ++i) {
    const armnn_attribute_t* one = &self->attributes[i];
    if (one->type == type && armnn_string_equals(one->name, name)) return one;
  }
  return NULL;
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_ROWS_H_ */
