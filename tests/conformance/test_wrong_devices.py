# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Samples with memory, queues and devices of their own, and one fault in each: all are found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from armnn_py.testing import check_conformance
from armnn_py.testing.features import FEATURES

from .test_features import features_of, outcomes, sample

_KEPT = """
    if (self->kept == NULL) {
      self->kept = malloc(self->size);
      copy_out(self, self->kept, error);
    }
    memcpy(self->bounce, self->kept, self->size);
    const armnn_status_t status = ARMNN_STATUS_OK;"""

#: Of samples: the feature that shows it, what the report says, and in which file what becomes what.
FAULTS = {
    "npu writes nothing back": (
        "handles", r"float32 tensor of shape \(2, 4\): copy_out_to after map for writing: \[0, 0\]",
        ("handle.c", "(self->access & ARMNN_MAP_WRITE) != 0", "self->access > ARMNN_MAP_WRITE"),
    ),
    "npu reads nothing where it may be written": (
        "handles", r": map for reading and writing: \[.*\] is .* expected",
        ("handle.c", "(access & ARMNN_MAP_READ) != 0", "access == ARMNN_MAP_READ"),
    ),
    "npu keeps what it mapped": (
        "handles", r": map for reading after copy_in_from again: \[.*\] is .* expected",
        ("handle.c", "  bool placed;", "  bool placed;\n  char* kept;"),
        (
            "handle.c",
            "    const armnn_status_t status = copy_out(self, self->bounce, error);", _KEPT,
        ),
    ),
    "npu ends lives at their begin": (
        "handles", "of another tensor, after this one was written: ",
        (
            "handle.c", "  self->placed = true;",
            "  self->placed = true;\n  npu_manager_end(self->manager, self->offset, self->size);",
        ),
    ),
    "npu copies past imported memory": (
        "handles", r": copy_out_to of imported memory: \[.*\] is .* expected",
        ("handle.c", "  if (imported->file >= 0) {", "  if (imported->file < -1) {"),
    ),
    "zero loses offsets": (
        "handles", r"of the sub-tensor from byte 16 on, after copy_in_from of all: \[\d+\] is",
        ("handles.c", "offset += handle->offset", "offset += 0 * handle->offset"),
    ),
    "zero has parts in memory of its own": (
        "handles", r"of the sub-tensor from byte 16 on, of imported memory: \[\d+\] is",
        ("handles.c", "if (handle->imported != NULL)", "if (handle->imported != NULL && !offset)"),
    ),
    "zero reads at the import": (
        "handles", r"of imported memory that changed: \[.*\] is .* expected",
        (
            "handles.c", "  self->imported = memory->address;",
            "  self->imported = memcpy(malloc(self->size), memory->address, self->size);",
        ),
    ),
    "zero writes at the end of an import": (
        "handles", r"memory of the caller after unimport_memory: \[0, 0\] is 0",
        (
            "handles.c", "  self->imported = NULL;\n",
            "  memset((void*)(uintptr_t)self->imported, 0, 4);\n  self->imported = NULL;\n",
        ),
    ),
    "npu waits for no fence": (
        "fences", "the fence of signal_fence ends while a fence before it is not signalled",
        ("context.c", " && npu_queue_await(execution_data, fence)", ""),
    ),
    "npu signals early": (
        "fences", "the fence of signal_fence ends while a fence before it is not signalled",
        ("queue.c", "(promise_t){fence, queue->put, NULL}", "(promise_t){fence, 0, NULL}"),
    ),
    "npu forgets its descriptor": (
        "fences", "the descriptor of a fence cannot be read when its work has ended",
        ("fence.c", "if (self->event >= 0 && write", "if (self->event < 0 && write"),
    ),
    "npu makes its descriptor signalled": (
        "fences", "the descriptor of a fence can be read before its work has ended",
        ("fence.c", "eventfd(0, ", "eventfd(1, "),
    ),
    "npu has no descriptor": (
        "fences", "the descriptor of a fence cannot be read when its work has ended",
        ("fence.c", "return ((npu_fence_t*)fence)->event;", "return fence != NULL ? -1 : 0;"),
    ),
    "npu flushes without a wait": (
        "fences", "after_enqueue_workload ends while a fence before it is not signalled",
        (
            "queue.c", "  while (queue->taken != queue->put) pthread_cond_wait",
            "  while (queue == NULL) pthread_cond_wait",
        ),
    ),
    "npu takes fences that failed": (
        "fences", "waits for a fence that fails, and the run does not",
        (
            "queue.c", "if (status != ARMNN_STATUS_TIMEOUT) return status;",
            "if (status != ARMNN_STATUS_TIMEOUT) return ARMNN_STATUS_OK;",
        ),
    ),
    "npu does not stop its waits": (
        "fences", "did not return within .* a run is stopped while its queue waits",
        (
            "queue.c",
            "    if (is_cancelled(queue->backend->host, job->run_id) || should_stop(queue)) {\n"
            '      return npu_fail(error, ARMNN_STATUS_CANCELLED, "stopped while',
            "    if (should_stop(queue)) {\n"
            '      return npu_fail(error, ARMNN_STATUS_CANCELLED, "stopped while',
        ),
    ),
    "npu keeps fences": (
        "fences", "a fence is used when its runs have ended",
        ("queue.c", "  queue->awaited_count = 0;\n  queue->put", "  queue->put"),
        ("queue.c", "  queue->awaited_count = 0; /*", "  /*"),
    ),
    "npu takes memory that is not ready": (
        "fences", "a run with memory of others ends while .* not signalled",
        ("handle.c", ".ready = memory->ready", ".ready = NULL"),
    ),
    "npu has one factory for its devices": (
        "", "every layer that 'Sample_Npu:1' takes, compiled|a tensor of npu0 in a job of npu1",
        (
            "handle.c", "  factory->backend = (npu_backend_t*)backend;",
            "  static npu_backend_t* first;\n"
            "  factory->backend = first = first == NULL ? (npu_backend_t*)backend : first;",
        ),
    ),
}  # fmt: skip


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found(fault: str, tmp_path: Path) -> None:
    feature, words, *changes = FAULTS[fault]
    file = sample(fault.split(maxsplit=1)[0], tmp_path, *changes)
    if feature:
        part = (list(FEATURES).index(feature) + 1, len(FEATURES))
        report = check_conformance(file, groups=["features"], part=part, timeout=3)
    else:
        report = check_conformance(file, groups=["subgraphs"], part=(2, 8))
    assert not report.ok
    messages = [result.message for result in report.bad()]
    assert any(re.search(words, message) for message in messages), messages


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "fences"), [("npu", "passed"), ("zero", "refused")])
def test_without_a_fault_everything_passes(name: str, fences: str, tmp_path: Path) -> None:
    report = features_of(sample(name, tmp_path))
    assert report.ok, report.changes
    found = outcomes(report)
    assert (found["handles"], found["fences"]) == ("passed", fences)
