#include "compiler.h"

#include "armnn/compile_cache.h"
#include "armnn/compile_kit.h"
#include "kernels.h"

#define NO_OPERAND 0xffffffffu
#define BLOCK 256 /* elements that go through all steps together: they stay in the cache */
static const char ID[] = "@NAME@";
static const char SUFFIX[] = "program";          /* of files in the cache */
static const char COMPATIBILITY[] = "@NAME@ 1"; /* another text when program_t changes */

/* ---- What the options say -------------------------------------------------------------------- */

typedef struct compiler_t {
  const armnn_host_t* host;
  char cache_dir[1024]; /* "": none */
} compiler_t;

armnn_status_t compiler_open(const armnn_create_args_t* args, void** out_user,
                             armnn_error_t* error) ARMNN_NOEXCEPT {
  compiler_t* self = (compiler_t*)calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->host = args->host;
  const armnn_option_t* folder = armnn_find_option(args->options, "cache_dir", ARMNN_OPTION_STRING);
  if (folder != NULL && folder->string.size >= sizeof self->cache_dir) {
    free(self);
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "cache_dir is too long");
  }
  if (folder != NULL && folder->string.size > 0) {
    memcpy(self->cache_dir, folder->string.data, folder->string.size);
  }
  *out_user = self;
  return ARMNN_STATUS_OK;
}

void compiler_close(void* user) ARMNN_NOEXCEPT { free(user); }

/* ---- Programs -------------------------------------------------------------------------------- */

static uint64_t program_size(uint32_t step_count) {
  return sizeof(program_t) + (uint64_t)step_count * sizeof(step_t);
}

static step_t* steps_of(const program_t* program) { return (step_t*)(uintptr_t)(program + 1); }

/* Whether these bytes are a program that touches nothing but its operands: a file may hold
 * anything. */
static int is_sound(const void* data, uint64_t size) {
  const program_t* program = (const program_t*)data;
  if (size < sizeof *program || program->step_count == 0 ||
      size != program_size(program->step_count)) {
    return 0;
  }
  for (uint32_t s = 0; s < program->step_count; ++s) {
    const step_t* step = &steps_of(program)[s];
    const uint64_t known = (uint64_t)program->input_count + s;
    if (step->left >= known || step->right >= known) return 0;
    if (step->output != NOT_AN_OUTPUT && step->output >= program->output_count) return 0;
  }
  return 1;
}

/* ---- Sub-graphs become programs -------------------------------------------------------------- */

/* The number of an operand in the program, or NO_OPERAND for one that it cannot have. */
static uint32_t operand_of(const armnn_subgraph_t* subgraph, armnn_slot_t slot) {
  if (slot.layer == ARMNN_SLOT_BOUNDARY) return slot.slot;
  if (slot.layer < subgraph->layer_count) return subgraph->input_count + slot.layer;
  return NO_OPERAND; /* a constant: the program keeps no values */
}

static int fill_program(program_t* program, const armnn_subgraph_t* subgraph) {
  program->count = subgraph->layers[0]->output_infos[0]->element_count;
  program->input_count = subgraph->input_count;
  program->output_count = subgraph->output_count;
  program->step_count = subgraph->layer_count;
  for (uint32_t l = 0; l < subgraph->layer_count; ++l) {
    const armnn_layer_t* layer = subgraph->layers[l];
    if (layer->type != ARMNN_LAYER_ELEMENTWISE_BINARY ||
        layer->output_infos[0]->element_count != program->count) {
      return 0;
    }
    step_t* step = &steps_of(program)[l];
    step->operation = armnn_kit_operation(layer->descriptor);
    step->left = operand_of(subgraph, layer->inputs[0]);
    step->right = operand_of(subgraph, layer->inputs[1]);
    step->output = NOT_AN_OUTPUT;
    if (step->left == NO_OPERAND || step->right == NO_OPERAND) return 0;
  }
  for (uint32_t k = 0; k < subgraph->output_count; ++k) {
    steps_of(program)[subgraph->outputs[k].layer].output = k;
  }
  return 1;
}

/* The program of a sub-graph that was compiled before, or null. */
static program_t* load_program(const compiler_t* self, armnn_hash_t key) {
  void* object = NULL;
  uint64_t size = 0;
  char text[256];
  armnn_error_t reason = armnn_error_in(text, sizeof text);
  if (self->cache_dir[0] == 0) return NULL;
  const armnn_status_t status =
      armnn_cache_load(self->cache_dir, key, SUFFIX, &object, &size, &reason);
  if (status == ARMNN_STATUS_OK && is_sound(object, size)) {
    armnn_log(self->host, ARMNN_LOG_DEBUG, ID, "a program comes from the cache");
    return (program_t*)object;
  }
  free(object);
  if (status != ARMNN_STATUS_OK && status != ARMNN_STATUS_UNAVAILABLE) { /* not merely missing */
    armnn_log(self->host, ARMNN_LOG_WARNING, ID, "cache_dir: %s", text);
  }
  return NULL;
}

static void store_program(const compiler_t* self, armnn_hash_t key, const program_t* program) {
  char text[256];
  armnn_error_t reason = armnn_error_in(text, sizeof text);
  if (self->cache_dir[0] != 0 &&
      armnn_cache_store(self->cache_dir, key, SUFFIX, program, program_size(program->step_count),
                        &reason) != ARMNN_STATUS_OK) {
    armnn_log(self->host, ARMNN_LOG_WARNING, ID, "cache_dir: %s", text);
  }
}

