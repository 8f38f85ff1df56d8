/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * one_case.c - runs one layer with each of its values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/names.h"
#include "board.h"

static size_t size_of(const armnn_tensor_info_t* info) {
  return (size_t)((info->element_count * armnn_data_type_bits(info->data_type) + 7) / 8);
}

static size_t element_of(const armnn_tensor_info_t* info) {
  const size_t bytes = armnn_data_type_bits(info->data_type) / 8;
  return bytes != 0 ? bytes : 1;
}

/* The needs of tensor |index| of the workload: inputs first, then outputs. */
static armnn_tensor_needs_t needs_of(const made_t* made, uint32_t index) {
  armnn_tensor_needs_t needs = {0};
  const armnn_tensor_needs_t* const* const stated = made->needs.tensors;
  if (stated != NULL && stated[index] != NULL) {
    const uint32_t size = stated[index]->header.struct_size;
    memcpy(&needs, stated[index], size < sizeof needs ? size : sizeof needs);
  }
  if (needs.alignment == 0) needs.alignment = made->needs.tensor_alignment;
  if (index < 64 && (made->needs.consumed_mask >> index & 1) != 0) {
    needs.flags |= ARMNN_NEEDS_CONSUMED;
  }
  return needs;
}

typedef struct memory_t {
  region_t scratch, persistent, *inputs, *outputs;
  const void** input_data;
  void** output_data;
} memory_t;

static region_t tensor_at(const made_t* made, const armnn_tensor_info_t* info, uint32_t index,
                          layout_t layout) {
  const armnn_tensor_needs_t needs = needs_of(made, index);
  size_t alignment = needs.alignment != 0 ? needs.alignment : 64;
  if (alignment < element_of(info)) alignment = element_of(info);
  return take(size_of(info), alignment, needs.readable_bytes, layout);
}

static memory_t lay_out(const made_t* made, const case_t* one, const run_t* run) {
  const armnn_workload_info_t* const info = &one->info;
  const layout_t layout = (layout_t)run->layout;
  memory_t memory = {0};
  memory.inputs = calloc(info->input_count + 1, sizeof *memory.inputs);
  memory.outputs = calloc(info->output_count + 1, sizeof *memory.outputs);
  memory.input_data = calloc(info->input_count + 1, sizeof(void*));
  memory.output_data = calloc(info->output_count + 1, sizeof(void*));
  for (uint32_t i = 0; i < info->input_count; ++i) {
    const armnn_tensor_info_t* const tensor = info->input_infos[i];
    if (tensor == NULL || run->inputs[i] == NULL) continue;
    if ((needs_of(made, i).flags & ARMNN_NEEDS_CONSUMED) != 0) continue;
    region_t* const region = &memory.inputs[i];
    *region = tensor_at(made, tensor, i, layout);
    memcpy(region->data, run->inputs[i], region->size);
    if (run->layout == LAYOUT_READ_ONLY) forbid_writing(region);
    memory.input_data[i] = region->data;
  }
  for (uint32_t i = 0; i < info->output_count; ++i) {
    memory.outputs[i] = tensor_at(made, info->output_infos[i], info->input_count + i, layout);
    memory.output_data[i] = memory.outputs[i].data;
  }
  if (made->needs.scratch_size != 0) {
    memory.scratch = take(made->needs.scratch_size, made->needs.scratch_alignment, 0, layout);
  }
  if (made->needs.persistent_size != 0) {
    memory.persistent = take(made->needs.persistent_size, 64, 0, layout);
    memset(memory.persistent.data, 0, memory.persistent.size);
  }
  return memory;
}

static void look_and_free(const case_t* one, memory_t* memory, uint64_t number) {
  char words[64] = "";
  for (uint32_t i = 0; i < one->info.input_count; ++i) {
    if (is_damaged(&memory->inputs[i])) snprintf(words, sizeof words, "input %u", i);
    give_back(&memory->inputs[i]);
  }
  for (uint32_t i = 0; i < one->info.output_count; ++i) {
    if (is_damaged(&memory->outputs[i])) snprintf(words, sizeof words, "output %u", i);
    give_back(&memory->outputs[i]);
  }
  if (is_damaged(&memory->scratch)) snprintf(words, sizeof words, "the scratch");
  if (is_damaged(&memory->persistent)) snprintf(words, sizeof words, "the persistent bytes");
  give_back(&memory->scratch);
  give_back(&memory->persistent);
  free(memory->inputs);
  free(memory->outputs);
  free(memory->input_data);
  free(memory->output_data);
  if (words[0] != '\0') put_text(RECORD_DAMAGE, 0, number, words);
}

/* Runs once; false: a run failed, and the others are left out. */
static bool run_once(const subject_t* subject, made_t* made, const case_t* one, uint64_t number) {
  const run_t* const run = &one->runs[number];
  progress->run = number;
  begin("execute");
  memory_t memory = lay_out(made, one, run);
  armnn_execute_args_t args = {.header = {sizeof args, ARMNN_STRUCT_EXECUTE_ARGS},
                               .inputs = memory.input_data,
                               .outputs = memory.output_data,
                               .scratch = memory.scratch.data,
                               .scratch_size = made->needs.scratch_size,
                               .workload_data = memory.persistent.data,
                               .execution_data = made->execution_data,
                               .run_id = number + 1};
  const armnn_status_t status = execute(subject, made, &args);
  struct iovec parts[64] = {{0}};
  int count = 0;
  for (uint32_t i = 0; status == ARMNN_STATUS_OK && i < one->info.output_count && i < 64; ++i) {
    parts[count++] = (struct iovec){memory.outputs[i].data, memory.outputs[i].size};
  }
  if (status == ARMNN_STATUS_OK) {
    put((record_t){.kind = RECORD_RAN, .number = progress->number, .run = number}, parts, count);
  } else {
    put_text(RECORD_RAN, status, number, error_text);
  }
  look_and_free(one, &memory, number);
  return status == ARMNN_STATUS_OK;
}

void run_case(const subject_t* subject, const case_t* one) {
  made_t made = {0};
  progress->run = 0;
  armnn_status_t status = ARMNN_STATUS_OK;
  const char* const failed = make(subject, one, &made, &status);
  char words[sizeof error_text + 64] = "";
  if (failed != NULL) snprintf(words, sizeof words, "%s: %s", failed, error_text);
  put_text(RECORD_MADE, status, 0, words);
  for (uint64_t i = 0; failed == NULL && i < one->run_count; ++i) {
    if (!run_once(subject, &made, one, i)) break;
  }
  unmake(&made);
  if (failed == NULL) ask(subject, one, 2);
}
