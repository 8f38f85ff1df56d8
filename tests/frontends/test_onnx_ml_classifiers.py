# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Classifiers and support vector machines of ai.onnx.ml: CpuRef against onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper

import armnn_py as ann
from armnn_py.frontends.onnx.convert.table import MACHINE_LEARNING

R = np.random.default_rng(71)
START = R.bit_generator.state
X = R.standard_normal((40, 4)).astype(np.float32)
TRANSFORMS = ["NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"]
KERNELS = ["LINEAR", "POLY", "RBF", "SIGMOID"]
PARAMETERS = [0.5, 0.25, 3.0]


def f(count: int) -> list[float]:
    return R.standard_normal(count).astype(np.float32).tolist()


@pytest.fixture(autouse=True)
def _numbers_of_a_test_do_not_depend_on_others() -> None:
    R.bit_generator.state = START


def model(op: str, x: np.ndarray, version: int, attributes: dict[str, Any]) -> onnx.ModelProto:
    ends = ["y"] if op.endswith("Regressor") else ["y", "z"]
    kind = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ends, domain=MACHINE_LEARNING, **attributes)],
        "graph",
        [helper.make_tensor_value_info("x", kind, x.shape)],
        [onnx.ValueInfoProto(name=name) for name in ends],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(MACHINE_LEARNING, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def check(
    op: str, x: np.ndarray, version: int = 1, tolerance: float = 1e-5, **attributes: Any
) -> None:
    made = model(op, x, version, attributes)
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    wanted = session.run(None, {"x": x})
    with ann.load(made, ["CpuRef"]) as network:
        given = list(network.run({"x": x}).values())
    assert len(given) == len(wanted)
    for one, other in zip(given, wanted, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("labels", [[10, 20], [7, -3, 5], [4, 3, 2, 1]])
def test_linear_classifier(labels: list[int], how: str) -> None:
    count = len(labels)
    check("LinearClassifier", X, coefficients=f(4 * count), intercepts=f(count),
          classlabels_ints=labels, post_transform=how)  # fmt: skip


@pytest.mark.parametrize("how", TRANSFORMS)
def test_one_linear_score_of_two_classes(how: str) -> None:
    check("LinearClassifier", X, coefficients=f(4), intercepts=f(1), classlabels_ints=[10, 20],
          post_transform=how)  # fmt: skip


def test_a_row_and_integers() -> None:
    given = {"coefficients": f(12), "intercepts": f(3), "classlabels_ints": [1, 2, 3]}
    check("LinearClassifier", X[0], **given)
    check("LinearClassifier", np.arange(8).reshape(2, 4), tolerance=1e-4, **given)


def test_scores_of_zero() -> None:
    """SOFTMAX_ZERO leaves them out."""
    check("LinearClassifier", np.float32([[0, 0, 0, 0], [0, 1, 0, 0]]),
          coefficients=[1.0] * 4 + [0.0] * 8, intercepts=[0.0] * 3, classlabels_ints=[1, 2, 3],
          post_transform="SOFTMAX_ZERO")  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("one_class", [0, 1])
def test_svm_regressor(kernel: str, one_class: int) -> None:
    given = {"kernel_type": kernel, "kernel_params": PARAMETERS, "one_class": one_class}
    check("SVMRegressor", X, tolerance=1e-4, n_supports=6, support_vectors=f(24),
          coefficients=f(6), rho=f(1), **given)  # fmt: skip
    check("SVMRegressor", X, coefficients=f(4), rho=f(1), **given)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("sizes", [[3, 2], [2, 3, 1], [1, 2, 2, 4]])
def test_svm_classifier(sizes: list[int], how: str, kernel: str) -> None:
    classes, count = len(sizes), sum(sizes)
    pairs = classes * (classes - 1) // 2
    check("SVMClassifier", X, tolerance=1e-3, kernel_type=kernel, kernel_params=PARAMETERS,
          vectors_per_class=sizes, support_vectors=f(4 * count),
          coefficients=f((classes - 1) * count), rho=f(pairs), post_transform=how,
          classlabels_ints=R.permutation(50)[:classes].tolist())  # fmt: skip


@pytest.mark.parametrize("how", TRANSFORMS)
def test_probabilities_of_two_classes(how: str) -> None:
    """Onnxruntime goes towards them in steps, until one is below 0.0025."""
    check("SVMClassifier", X, tolerance=5e-3, kernel_type="RBF", kernel_params=PARAMETERS,
          vectors_per_class=[3, 2], support_vectors=f(20), coefficients=f(5), rho=f(1),
          prob_a=[-1.5], prob_b=[0.25], classlabels_ints=[4, 9], post_transform=how)  # fmt: skip


def test_probabilities() -> None:
    vectors, factors = R.standard_normal((5, 4)), R.standard_normal(5)
    attributes: dict[str, Any] = {
        "vectors_per_class": [3, 2], "support_vectors": vectors.reshape(-1).tolist(),
        "coefficients": factors.tolist(), "rho": [0.5], "kernel_params": PARAMETERS,
        "prob_a": [-1.5], "prob_b": [0.25], "classlabels_ints": [4, 9],
    }  # fmt: skip
    with ann.load(model("SVMClassifier", X, 1, attributes), ["CpuRef"]) as network:
        found = network.run({"x": X})["z"]
    first = 1 / (1 + np.exp(-1.5 * (X.astype(np.float64) @ vectors.T @ factors + 0.5) + 0.25))
    np.testing.assert_allclose(found, np.stack([first, 1 - first], 1), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("sizes", [[2, 3, 1], [1, 2, 2, 4], [2] * 7])
def test_probabilities_of_more_classes(sizes: list[int], kernel: str, how: str) -> None:
    """Coupled from those of the pairs, by as many rounds as onnxruntime takes for each row."""
    classes, count = len(sizes), sum(sizes)
    pairs = classes * (classes - 1) // 2
    check("SVMClassifier", X, tolerance=1e-4, kernel_type=kernel, kernel_params=PARAMETERS,
          vectors_per_class=sizes, support_vectors=f(4 * count),
          coefficients=f((classes - 1) * count), rho=f(pairs), prob_a=f(pairs), prob_b=f(pairs),
          classlabels_ints=R.permutation(50)[:classes].tolist(), post_transform=how)  # fmt: skip


@pytest.mark.parametrize("steep", [-0.1, -1.0, -30.0])
def test_coupled_rows_of_any_steepness(steep: float) -> None:
    """From pairs that hardly tell classes apart to such that contradict each other."""
    many = R.standard_normal((2000, 4)).astype(np.float32)
    check("SVMClassifier", many, tolerance=1e-4, kernel_type="LINEAR", kernel_params=PARAMETERS,
          vectors_per_class=[2] * 5, support_vectors=f(40), coefficients=f(40), rho=f(10),
          prob_a=[steep] * 10, prob_b=f(10), classlabels_ints=[1, 2, 3, 4, 5])  # fmt: skip


@pytest.mark.parametrize("how", TRANSFORMS)
def test_a_linear_machine(how: str) -> None:
    check("SVMClassifier", X, kernel_params=PARAMETERS, coefficients=f(12), rho=f(1),
          classlabels_ints=[4, 9, 2], post_transform=how)  # fmt: skip


def forest(classes: list[int], is_mixed: bool, per_leaf: int | None = None) -> dict[str, Any]:
    """Four full trees of depth 3; a leaf has a weight of each class, or of some."""
    found: dict[str, list[Any]] = {
        f"nodes_{name}": []
        for name in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
                     "falsenodeids")
    } | {f"class_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")}  # fmt: skip
    for tree in range(4):
        for node in range(15):
            is_leaf = node >= 7
            row = (tree, node, 0 if is_leaf else int(R.integers(4)), *f(1),
                   "LEAF" if is_leaf else "BRANCH_LEQ", 0 if is_leaf else 2 * node + 1,
                   0 if is_leaf else 2 * node + 2)  # fmt: skip
            for name, value in zip(list(found)[:7], row, strict=True):
                found[name].append(value)
            if is_leaf:
                for one in R.permutation(classes)[: per_leaf or len(classes)].tolist():
                    weight = float(np.float32(R.random() - 0.5 if is_mixed else R.random() / 4))
                    for name, value in zip(list(found)[7:], (tree, node, one, weight), strict=True):
                        found[name].append(value)
    return found


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("is_mixed", [False, True])
@pytest.mark.parametrize("base", [[], [0.25]])
def test_trees_of_two_classes(base: list[float], is_mixed: bool, how: str) -> None:
    given: dict[str, Any] = {"base_values": base} if base else {}
    check("TreeEnsembleClassifier", X, 3, classlabels_int64s=[10, 20], post_transform=how,
          **forest([0], is_mixed), **given)  # fmt: skip


@pytest.mark.parametrize("how", TRANSFORMS)
@pytest.mark.parametrize("per_leaf", [None, 1, 2])
@pytest.mark.parametrize("base", [[], [0.25, -0.5, 0.125]])
def test_trees_of_three_classes(base: list[float], per_leaf: int | None, how: str) -> None:
    """A class that no leaf of a row names is not its top, whatever the others' scores are."""
    given: dict[str, Any] = {"base_values": base} if base else {}
    for is_mixed in (False, True):
        check("TreeEnsembleClassifier", X, 3, classlabels_int64s=[10, 30, 20], post_transform=how,
              **forest([0, 1, 2], is_mixed, per_leaf), **given)  # fmt: skip


def test_a_class_that_no_tree_names() -> None:
    for is_mixed in (False, True):
        check("TreeEnsembleClassifier", X, 3, classlabels_int64s=[10, 30, 20, 40],
              **forest([1, 3], is_mixed, 1))  # fmt: skip


LINEAR = {"coefficients": f(8), "intercepts": f(2), "classlabels_ints": [1, 2]}
MACHINE = {"kernel_params": PARAMETERS, "vectors_per_class": [2, 1, 1], "support_vectors": f(16),
           "coefficients": f(8), "rho": f(3), "classlabels_ints": [1, 2, 3]}  # fmt: skip
REGRESSOR = {"kernel_params": PARAMETERS, "n_supports": 2, "support_vectors": f(8),
             "coefficients": f(2), "rho": f(1)}  # fmt: skip
TREES = {"classlabels_int64s": [10, 20], **forest([0], False)}


@pytest.mark.parametrize(
    ("op", "given", "changes", "message"),
    [("LinearClassifier", LINEAR, {"classlabels_strings": ["a", "b"]},
      "both string and integer"),
     ("LinearClassifier", LINEAR, {"classlabels_ints": [1, 2, 3, 4]}, "8 coefficients and 2"),
     ("LinearClassifier", LINEAR, {"post_transform": "CUBE"}, "'post_transform' is 'CUBE'"),
     ("LinearClassifier", LINEAR, {"coefficients": [1.0, 2.0]}, "2 coefficients"),
     ("SVMClassifier", MACHINE, {"vectors_per_class": [2, 2]}, r"'vectors_per_class' is \[2, 2\]"),
     ("SVMClassifier", MACHINE, {"vectors_per_class": [5, -2, 1]}, "'vectors_per_class' is"),
     ("SVMClassifier", MACHINE, {"support_vectors": [1.0]}, "1 numbers do not make 4"),
     ("SVMClassifier", MACHINE, {"coefficients": [1.0]}, "1 coefficients do not fit 4 support"),
     ("SVMClassifier", MACHINE, {"rho": [1.0]}, "1 numbers, expected 3"),
     ("SVMClassifier", MACHINE, {"kernel_type": "CUBE"}, "'kernel_type' is 'CUBE'"),
     ("SVMClassifier", MACHINE, {"kernel_params": [1.0]}, "attribute 'kernel_params' has 1"),
     ("SVMClassifier", MACHINE, {"prob_a": [1.0] * 3, "prob_b": [1.0]}, "'prob_b' have 3 and 1"),
     ("SVMRegressor", REGRESSOR, {"n_supports": 2**40}, "8 numbers do not"),
     ("SVMRegressor", REGRESSOR, {"coefficients": [1.0]}, "1 coefficients, expected 2"),
     ("SVMRegressor", REGRESSOR, {"post_transform": "LOGISTIC"}, "post_transform 'LOGISTIC'"),
     ("TreeEnsembleClassifier", TREES, {"post_transform": "PROBIT"}, "PROBIT of two classes"),
     ("TreeEnsembleClassifier", TREES, {"class_ids": [5] * 32}, "target 5 is outside the 2"),
     ("TreeEnsembleClassifier", TREES, {"base_values": [1.0, 2.0]}, "2 base values"),
     ("TreeEnsembleClassifier", TREES, {"classlabels_int64s": [1]}, "a single class"),
     ("TreeEnsembleClassifier", TREES, {"classlabels_strings": ["a", "b"]}, "both string and")],
)  # fmt: skip
def test_refusals(op: str, given: dict[str, Any], changes: dict[str, Any], message: str) -> None:
    with pytest.raises((ann.ParseError, ann.UnsupportedOperatorError), match=message):
        ann.import_model(model(op, X, 3 if op.startswith("Tree") else 1, {**given, **changes}))
