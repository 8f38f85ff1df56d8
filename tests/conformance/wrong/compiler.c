/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compiler.c - a backend that compiles sub-graphs of 8 bits for two devices, and wrong in one way:
 * -DDEFECT=NAME. Add, Subtract, Multiply and ReLU over tensors of one size; single layers are
 * right.
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <pthread.h>
#include <time.h>

#include "armnn/backend_kit.h"
#include "armnn/compile_kit.h"

enum defect_e {
  NONE,
  WRITES_FORTY_TWO,
  LEAVES_SECOND_OUTPUT,
  LEAVES_LAST_ELEMENT,
  FORGETS_INNER_QUANTIZATION,
  FORGETS_POINT_OF_OUTPUT,
  ROUNDS_DOWN_IN_PROGRAMS,
  TRUNCATES_IN_PROGRAMS,
  DROPS_RELU_BEHIND_ADD,
  SWAPS_OPERANDS,
  READS_FIRST_CONSTANT,
  REUSES_SCRATCH_TOO_EARLY,
  REUSES_PROGRAMS_BY_SIZE,
  REUSES_PROGRAMS_OF_OTHER_CONSTANTS,
  SHARES_SCRATCH_OF_PROGRAMS,
  OVERWRITES_EARLIER_NETWORKS,
  SWAPS_OUTPUTS,
  KEEPS_ADDRESS_OF_INPUT,
  KEEPS_STATE_OVER_RESETS,
  SHARES_STATE_OF_NETWORKS,
  COMPUTES_THE_FIRST_SIZE,
  ASKS_SCRATCH_OF_FIRST_SIZE,
  BELIEVES_BYTES,
  LEAKS_IN_OPTIMIZE,
  TAKES_ANY_VERSION,
  FORGETS_POINT_ON_SECOND_DEVICE,
  SHARES_SCRATCH_OF_DEVICES,
  SECOND_DEVICE_OVERWRITES_FIRST,
  COMPILES_NOTHING,
};

#ifndef DEFECT
#define DEFECT NONE
#endif
#define HAS(defect) (DEFECT == (defect))

static const char ID[] = "Compiler 1";
enum { RELU = 1000, NOTHING = 0xffff, SCRATCH_SLOTS = 2, ROOM = 1 << 20 };
static int8_t room[ROOM]; /* of all programs */
static uint64_t used[2];  /* of it, by the device */
static pthread_mutex_t turns[] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

typedef struct format_t {
  float scale;
  int32_t point;
} format_t;

/* result = left (operation) right. Operands: inputs, then steps, then constants. */
typedef struct step_t {
  int32_t operation;
  uint32_t left, right, output;
  format_t of_left, of_right, of_result;
} step_t;

/* Behind it: steps, then |count| bytes for each constant. */
typedef struct program_t {
  uint64_t count, place, scratch; /* |scratch|: elements of a step's result there */
  uint32_t inputs, outputs, steps, constants;
} program_t;

static uint64_t size_of(const program_t* p) {
  return sizeof *p + p->steps * sizeof(step_t) + p->constants * p->count;
}
static step_t* steps_of(const program_t* p) { return (step_t*)(uintptr_t)(p + 1); }
static int8_t* constant_of(const program_t* p, uint32_t index) {
  return (int8_t*)(steps_of(p) + p->steps) + index * p->count;
}

static format_t format_of(const armnn_tensor_info_t* info) {
  const format_t found = {info->scales[0], info->zero_points == NULL ? 0 : info->zero_points[0]};
  return found;
}

static int8_t in_steps(double real, format_t format, int is_compiled) {
  const double scaled = real / (double)format.scale;
  const double level = (is_compiled && HAS(ROUNDS_DOWN_IN_PROGRAMS) ? floor(scaled)
                        : is_compiled && HAS(TRUNCATES_IN_PROGRAMS) ? trunc(scaled)
                                                                    : nearbyint(scaled)) +
                       format.point;
  return (int8_t)(level < -128.0 ? -128.0 : level > 127.0 ? 127.0 : level);
}

static void compute(const step_t* s, const int8_t* a, const int8_t* b, int8_t* y, uint64_t count,
                    int is_compiled) {
  for (uint64_t i = 0; i < count; ++i) {
    const double x = (double)(a[i] - s->of_left.point) * (double)s->of_left.scale;
    const double z = (double)(b[i] - s->of_right.point) * (double)s->of_right.scale;
    const double real = s->operation == RELU               ? (x < 0.0 ? 0.0 : x)
                        : s->operation == ARMNN_BINARY_ADD ? x + z
                        : s->operation == ARMNN_BINARY_SUB ? x - z
                                                           : x * z;
    y[i] = in_steps(real, s->of_result, is_compiled);
  }
}