static uint64_t blob_size(void* object) ARMNN_NOEXCEPT {
  return program_size(((const program_t*)object)->step_count);
}

static armnn_status_t serialize_blob(void* object, void* buffer, uint64_t size,
                                     armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  memcpy(buffer, object, (size_t)size);
  return ARMNN_STATUS_OK;
}

static void release_blob(void* object) ARMNN_NOEXCEPT { free(object); }

static void fill_blob(armnn_blob_t* blob, program_t* program) {
  blob->object = program;
  blob->release = release_blob;
  blob->compatibility.data = COMPATIBILITY;
  blob->compatibility.size = sizeof COMPATIBILITY - 1;
  blob->get_size = blob_size;
  blob->serialize = serialize_blob;
}

armnn_status_t compile_subgraph(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                                const armnn_options_t* model_options,
                                const armnn_optimization_sink_t* sink,
                                armnn_error_t* error) ARMNN_NOEXCEPT {
  const compiler_t* self = (const compiler_t*)armnn_kit_user(backend);
  (void)model_options;
  if (subgraph->layer_count < 2) return ARMNN_STATUS_UNSUPPORTED; /* it runs as it is */
  const armnn_hash_t key = armnn_hash_part(
      armnn_hash_bytes(armnn_hash_start(), COMPATIBILITY, sizeof COMPATIBILITY), subgraph);
  program_t* program = load_program(self, key);
  if (program == NULL) {
    program = (program_t*)calloc(1, (size_t)program_size(subgraph->layer_count));
    if (program == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
    if (!fill_program(program, subgraph)) {
      free(program);
      return ARMNN_STATUS_UNSUPPORTED; /* all layers run as they are */
    }
    store_program(self, key, program);
  }
  armnn_blob_t blob;
  memset(&blob, 0, sizeof blob);
  blob.header.struct_size = sizeof blob;
  blob.header.struct_type = ARMNN_STRUCT_BLOB;
  fill_blob(&blob, program);
  return armnn_replace_part(sink, subgraph, NULL, "compiled", &blob);
}

armnn_status_t compiler_check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                                   armnn_error_t* why_not) ARMNN_NOEXCEPT {
  (void)backend;
  if (armnn_string_equals(compatibility, COMPATIBILITY)) return ARMNN_STATUS_OK;
  return armnn_fail(why_not, ARMNN_STATUS_INCOMPATIBLE, "not compiled by this version");
}

armnn_status_t compiler_deserialize_blob(armnn_backend_t* backend, const void* data, uint64_t size,
                                         armnn_string_t compatibility, armnn_blob_t* out_blob,
                                         armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)backend, (void)compatibility; /* compiler_check_blob has seen it */
  if (!is_sound(data, size)) {
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "the bytes are no program");
  }
  program_t* program = (program_t*)malloc((size_t)size);
  if (program == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  memcpy(program, data, (size_t)size);
  fill_blob(out_blob, program);
  return ARMNN_STATUS_OK;
}

uint32_t compiler_count_files(armnn_backend_t* backend) ARMNN_NOEXCEPT {
  const compiler_t* self = (const compiler_t*)armnn_kit_user(backend);
  return self->cache_dir[0] == 0 ? 0 : armnn_cache_count(self->cache_dir, SUFFIX);
}

/* ---- Programs run ---------------------------------------------------------------------------- */

armnn_status_t compiled_supports(const armnn_layer_query_t* query,
                                 armnn_error_t* reason) ARMNN_NOEXCEPT {
  (void)query, (void)reason; /* only this backend makes such a layer */
  return ARMNN_STATUS_OK;
}

armnn_status_t compiled_prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                                armnn_backend_t* backend, void** out_prepared,
                                armnn_workload_requirements_t* needs,
                                armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)host, (void)backend;
  program_t* program = (program_t*)armnn_part_object(info, COMPATIBILITY);
  if (program == NULL || program->count != info->output_infos[0]->element_count ||
      program->input_count != info->input_count || program->output_count != info->output_count) {
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "not compiled by this version");
  }
  *out_prepared = program; /* the blob keeps it */
  needs->scratch_size = (uint64_t)program->step_count * BLOCK * sizeof(float);
  return ARMNN_STATUS_OK;
}

void program_run(const program_t* program, const void* const* inputs, void* const* outputs,
                 float* scratch) {
  for (uint64_t begin = 0; begin < program->count; begin += BLOCK) {
    const uint64_t left = program->count - begin, count = left < BLOCK ? left : BLOCK;
    for (uint32_t s = 0; s < program->step_count; ++s) {
      const step_t* step = &steps_of(program)[s];
      const float* operands[2];
      for (int i = 0; i < 2; ++i) {
        const uint32_t number = i == 0 ? step->left : step->right;
        const uint32_t earlier = number - program->input_count;
        if (number < program->input_count) {
          operands[i] = (const float*)inputs[number] + begin;
        } else if (steps_of(program)[earlier].output != NOT_AN_OUTPUT) {
          operands[i] = (const float*)outputs[steps_of(program)[earlier].output] + begin;
        } else {
          operands[i] = scratch + (uint64_t)earlier * BLOCK;
        }
      }
      float* result = step->output != NOT_AN_OUTPUT ? (float*)outputs[step->output] + begin
                                                    : scratch + (uint64_t)s * BLOCK;
      if (step->operation == ARMNN_BINARY_ADD) {
        add_floats(operands[0], operands[1], result, count);
      } else {
        multiply_floats(operands[0], operands[1], result, count);
      }
    }
  }
}
