# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Events of a backend become the layers inside a compiled part."""

from __future__ import annotations

from typing import Literal

from armnn_py.optimizer.reports.report_layer import LayerAssignment
from armnn_py.runtime.profile.profile_records import BackendEvent
from armnn_py.runtime.profile.profile_sums import (
    InnerLayer,
    find_inner_layers,
    group_by_kernel,
    names_of,
)

KNOWN = {
    guid: LayerAssignment(guid, name, kind, "Acme")
    for guid, name, kind in ((3, "conv1", "Convolution2d"), (4, "relu1", "Activation"))
}


def event(
    phase: Literal["begin", "end", "instant"], name: str, guid: int, time_ns: int
) -> BackendEvent:
    return BackendEvent(name, phase, guid, 1, time_ns, in_run=True)


def test_kernels_have_the_layers_that_they_computed() -> None:
    events = [
        event("begin", "conv_kernel", 3, 100),
        event("instant", "fused", 4, 101),
        event("end", "conv_kernel", 3, 250),
        event("begin", "relu_kernel", 4, 260),
        event("end", "relu_kernel", 4, 275),
    ]
    conv, relu = find_inner_layers(events, KNOWN)
    assert (conv.kernel, conv.start_ns, conv.duration_ns, conv.guids) == (
        "conv_kernel", 100, 150, [3, 4],
    )  # fmt: skip
    assert (relu.kernel, relu.duration_ns, relu.guids) == ("relu_kernel", 15, [4])
    assert names_of(conv.guids, KNOWN) == ("conv1 + relu1", "Convolution2d + Activation")


def test_events_about_other_things_are_no_layers() -> None:
    events = [
        event("begin", "warming up", 99, 0),
        event("end", "warming up", 99, 5),
        event("end", "conv_kernel", 3, 6),  # its begin was lost
        event("instant", "note", 3, 7),
        event("begin", "conv_kernel", 3, 10),
        event("begin", "copy in", 3, 11),
        event("end", "copy in", 3, 12),
        event("end", "conv_kernel", 3, 20),
        event("begin", "conv_kernel", 3, 30),  # its end was lost
    ]
    (conv,) = find_inner_layers(events, KNOWN)
    assert conv.duration_ns == 10
    assert conv.guids == [3]


def test_a_lost_end_costs_one_kernel_only() -> None:
    events = [
        event("begin", "conv_kernel", 3, 0),  # its end was lost
        event("begin", "relu_kernel", 4, 10),
        event("end", "relu_kernel", 4, 12),
        event("begin", "conv_kernel", 3, 20),
        event("instant", "fused", 4, 21),
        event("end", "conv_kernel", 3, 29),
    ]
    relu, conv = find_inner_layers(events, KNOWN)
    assert (relu.kernel, relu.duration_ns) == ("relu_kernel", 2)
    assert (conv.kernel, conv.duration_ns, conv.guids) == ("conv_kernel", 9, [3, 4])


def test_runs_of_a_kernel_on_the_same_layers_are_one_execution() -> None:
    inner = [
        InnerLayer("copy", 0, [3], 5),
        InnerLayer("relu_kernel", 6, [4], 2),
        InnerLayer("product", 10, [3], 30),
        InnerLayer("product", 50, [3], 29),
        InnerLayer("product", 90, [3, 4], 1),
    ]
    groups = [(one.kernel, one.start_ns, time_ns) for one, time_ns in group_by_kernel(inner)]
    assert groups == [
        ("copy", 0, 5),
        ("relu_kernel", 6, 2),
        ("product", 10, 59),
        ("product", 90, 1),
    ]
