# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Arm NN's ILayerSupport from Python: `Backend.supports`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import armnn_py as ann
from armnn_py.backends import Backend, Support
from armnn_py.descriptors import (
    ActivationDescriptor,
    Convolution2dDescriptor,
    ElementwiseBinaryDescriptor,
    ElementwiseUnaryDescriptor,
)

Journal = Callable[[], list[str]]

X = ann.TensorInfo((1, 16, 16, 16))
ADD = ElementwiseBinaryDescriptor(ann.BinaryOperation.ADD)
MUL = ElementwiseBinaryDescriptor(ann.BinaryOperation.MUL)
NEG = ElementwiseUnaryDescriptor(ann.UnaryOperation.NEG)


def test_the_convolution_of_arm_nns_own_test(runtime: ann.Runtime) -> None:
    """AN 2.11, case 36: weights of one pixel, no bias."""
    descriptor = Convolution2dDescriptor(data_layout=ann.DataLayout.NHWC)
    weights = ann.TensorInfo((16, 1, 1, 16))
    answer = runtime.backends["CpuRef"].supports(
        ann.LayerType.CONVOLUTION2D, [X, weights, None], [X], descriptor
    )
    assert answer
    assert answer == Support(True)


def test_a_refusal_has_the_backends_message(services: Backend, journal: Journal) -> None:
    answer = services.supports(ann.LayerType.ACTIVATION, [X], [X], ActivationDescriptor())
    assert not answer
    assert answer.reason == "no kernel for this layer type"
    assert journal()[-1] == "asked one"


def test_outputs_are_inferred(services: Backend) -> None:
    assert services.supports(ann.LayerType.ELEMENTWISE_BINARY, [X, X], descriptor=ADD)


def test_model_options_are_handed_on(services: Backend, journal: Journal) -> None:
    neg = (ann.LayerType.ELEMENTWISE_UNARY, [X], [X], NEG)
    assert services.supports(*neg)
    assert services.supports(*neg, model_options={"negate": False}).reason == (
        "option 'negate' is off"
    )
    assert "support model options: negate=0" in journal()
    with pytest.raises(ann.UnknownNameError, match="option 'negat' is unknown"):
        services.supports(*neg, model_options={"negat": False})


def test_constants_are_marked(needs_runtime: ann.Runtime) -> None:
    """The backend "Needs" multiplies by constants alone."""
    backend = needs_runtime.backends["Needs"]
    product = (ann.LayerType.ELEMENTWISE_BINARY, [X, X], [X], MUL)
    assert backend.supports(*product, constants=[1])
    assert not backend.supports(*product)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("Addition", [X, X]), ann.InvalidArgumentError, "'Addition' is not a LayerType"),
        (
            (ann.LayerType.ACTIVATION, [(1, 16)]),
            ann.InvalidArgumentError,
            "inputs: tuple given, a sequence of TensorInfo expected",
        ),
        (
            (ann.LayerType.ELEMENTWISE_BINARY, [X], None, ADD),
            ann.LayerValidationError,
            "operand 'y' is missing",
        ),
        (
            (ann.LayerType.ELEMENTWISE_BINARY, [X, X], [ann.TensorInfo((3,))], ADD),
            ann.LayerValidationError,
            "output 0 stated as 3, but it is 1x16x16x16",
        ),
        (
            (ann.LayerType.ELEMENTWISE_BINARY, [X, X], None, NEG),
            ann.LayerValidationError,
            "ElementwiseUnaryDescriptor given, ElementwiseBinaryDescriptor expected",
        ),
    ],
    ids=["no type", "no info", "operand missing", "wrong output", "wrong descriptor"],
)
def test_no_backend_is_asked_about_impossible_layers(
    services: Backend,
    journal: Journal,
    arguments: tuple[Any, ...],
    error: type[Exception],
    words: str,
) -> None:
    with pytest.raises(error, match=words):
        services.supports(*arguments)
    assert journal() == []


def test_a_constant_operand_must_be_there(services: Backend) -> None:
    with pytest.raises(ann.InvalidArgumentError, match="operand 2 named, but 2 operands are given"):
        services.supports(ann.LayerType.ELEMENTWISE_BINARY, [X, X], None, ADD, constants=[2])


def test_a_closed_runtime_answers_nothing(runtime: ann.Runtime, services: Backend) -> None:
    runtime.close()
    with pytest.raises(ann.InvalidArgumentError, match="backend 'Services' is closed"):
        services.supports(ann.LayerType.ELEMENTWISE_BINARY, [X, X], None, ADD)
