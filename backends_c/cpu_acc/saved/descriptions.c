/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "descriptions.h"

#include "check.h"
#include "packs.h"

typedef armnn_i_acc_fields_t fields_t;

static void field_input(fields_t* fields, armnn_i_acc_tensor_t* tensor) {
  armnn_i_acc_field_tensor(fields, tensor, ARMNN_ACC_USE_READ);
}

static void field_output(fields_t* fields, armnn_i_acc_tensor_t* tensor) {
  armnn_i_acc_field_tensor(fields, tensor, ARMNN_ACC_USE_WRITE);
}

static void field_epilogue(fields_t* fields, armnn_i_acc_epilogue_t* epilogue) {
  armnn_i_acc_field_i32(fields, &epilogue->function, 0, ARMNN_ACC_FUNCTION_COUNT - 1);
  armnn_i_acc_field_float(fields, &epilogue->a);
  armnn_i_acc_field_float(fields, &epilogue->b);
  armnn_i_acc_field_bool(fields, &epilogue->has_residual);
  armnn_i_acc_field_bool(fields, &epilogue->residual_last);
  if (epilogue->has_residual) field_input(fields, &epilogue->residual);
}

static void field_floats(fields_t* fields, const float** values, int64_t count) {
  const void* array = *values;
  armnn_i_acc_field_array(fields, &array, (uint64_t)count, sizeof **values);
  *values = array;
}

/* ---- Names in the lists of members (compile/kinds.inc) -------------------------------------- */

#define NONE (void)what;
#define UNSAVED \
  (void)what;   \
  armnn_i_acc_fail_fields(fields, "there are no fields for this kind");
#define BOOL(member) armnn_i_acc_field_bool(fields, &what->member);
#define FLOAT(member) armnn_i_acc_field_float(fields, &what->member);
#define CHOICE(member, count) armnn_i_acc_field_i32(fields, &what->member, 0, (count) - 1);
#define NUMBER(member, least, most) armnn_i_acc_field_i64(fields, &what->member, least, most);
#define AXIS(member) field_axis(fields, &what->member);
#define AXES(member) \
  for (uint32_t d = 0; d < ARMNN_ACC_MAX_RANK; ++d) AXIS(member[d])
#define AXIS_MASK(member) field_axis_mask(fields, &what->member);
#define BYTES(member) armnn_i_acc_field_bytes(fields, what->member, sizeof what->member);
#define CHANNELS last_dim(&what->output)
#define PER_CHANNEL(member) field_floats(fields, &what->member, CHANNELS);
#define WEIGHTS(member) armnn_i_acc_field_weights(fields, &what->member);
/* Sides of windows and images are numbers of 64 bits that stand one behind another, from |first| to
 * |last|. */
#define SIDES(first, last, least)                                         \
  for (int64_t* number = &what->first; number <= &what->last; ++number) { \
    armnn_i_acc_field_i64(fields, number, least, ARMNN_ACC_MOST_SIDE);    \
  }
#define WINDOW SIDES(kernel_y, dilation_x, 1) SIDES(pad_top, pad_left, 0) SIDES(groups, groups, 1)
#define POOL SIDES(kernel_y, dilation_x, 1) SIDES(pad_top, pad_right, 0)
/* Below 2 to the power of |most_shift|; terms are shifted to the right alone. */
#define FACTOR(member, most_shift) field_factor(fields, &what->member, most_shift);
#define BOUNDS field_bounds(fields, what->output.element, &what->low, &what->high);
#define OWN(name) own_##name(fields, what);

static void field_axis(fields_t* fields, uint32_t* axis) {
  armnn_i_acc_field_u32(fields, axis, ARMNN_ACC_MAX_RANK - 1);
}

static void field_axis_mask(fields_t* fields, uint32_t* mask) {
  armnn_i_acc_field_u32(fields, mask, (1u << ARMNN_ACC_MAX_RANK) - 1);
}

/* Bounds of the numbers that |element| stores. */
static void field_bounds(fields_t* fields, armnn_i_acc_element_t element, int32_t* low,
                         int32_t* high) {
  const int32_t least = armnn_i_acc_least(element.type), most = armnn_i_acc_most(element.type);
  armnn_i_acc_field_i32(fields, low, least, most);
  armnn_i_acc_field_i32(fields, high, least, most);
}