static step_t step_of(int32_t type, const armnn_header_t* descriptor,
                      const armnn_tensor_info_t* const* inputs, const armnn_tensor_info_t* output) {
  step_t made = {
      RELU, 0, 0, NOTHING, format_of(inputs[0]), format_of(inputs[0]), format_of(output)};
  if (type == ARMNN_LAYER_ELEMENTWISE_BINARY) {
    made.operation = armnn_kit_operation(descriptor);
    made.of_right = format_of(inputs[1]);
  }
  return made;
}

/* ---- Single layers --------------------------------------------------------------------------- */

static armnn_status_t one_layer(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_workload_info_t* info = call->info;
  const step_t step =
      step_of(info->type, info->descriptor, info->input_infos, info->output_infos[0]);
  (void)error;
  compute(&step, ARMNN_IN(call, 0, int8_t),
          step.operation == RELU ? ARMNN_IN(call, 0, int8_t) : ARMNN_IN(call, 1, int8_t),
          ARMNN_OUT(call, 0, int8_t), ARMNN_COUNT(call), 0);
  return ARMNN_STATUS_OK;
}

static armnn_status_t same_size(const armnn_layer_query_t* query, armnn_error_t* reason) {
  for (uint32_t i = 0; i < query->input_count; ++i) {
    if (query->input_infos[i]->element_count != query->output_infos[0]->element_count) {
      return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "no broadcasting");
    }
  }
  return ARMNN_STATUS_OK;
}

/* ---- The compiler ---------------------------------------------------------------------------- */

void* volatile leaked;

static void release_blob(void* object) { free(object); }
static uint64_t blob_size(void* object) { return size_of((const program_t*)object); }
static armnn_status_t serialize(void* object, void* buffer, uint64_t size, armnn_error_t* error) {
  (void)error;
  memcpy(buffer, object, (size_t)size);
  return ARMNN_STATUS_OK;
}

static void fill_blob(armnn_blob_t* blob, program_t* program) {
  blob->object = program;
  blob->release = release_blob;
  blob->compatibility.data = ID;
  blob->compatibility.size = sizeof ID - 1;
  blob->get_size = blob_size;
  blob->serialize = serialize;
}

static uint32_t operand_of(const armnn_subgraph_t* part, program_t* p, const armnn_layer_t* layer,
                           uint32_t i) {
  const armnn_slot_t slot = layer->inputs[i];
  if (slot.layer == ARMNN_SLOT_BOUNDARY) return slot.slot;
  if (slot.layer < part->layer_count) return p->inputs + slot.layer;
  memcpy(constant_of(p, p->constants), layer->constants[i]->data, (size_t)p->count);
  return p->inputs + p->steps + p->constants++;
}

static program_t* compiled(const armnn_subgraph_t* part) {
  const uint64_t count = part->layers[0]->output_infos[0]->element_count;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    if (part->layers[l]->output_infos[0]->element_count != count) return NULL;
  }
  const size_t most = sizeof(program_t) + part->layer_count * (sizeof(step_t) + 2 * count);
  program_t* p = (program_t*)calloc(1, most);
  if (p == NULL) return NULL;
  p->count = p->scratch = count;
  p->inputs = part->input_count, p->outputs = part->output_count, p->steps = part->layer_count;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    step_t* step = &steps_of(p)[l];
    *step = step_of(layer->type, layer->descriptor, layer->input_infos, layer->output_infos[0]);
    step->left = operand_of(part, p, layer, 0);
    step->right = step->operation == RELU ? step->left : operand_of(part, p, layer, 1);
    if (HAS(READS_FIRST_CONSTANT) && step->right >= p->inputs + p->steps) {
      step->right = p->inputs + p->steps;
    }
    if (HAS(SWAPS_OPERANDS) && l > 0) {
      const uint32_t left = step->left;
      step->left = step->right, step->right = left;
    }
    if (HAS(FORGETS_INNER_QUANTIZATION) && step->left >= p->inputs) {
      step->of_left = format_of(part->input_infos[0]);
    }
    if (HAS(DROPS_RELU_BEHIND_ADD) && step->operation == RELU && step->left >= p->inputs &&
        step->left < p->inputs + p->steps) {
      step->operation = ARMNN_BINARY_ADD; /* of zeros */
      step->of_right.scale = 0.0f;
    }
  }
  for (uint32_t k = 0; k < part->output_count; ++k) {
    step_t* step = &steps_of(p)[part->outputs[k].layer];
    step->output = HAS(SWAPS_OUTPUTS) && part->output_count == 2 ? 1 - k : k;
    if (HAS(FORGETS_POINT_OF_OUTPUT)) step->of_result.point = 0;
  }
  return p;
}

