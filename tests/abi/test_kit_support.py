# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Layer support of the kit: which row is chosen, and the reason when none is."""

from __future__ import annotations

import pytest
from abi_headers import REPOSITORY

from armnn_py._native import abi

from .kit_driver import FLOAT32, SIGNED32, Backend, Info, binary, new, unary

OK, UNSUPPORTED = abi.ARMNN_STATUS_OK, abi.ARMNN_STATUS_UNSUPPORTED
BINARY, UNARY = abi.ARMNN_LAYER_ELEMENTWISE_BINARY, abi.ARMNN_LAYER_ELEMENTWISE_UNARY
FLOATS, INTS = Info((2, 3)), Info((2, 3), SIGNED32)


@pytest.fixture(scope="module")
def backend(toolchain, tmp_path_factory):
    path = tmp_path_factory.mktemp("kit") / "Acme_Kit_backend.so"
    source = REPOSITORY / "tests" / "abi" / "kit_backend.c"
    made = Backend(toolchain.build_backend(source, path))
    yield made
    made.close()


def add():
    return binary(abi.ARMNN_BINARY_ADD)


def clip(**values):
    tag = abi.ARMNN_STRUCT_DESCRIPTOR + abi.ARMNN_LAYER_ACTIVATION
    function = abi.ARMNN_ACTIVATION_BOUNDED_RELU
    return new(abi.armnn_activation_descriptor_t, tag, function=function, **values)


def test_matching_row_is_supported(backend):
    answer = backend.ask(BINARY, add(), [FLOATS, FLOATS], [FLOATS])
    assert (answer.status, answer.text) == (OK, "untouched")


@pytest.mark.parametrize(
    ("kind", "descriptor", "inputs", "outputs", "reason"),
    [
        pytest.param(
            abi.ARMNN_LAYER_SOFTMAX,
            None,
            [FLOATS],
            [FLOATS],
            "no kernel for this layer type",
            id="layer type without a row",
        ),
        pytest.param(
            77_000,
            None,
            [FLOATS],
            [FLOATS],
            "no kernel for this layer type",
            id="layer type of a later version",
        ),
        pytest.param(
            BINARY,
            binary(abi.ARMNN_BINARY_SUB),
            [FLOATS, FLOATS],
            [FLOATS],
            "no kernel for Sub",
            id="operation without a row",
        ),
        pytest.param(
            BINARY,
            binary(abi.ARMNN_BINARY_COUNT),
            [FLOATS, FLOATS],
            [FLOATS],
            f"no kernel for operation {abi.ARMNN_BINARY_COUNT} of this layer type",
            id="operation of a later version",
        ),
        pytest.param(
            BINARY,
            add(),
            [INTS, INTS],
            [INTS],
            "no kernel for data type int32",
            id="data type without a row",
        ),
        pytest.param(
            BINARY,
            add(),
            [FLOATS, INTS],
            [FLOATS],
            "input 1 is int32, the kernel takes float32",
            id="second input of another type",
        ),
        pytest.param(
            BINARY,
            add(),
            [FLOATS, FLOATS],
            [INTS],
            "output 0 is int32, the kernel takes float32",
            id="output of another type",
        ),
        pytest.param(
            BINARY,
            add(),
            [FLOATS, Info((3,))],
            [FLOATS],
            "shapes differ, the kernel takes equal shapes (no broadcasting)",
            id="rank differs",
        ),
        pytest.param(
            BINARY,
            add(),
            [FLOATS, Info((2, 1))],
            [FLOATS],
            "shapes differ, the kernel takes equal shapes (no broadcasting)",
            id="dimension differs",
        ),
        pytest.param(
            BINARY,
            add(),
            [Info((2, 3), 99), FLOATS],
            [FLOATS],
            "no kernel for data type unknown type",
            id="data type of a later version",
        ),
        pytest.param(
            abi.ARMNN_LAYER_ACTIVATION,
            clip(a=6.0),
            [Info((2, 3, 4))],
            [Info((2, 3, 4))],
            "rank 3 is not 2 (a is 6)",
            id="the row's own reason",
        ),
        pytest.param(
            UNARY,
            None,
            [FLOATS],
            [FLOATS],
            "no kernel for operation -1 of this layer type",
            id="descriptor missing",
        ),
    ],
)
def test_reason(backend, kind, descriptor, inputs, outputs, reason):
    answer = backend.ask(kind, descriptor, inputs, outputs)
    assert (answer.status, answer.text) == (UNSUPPORTED, reason)
    assert answer.needed == len(reason) + 1
    made = backend.make(kind, descriptor, inputs, outputs)
    assert (made.answer.status, made.answer.text) == (UNSUPPORTED, reason)
    assert not made.pointer


def test_absent_operand_is_skipped(backend):
    answer = backend.ask(BINARY, add(), [None, FLOATS], [FLOATS])
    assert answer.status == OK


def test_a_row_for_any_data_type(backend):
    for data_type in (FLOAT32, SIGNED32):
        info = Info((2, 3), data_type)
        answer = backend.ask(abi.ARMNN_LAYER_ACTIVATION, clip(), [info], [info])
        assert answer.status == OK


def test_a_layer_without_inputs_is_chosen_by_its_output(backend):
    constant = abi.ARMNN_LAYER_CONSTANT
    assert backend.ask(constant, None, [], [INTS]).status == OK
    assert backend.ask(constant, None, [], [FLOATS]).text == "no kernel for data type float32"


def test_a_layer_without_outputs_is_checked_by_its_inputs(backend):
    unmap = abi.ARMNN_LAYER_UNMAP
    assert backend.ask(unmap, None, [FLOATS], []).status == OK
    assert backend.ask(unmap, None, [FLOATS, INTS], []).status == UNSUPPORTED


def test_too_small_buffer_gets_a_cut_text_and_the_length(backend):
    answer = backend.ask(BINARY, add(), [INTS, INTS], [INTS], room=10)
    assert answer.text == "no kernel"
    assert answer.needed == len("no kernel for data type int32") + 1


def test_an_error_without_room_is_allowed(backend):
    answer = backend.ask(BINARY, add(), [INTS, INTS], [INTS], room=0)
    assert (answer.status, answer.text) == (UNSUPPORTED, "")


def test_descriptor_of_an_older_minor_may_be_shorter(backend):
    """A size that does not reach the operation leaves rows for any operation only."""
    descriptor = add()
    descriptor.header.struct_size = 8
    answer = backend.ask(BINARY, descriptor, [FLOATS, FLOATS], [FLOATS])
    assert answer.text == "no kernel for operation -1 of this layer type"


def test_longer_descriptor_of_a_newer_host_is_read(backend):
    descriptor = unary(abi.ARMNN_UNARY_NEG)
    descriptor.header.struct_size = 400
    assert backend.ask(UNARY, descriptor, [FLOATS], [FLOATS]).status == OK