static void field_factor(fields_t* fields, armnn_factor_t* factor, int32_t most_shift) {
  armnn_i_acc_field_i32(fields, &factor->multiplier, 0, INT32_MAX);
  armnn_i_acc_field_i32(fields, &factor->shift, -ARMNN_ACC_MOST_SHIFT, most_shift);
}

static int64_t last_dim(const armnn_i_acc_tensor_t* tensor) {
  return tensor->rank == 0 ? 0 : tensor->dims[tensor->rank - 1];
}

#define KIND(kind, name, ...) \
  static void members_##name(fields_t* fields, armnn_i_acc_##name##_t* what);
#define KIND_LIKE(...)
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE

/* ---- Members that kinds.inc cannot describe
 * --------------------------------------------------------- */

/* The parts of a separable convolution, which |fields| has room for. */
static void field_part(fields_t* fields, uint32_t index, const armnn_i_acc_convolution_t** part) {
  armnn_i_acc_convolution_t* own = &((armnn_i_acc_convolution_t*)fields->parts)[index];
  bool is_there = *part != NULL;
  armnn_i_acc_field_bool(fields, &is_there);
  if (is_there && !fields->reads) *own = **part;
  *part = is_there ? own : NULL;
  if (!is_there) return;
  armnn_i_acc_convolution_t* what = own;
  armnn_i_acc_field_weights(fields, &what->weights);
  WINDOW
  armnn_i_acc_field_i32(fields, &what->stored, 0, ARMNN_ACC_STORED_COUNT - 1);
  field_epilogue(fields, &what->epilogue);
  /* That of the depthwise convolution is packed with its weights. */
  bool has_bias = what->bias != NULL && index != 1;
  armnn_i_acc_field_bool(fields, &has_bias);
  if (fields->reads && has_bias) what->bias = (const void*)armnn_i_acc_packed_mark;
}

static void own_separable(fields_t* fields, armnn_i_acc_separable_t* what) {
  armnn_i_acc_convolution_t parts[3];
  memset(parts, 0, sizeof parts);
  if (fields->parts == NULL) fields->parts = parts;
  field_part(fields, 0, &what->expand);
  field_part(fields, 1, &what->depthwise);
  field_part(fields, 2, &what->project);
  if (fields->parts == parts) fields->parts = NULL;
}

static void own_matmul(fields_t* fields, armnn_i_acc_matmul_t* what) {
  if (fields->has_packed && what->left.values != armnn_i_acc_packed_mark &&
      what->epilogue.residual.values != armnn_i_acc_packed_mark) {
    fields->has_packed = false; /* the right side may be */
  }
}

/* Scales and shifts are packed. */
static void own_affine(fields_t* fields, armnn_i_acc_affine_t* what) {
  if (!fields->reads) return;
  what->scale = what->shift = (const void*)armnn_i_acc_packed_mark;
}

static void own_normalize(fields_t* fields, armnn_i_acc_normalize_t* what) {
  const int64_t scales =
      what->scale_axis < what->input.rank ? what->input.dims[what->scale_axis] : 0;
  field_floats(fields, &what->gamma, scales);
  field_floats(fields, &what->beta, scales);
}

static void own_pad(fields_t* fields, armnn_i_acc_pad_t* what) {
  for (uint32_t d = 0; d < ARMNN_ACC_MAX_RANK; ++d) {
    SIDES(before[d], before[d], 0)
    SIDES(after[d], after[d], 0)
  }
  armnn_i_acc_field_i32(fields, &what->mode, 0, ARMNN_PAD_MODE_COUNT - 1);
  armnn_i_acc_field_float(fields, &what->value);
}

/* A sum behind a convolution: its output is the convolution's, its left operand what that stores.
 */
static void field_sum(fields_t* fields, armnn_i_acc_quantized_convolution_t* what) {
  armnn_i_acc_quantized_binary_t* sum = &what->sum;
  armnn_i_acc_field_bool(fields, &what->has_sum);
  if (!what->has_sum) return;
  armnn_i_acc_element_t stored = sum->left.element;
  armnn_i_acc_field_element(fields, &stored);
  sum->left = sum->output = what->output;
  sum->left.element = stored;
  field_input(fields, &sum->right);
  members_quantized_binary(fields, sum);
}

