#include "compiler.h"

#include "armnn/compile_kit.h"
#include "kernels.h"

#define NO_OPERAND 0xffffffffu
#define BLOCK 256 /* elements that go through all steps together: they stay in the cache */
static const char COMPATIBILITY[] = "@NAME@ 1"; /* another text when program_t changes */

static void release_program(void* object) ARMNN_NOEXCEPT {
  free(((program_t*)object)->steps);
  free(object);
}

/* The number of an operand in the program, or NO_OPERAND for one that it cannot have. */
static uint32_t operand_of(const armnn_subgraph_t* subgraph, armnn_slot_t slot) {
  if (slot.layer == ARMNN_SLOT_BOUNDARY) return slot.slot;
  if (slot.layer < subgraph->layer_count) return subgraph->input_count + slot.layer;
  return NO_OPERAND; /* a constant: the program keeps no values */
}

static int fill_program(program_t* program, const armnn_subgraph_t* subgraph) {
  program->count = subgraph->layers[0]->output_infos[0]->element_count;
  program->input_count = subgraph->input_count;
  program->step_count = subgraph->layer_count;
  for (uint32_t l = 0; l < subgraph->layer_count; ++l) {
    const armnn_layer_t* layer = subgraph->layers[l];
    if (layer->type != ARMNN_LAYER_ELEMENTWISE_BINARY ||
        layer->output_infos[0]->element_count != program->count) {
      return 0;
    }
    step_t* step = &program->steps[l];
    step->operation = armnn_kit_operation(layer->descriptor);
    step->left = operand_of(subgraph, layer->inputs[0]);
    step->right = operand_of(subgraph, layer->inputs[1]);
    step->output = NOT_AN_OUTPUT;
    if (step->left == NO_OPERAND || step->right == NO_OPERAND) return 0;
  }
  for (uint32_t k = 0; k < subgraph->output_count; ++k) {
    program->steps[subgraph->outputs[k].layer].output = k;
  }
  return 1;
}

armnn_status_t compile_subgraph(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                                const armnn_options_t* model_options,
                                const armnn_optimization_sink_t* sink,
                                armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)backend, (void)model_options;
  if (subgraph->layer_count < 2) return ARMNN_STATUS_UNSUPPORTED; /* it runs as it is */
  program_t* program = (program_t*)calloc(1, sizeof *program);
  step_t* steps = (step_t*)calloc(subgraph->layer_count, sizeof *steps);
  if (program == NULL || steps == NULL) {
    free(program);
    free(steps);
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  program->steps = steps;
  if (!fill_program(program, subgraph)) {
    release_program(program);
    return ARMNN_STATUS_UNSUPPORTED; /* all layers run as they are */
  }
  armnn_blob_t blob;
  memset(&blob, 0, sizeof blob);
  blob.header.struct_size = sizeof blob;
  blob.header.struct_type = ARMNN_STRUCT_BLOB;
  blob.object = program;
  blob.release = release_program;
  blob.compatibility.data = COMPATIBILITY;
  blob.compatibility.size = sizeof COMPATIBILITY - 1;
  return armnn_replace_part(sink, subgraph, NULL, "compiled", &blob);
}

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
  if (program == NULL) {
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
      const step_t* step = &program->steps[s];
      const float* operands[2];
      for (int i = 0; i < 2; ++i) {
        const uint32_t number = i == 0 ? step->left : step->right;
        const uint32_t earlier = number - program->input_count;
        if (number < program->input_count) {
          operands[i] = (const float*)inputs[number] + begin;
        } else if (program->steps[earlier].output != NOT_AN_OUTPUT) {
          operands[i] = (const float*)outputs[program->steps[earlier].output] + begin;
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