/* The same steps over other sizes are taken for a program that is there. */
static void use_first_size(program_t* program) {
  static program_t* known[256];
  static int count;
  const size_t size = program->steps * sizeof(step_t);
  int i = 0;
  while (i < count && (known[i]->steps != program->steps ||
                       memcmp(steps_of(known[i]), steps_of(program), size) != 0)) {
    ++i;
  }
  if (i == count && count < 256 &&
      (known[i] = (program_t*)malloc(sizeof *program + size)) != NULL) {
    memcpy(known[count++], program, sizeof *program + size);
  }
  if (i == count) return;
  if (HAS(ASKS_SCRATCH_OF_FIRST_SIZE)) program->scratch = known[i]->count;
  if (HAS(COMPUTES_THE_FIRST_SIZE) && known[i]->count < program->count && !program->constants) {
    program->count = known[i]->count;
  }
}

/* So are the same steps with other constants. */
static void use_first_constants(program_t* program) {
  static program_t* known[256];
  static int count;
  const size_t size = sizeof *program + program->steps * sizeof(step_t);
  for (int i = 0; i < count; ++i) {
    if (size_of(known[i]) == size_of(program) && memcmp(known[i], program, size) == 0) {
      memcpy(program, known[i], (size_t)size_of(program));
      return;
    }
  }
  if (count < 256 && (known[count] = (program_t*)malloc((size_t)size_of(program))) != NULL) {
    memcpy(known[count++], program, (size_t)size_of(program));
  }
}

static uint32_t device_of(const armnn_backend_t* backend) {
  return (uint32_t)(uintptr_t)armnn_kit_user(backend);
}

static armnn_status_t open_device(const armnn_create_args_t* args, void** out_user,
                                  armnn_error_t* error) {
  (void)error;
  *out_user = (void*)(uintptr_t)args->device_index;
  return ARMNN_STATUS_OK;
}

static armnn_status_t list_devices(armnn_backend_t* backend,
                                   void (*on_device)(void* context,
                                                     const armnn_device_description_t* device),
                                   void* context, armnn_error_t* error) {
  armnn_device_description_t device = {
      {sizeof device, ARMNN_STRUCT_DEVICE_DESCRIPTION}, {"npu", 3}, {"", 0}, {"", 0}, 0};
  (void)backend, (void)error;
  on_device(context, &device);
  on_device(context, &device);
  return ARMNN_STATUS_OK;
}

static armnn_status_t optimize(armnn_backend_t* backend, const armnn_subgraph_t* part,
                               const armnn_options_t* options,
                               const armnn_optimization_sink_t* sink, armnn_error_t* error) {
  static program_t* earlier[64]; /* by the number of layers */
  armnn_blob_t blob;
  if (HAS(OVERWRITES_EARLIER_NETWORKS)) used[0] = used[1] = 0;
  (void)options, (void)error;
  if (HAS(COMPILES_NOTHING) || part->layer_count < 2) return ARMNN_STATUS_UNSUPPORTED;
  program_t* program = compiled(part);
  if (program == NULL) return ARMNN_STATUS_UNSUPPORTED;
  if (HAS(REUSES_PROGRAMS_BY_SIZE) && part->layer_count < 64) {
    program_t** kept = &earlier[part->layer_count];
    if (*kept == NULL && (*kept = (program_t*)malloc(size_of(program))) != NULL) {
      memcpy(*kept, program, size_of(program));
    } else if (*kept != NULL && size_of(*kept) == size_of(program)) {
      memcpy(program, *kept, size_of(program));
    }
  }
  if (HAS(LEAKS_IN_OPTIMIZE)) leaked = malloc(1024);
  if (HAS(COMPUTES_THE_FIRST_SIZE) || HAS(ASKS_SCRATCH_OF_FIRST_SIZE)) use_first_size(program);
  if (HAS(REUSES_PROGRAMS_OF_OTHER_CONSTANTS)) use_first_constants(program);
  if (HAS(FORGETS_POINT_ON_SECOND_DEVICE) && device_of(backend) == 1) {
    for (uint32_t i = 0; i < program->steps; ++i) steps_of(program)[i].of_result.point = 0;
  }
  memset(&blob, 0, sizeof blob);
  blob.header.struct_size = sizeof blob;
  blob.header.struct_type = ARMNN_STRUCT_BLOB;
  fill_blob(&blob, program);
  return armnn_replace_part(sink, part, NULL, "compiled", &blob);
}