/* Zero points and bias values of the weights are packed. */
static void own_quantized_convolution(fields_t* fields, armnn_i_acc_quantized_convolution_t* what) {
  armnn_i_acc_field_weights(fields, &what->weights);
  const void* factors = what->factors;
  armnn_i_acc_field_array(fields, &factors, (uint64_t)last_dim(&what->output),
                          sizeof *what->factors);
  what->factors = factors;
  if (!fields->reads) {
    what->saved_fit_bytes = armnn_i_acc_weights_fit_bytes(what);
    what->saved_suits_byte_products = armnn_i_acc_suits_byte_products(what);
  }
  armnn_i_acc_field_bool(fields, &what->saved_fit_bytes);
  armnn_i_acc_field_bool(fields, &what->saved_suits_byte_products);
  armnn_i_acc_field_i32(fields, &what->rounding, 0, ARMNN_ACC_ROUND_COUNT - 1);
  armnn_i_acc_field_bool(fields, &what->has_wide_sums);
  WINDOW
  field_sum(fields, what);
  const armnn_i_acc_tensor_t* own = what->has_sum ? &what->sum.left : &what->output;
  field_bounds(fields, own->element, &what->low, &what->high);
}

static void own_int16_table(fields_t* fields, armnn_i_acc_int16_table_t* what) {
  const uint64_t numbers = armnn_i_acc_is_int16(what->input.element.type) ? 65536 : 256;
  armnn_i_acc_field_array(fields, &what->table, numbers,
                          armnn_i_acc_is_int16(what->output.element.type) ? sizeof(int16_t) : 1);
}

static void own_quantized_matmul(fields_t* fields, armnn_i_acc_quantized_matmul_t* what) {
  armnn_i_acc_field_i32(fields, &what->rounding, 0, ARMNN_ACC_ROUND_COUNT - 1);
  if (what->rounding == ARMNN_ACC_ROUND_REAL) { /* check.c has its range */
    armnn_i_acc_field_bytes(fields, &what->factor, sizeof what->factor);
  } else {
    field_factor(fields, &what->factor, ARMNN_ACC_MOST_SHIFT);
  }
}

/* ---- Descriptions: the operands of kinds.inc, then the members ------------------------------ */

#define KIND(kind, name, operands, traits, members, fits)                      \
  static void members_##name(fields_t* fields, armnn_i_acc_##name##_t* what) { \
    (void)fields;                                                              \
    members                                                                    \
  }
#define KIND_LIKE(...)
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE

/* Only the mask of an attention may be absent. */
static void require_output(fields_t* fields, const armnn_i_acc_tensor_t* output) {
  if (output->rank == 0) armnn_i_acc_fail_fields(fields, "an output has no dimensions");
}

#define INPUT(member) field_input(fields, &what->member);
#define INPUTS(first, second) INPUT(first) INPUT(second)
#define INPUTS3(first, second, third) INPUTS(first, second) INPUT(third)
#define INPUTS4(first, second, third, fourth) INPUTS3(first, second, third) INPUT(fourth)
#define STORED(member) armnn_i_acc_field_i32(fields, &what->stored, 0, ARMNN_ACC_STORED_COUNT - 1);
#define EPILOGUE field_epilogue(fields, &what->epilogue);
#define SUM /* a parameter: it has the output's dimensions */
#define KIND(kind, name, operands, traits, ...) KIND_LIKE(kind, name, name, operands, traits)
#define KIND_LIKE(kind, name, other, operands, traits)                                        \
  static void fields_##name(fields_t* fields, armnn_i_acc_##other##_t* what) {                \
    operands field_output(fields, &what->output);                                             \
    require_output(fields, &what->output);                                                    \
    members_##other(fields, what);                                                            \
  }                                                                                           \
                                                                                              \
  void armnn_i_acc_save_##name(fields_t* fields, const armnn_i_acc_##other##_t* what) {       \
    armnn_i_acc_##other##_t copy = *what;                                                     \
    uint32_t number = ARMNN_ACC_SAVED_##kind;                                                 \
    armnn_i_acc_field_u32(fields, &number, ARMNN_ACC_SAVED_COUNT - 1);                        \
    fields_##name(fields, &copy);                                                             \
  }                                                                                           \
                                                                                              \
  static armnn_status_t make_##name(const armnn_i_acc_maker_t* maker, fields_t* fields,       \
                                    armnn_i_acc_op_t** out_op) {                              \
    armnn_i_acc_##other##_t what;                                                             \
    memset(&what, 0, sizeof what);                                                            \
    fields_##name(fields, &what);                                                             \
    if (fields->has_packed || (fields->fault == NULL && !armnn_i_acc_check_##other(&what))) { \
      armnn_i_acc_fail_fields(fields, "operands of " #name " do not fit");                    \
    }                                                                                         \
    if (fields->fault != NULL) return ARMNN_STATUS_INCOMPATIBLE;                              \
    return armnn_i_acc_make_##name(maker, &what, out_op);                                     \
  }
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE

/* Copies are no kind of node, and the only operators that ask no order of the last dimension. */
static void fields_copy(fields_t* fields, armnn_i_acc_copy_t* what) {
  armnn_i_acc_field_tensor(fields, &what->input, ARMNN_ACC_USE_READ_ANY);
  armnn_i_acc_field_tensor(fields, &what->output, ARMNN_ACC_USE_WRITE_ANY);
  require_output(fields, &what->output);
  for (uint32_t d = 0; d < ARMNN_ACC_MAX_RANK; ++d) {
    field_axis(fields, &what->order[d]);
  }
}

void armnn_i_acc_save_copy(fields_t* fields, const armnn_i_acc_copy_t* what) {
  armnn_i_acc_copy_t copy = *what;
  uint32_t number = ARMNN_ACC_SAVED_COPY;
  armnn_i_acc_field_u32(fields, &number, ARMNN_ACC_SAVED_COUNT - 1);
  fields_copy(fields, &copy);
}

static armnn_status_t make_copy(const armnn_i_acc_maker_t* maker, fields_t* fields,
                                armnn_i_acc_op_t** out_op) {
  armnn_i_acc_copy_t what;
  memset(&what, 0, sizeof what);
  fields_copy(fields, &what);
  if (fields->has_packed || (fields->fault == NULL && !armnn_i_acc_check_copy(&what))) {
    armnn_i_acc_fail_fields(fields, "operands of a copy do not fit");
  }
  if (fields->fault != NULL) return ARMNN_STATUS_INCOMPATIBLE;
  return armnn_i_acc_make_copy(maker, &what, out_op);
}

/* ---- By kind ------------------------------------------------------------------------------- */

typedef armnn_status_t (*make_t)(const armnn_i_acc_maker_t* maker, fields_t* fields,
                                 armnn_i_acc_op_t** out_op);

static const make_t makers[ARMNN_ACC_SAVED_COUNT] = {
#define KIND(kind, name, ...) [ARMNN_ACC_SAVED_##kind] = make_##name,
#define KIND_LIKE(kind, name, ...) [ARMNN_ACC_SAVED_##kind] = make_##name,
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
    [ARMNN_ACC_SAVED_COPY] = make_copy,
};

armnn_status_t armnn_i_acc_make_saved(const armnn_i_acc_maker_t* maker, fields_t* fields,
                                      armnn_i_acc_op_t** out_op) {
  uint32_t kind;
  *out_op = NULL;
  fields->has_packed = false;
  armnn_i_acc_field_u32(fields, &kind, ARMNN_ACC_SAVED_COUNT - 1);
  if (fields->fault != NULL) return ARMNN_STATUS_INCOMPATIBLE;
  armnn_i_acc_convolution_t parts[3];
  memset(parts, 0, sizeof parts);
  fields->parts = parts;
  const armnn_status_t status = makers[kind](maker, fields, out_op);
  fields->parts = NULL;
  const bool lacks =
      status == ARMNN_STATUS_OK && ((*out_op)->kernel == NULL || (*out_op)->run == NULL);
  if (status != ARMNN_STATUS_UNSUPPORTED && !lacks) return status;
  if (lacks) (*out_op)->destroy(*out_op);
  armnn_i_acc_fail_fields(fields, "an operator has no kernel for such tensors");
  return ARMNN_STATUS_INCOMPATIBLE;
}

uint32_t armnn_i_acc_saved_stamp(void) {
  static const struct {
    const char* name;
    uint64_t size;
  } kinds[] = {
#define KIND(kind, name, ...) {#name, sizeof(armnn_i_acc_##name##_t)},
#define KIND_LIKE(kind, name, ...) {#name, 0},
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
  };
  uint64_t stamp = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    stamp = ARMNN_ACC_LAYOUT(stamp, kinds[i].size);
    for (const char* at = kinds[i].name; *at != '\0'; ++at) {
      stamp = ARMNN_ACC_LAYOUT(stamp, (uint64_t)*at);
    }
  }
  return (uint32_t)(stamp ^ stamp >> 32);
}