static int is_sound(const program_t* p, uint64_t size) {
  if (size < sizeof *p || p->steps > size || p->constants > size || p->count > ROOM ||
      (p->scratch != p->count && !HAS(ASKS_SCRATCH_OF_FIRST_SIZE)) || p->inputs > size ||
      p->outputs > size || size != size_of(p)) {
    return 0;
  }
  for (uint32_t s = 0; s < p->steps; ++s) {
    const step_t* step = &steps_of(p)[s];
    const uint32_t operands[2] = {step->left, step->right};
    for (int i = 0; i < 2; ++i) {
      const int is_constant = operands[i] >= p->inputs + p->steps;
      if (is_constant ? operands[i] - p->inputs - p->steps >= p->constants
                      : operands[i] >= p->inputs + s) {
        return 0;
      }
    }
    if (step->output != NOTHING && step->output >= p->outputs) return 0;
  }
  return 1;
}

static armnn_status_t check_version(armnn_backend_t* backend, armnn_string_t compatibility,
                                    armnn_error_t* why_not) {
  (void)backend;
  if (HAS(TAKES_ANY_VERSION) || armnn_string_equals(compatibility, ID)) return ARMNN_STATUS_OK;
  return armnn_fail(why_not, ARMNN_STATUS_INCOMPATIBLE, "another version");
}

static armnn_status_t deserialize(armnn_backend_t* backend, const void* data, uint64_t size,
                                  armnn_string_t compatibility, armnn_blob_t* out_blob,
                                  armnn_error_t* error) {
  (void)backend, (void)compatibility;
  program_t* program = (program_t*)malloc((size_t)size + sizeof *program);
  if (program == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  memcpy(program, data, (size_t)size);
  if (!HAS(BELIEVES_BYTES) && !is_sound(program, size)) {
    free(program);
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "the bytes are no program");
  }
  fill_blob(out_blob, program);
  return ARMNN_STATUS_OK;
}

/* ---- Programs run ---------------------------------------------------------------------------- */

/* A program of a loaded network. An input that lies where the output of the run before was, and the
 * other way round, is a state: it is on the device already. */
typedef struct loaded_t {
  program_t* program;
  const void *read, *written; /* in the run before */
  int8_t* kept;               /* what it wrote */
} loaded_t;

static void unload(void* prepared, const armnn_host_t* host) {
  loaded_t* loaded = (loaded_t*)prepared;
  (void)host;
  free(loaded->kept);
  free(loaded);
}

static armnn_status_t prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                              armnn_backend_t* backend, void** out_prepared,
                              armnn_workload_requirements_t* needs, armnn_error_t* error) {
  program_t* p = (program_t*)armnn_part_object(info, ID);
  (void)host;
  if (p == NULL) return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "another version");
  if (!HAS(BELIEVES_BYTES) && !HAS(COMPUTES_THE_FIRST_SIZE) &&
      (p->count != info->output_infos[0]->element_count || p->inputs != info->input_count ||
       p->outputs != info->output_count)) {
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "another sub-graph");
  }
  loaded_t* loaded = (loaded_t*)calloc(1, sizeof *loaded);
  if (loaded == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  loaded->program = p;
  if (HAS(KEEPS_STATE_OVER_RESETS) || HAS(SHARES_STATE_OF_NETWORKS)) {
    loaded->kept = (int8_t*)malloc((size_t)p->count);
  }
  p->place = 0;
  if (HAS(OVERWRITES_EARLIER_NETWORKS) || HAS(SECOND_DEVICE_OVERWRITES_FIRST)) {
    const uint32_t device = device_of(backend);
    p->place = used[device], used[device] += p->constants * p->count;
    memcpy(room + p->place, constant_of(p, 0), (size_t)(used[device] - p->place));
  }
  *out_prepared = loaded;
  needs->scratch_size = (uint64_t)p->steps * p->scratch;
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, armnn_error_t* error) {
  loaded_t* loaded = (loaded_t*)call->prepared;
  program_t* p = loaded->program;
  const int of_devices = HAS(SHARES_SCRATCH_OF_DEVICES); /* each has a job at a time */
  const int shares = (HAS(SHARES_SCRATCH_OF_PROGRAMS) || of_devices) && p->steps * p->count <= ROOM;
  int8_t* scratch = shares ? room : (int8_t*)call->scratch;
  const int is_apart = HAS(OVERWRITES_EARLIER_NETWORKS) || HAS(SECOND_DEVICE_OVERWRITES_FIRST);
  const int8_t* constants = is_apart ? room + p->place : constant_of(p, 0);
  const void* first = call->inputs[0];
  (void)error;
  if (HAS(KEEPS_ADDRESS_OF_INPUT)) {
    if (p->place == 0) p->place = (uintptr_t)first;
    first = (const void*)(uintptr_t)p->place;
  }
  if (loaded->kept != NULL && first == loaded->written && call->outputs[0] == loaded->read) {
    const int is_same = memcmp(first, loaded->kept, (size_t)p->count) == 0;
    first = !HAS(SHARES_STATE_OF_NETWORKS) ? loaded->kept : is_same ? room : first;
  }
  if (of_devices) pthread_mutex_lock(&turns[device_of(call->backend)]);
  for (uint32_t s = 0; s < p->steps; ++s) {
    const step_t* step = &steps_of(p)[s];
    const uint32_t operands[2] = {step->left, step->right};
    const int8_t* read[2];
    for (int i = 0; i < 2; ++i) {
      const uint32_t n = operands[i], earlier = n - p->inputs;
      const uint32_t slot = HAS(REUSES_SCRATCH_TOO_EARLY) ? earlier % SCRATCH_SLOTS : earlier;
      read[i] = n < p->inputs        ? (const int8_t*)(n == 0 ? first : call->inputs[n])
                : earlier < p->steps ? scratch + slot * p->count
                                     : constants + (earlier - p->steps) * p->count;
    }
    int8_t* result = scratch + (HAS(REUSES_SCRATCH_TOO_EARLY) ? s % SCRATCH_SLOTS : s) * p->count;
    compute(step, read[0], read[1], result, p->count, 1);
    if (shares || HAS(KEEPS_ADDRESS_OF_INPUT)) { /* as long as a device would take */
      nanosleep(&(struct timespec){0, 100000}, NULL);
    }
    if (step->output == NOTHING || (HAS(LEAVES_SECOND_OUTPUT) && step->output == 1)) continue;
    memcpy(call->outputs[step->output], result,
           (size_t)(HAS(LEAVES_LAST_ELEMENT) ? p->count - 1 : p->count));
    if (HAS(WRITES_FORTY_TWO)) memset(call->outputs[step->output], 42, (size_t)p->count);
  }
  if (of_devices) pthread_mutex_unlock(&turns[device_of(call->backend)]);
  loaded->read = call->inputs[0], loaded->written = call->outputs[0];
  if (loaded->kept != NULL) memcpy(loaded->kept, loaded->written, (size_t)p->count);
  if (HAS(SHARES_STATE_OF_NETWORKS)) memcpy(room, loaded->written, (size_t)p->count);
  return ARMNN_STATUS_OK;
}

static armnn_status_t takes_any(const armnn_layer_query_t* query, armnn_error_t* reason) {
  (void)query, (void)reason;
  return ARMNN_STATUS_OK;
}

static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_FULL(ELEMENTWISE_BINARY, ARMNN_BINARY_ADD, QASYMM_S8, one_layer, same_size, NULL,
                      NULL),
    ARMNN_KERNEL_FULL(ELEMENTWISE_BINARY, ARMNN_BINARY_SUB, QASYMM_S8, one_layer, same_size, NULL,
                      NULL),
    ARMNN_KERNEL_FULL(ELEMENTWISE_BINARY, ARMNN_BINARY_MUL, QASYMM_S8, one_layer, same_size, NULL,
                      NULL),
    ARMNN_KERNEL_FULL(ACTIVATION, ARMNN_ACTIVATION_RELU, QASYMM_S8, one_layer, same_size, NULL,
                      NULL),
    ARMNN_KERNEL_FULL(PRE_COMPILED, ARMNN_ANY, ANY, run, takes_any, prepare, unload),
};
static const armnn_kit_hooks_t hooks = {.open = open_device,
                                        .list_devices = list_devices,
                                        .optimize = optimize,
                                        .check_blob = check_version,
                                        .deserialize_blob = deserialize};
ARMNN_DEFINE_BACKEND_WITH("Compiler", kernels, 1, "1.0", "compiles 8 bits", 0, hooks)
