# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Write docs/conformance.md: the ONNX project's test data here and on onnxruntime.

    ARMNN_PY_MODELS=FOLDER python scripts/score_onnx.py --same-version PYTHON

PYTHON is the interpreter of an environment with this project and the package ``onnx`` of the test
data's version, for a text of operators that has changed since then::

    python -m venv E && E/bin/pip install ".[onnx]" onnx==1.20.1    # PYTHON is E/bin/python

Cases are those of ``FOLDER/testdata/1.20.1``, and of older versions there: ``fetch_models.py FOLDER
testdata older`` brings them.
``tests/frontends/onnx_cases_not_passed.txt`` gets the titles of those that do not pass on CpuRef; a
test runs all others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import onnx
import onnxruntime

from armnn_py.testing.onnx_suite import (
    FAMILIES,
    CaseResult,
    OnnxCase,
    OnnxScore,
    Outcome,
    find_cases,
    score_onnx,
)
from armnn_py.testing.onnx_suite.case import compare, data_sets
from armnn_py.text import text_table

VERSION = "1.20.1"
OLDER = ("1.12.0", "1.7.0")
ROOT = Path(__file__).resolve().parent.parent
CASE_LIST = ROOT / "tests" / "frontends" / "onnx_cases_not_passed.txt"
PAGE = ROOT / "docs" / "conformance.md"
BACKENDS = (("CpuRef",), ("CpuAcc", "CpuRef"))

# Operators that are one Arm NN layer, a short composition of such, or nothing at run time.
CORE = frozenset(
    """
    Conv ConvTranspose MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool GlobalLpPool
    Gemm MatMul QuantizeLinear DequantizeLinear QLinearConv QLinearMatMul Relu LeakyRelu PRelu
    Elu Sigmoid Tanh HardSwish HardSigmoid Clip Gelu Softplus Abs Exp Sqrt Neg Log Sin Ceil
    Floor Not Reciprocal Add Sub Mul Div Max Min Pow Sum Mean Equal Greater Less GreaterOrEqual
    LessOrEqual And Or Concat Split Slice Pad Transpose Reshape Flatten Squeeze Unsqueeze
    Identity Dropout Resize Upsample Softmax LogSoftmax ReduceSum ReduceMean ReduceMax ReduceMin
    ReduceProd ArgMax ArgMin BatchNormalization InstanceNormalization LayerNormalization LRN
    LpNormalization LSTM Gather GatherND ScatterND Tile Expand Cast CastLike DepthToSpace
    SpaceToDepth Constant ConstantOfShape Shape Size
    """.split()  # noqa: SIM905 - a list of 100 quoted names reads worse
)
# Others that networks of today have.
EXTENDED = CORE | frozenset(
    """
    Where Xor Erf Round Sign Mod Range ReduceSumSquare ReduceL1 ReduceL2 ReduceLogSum
    ReduceLogSumExp Selu Celu Mish ThresholdedRelu Softsign Shrink Hardmax Swish
    GroupNormalization MeanVarianceNormalization RMSNormalization GatherElements ScatterElements
    ReverseSequence GRU RNN TopK ConvInteger MatMulInteger DynamicQuantizeLinear CumSum Trilu
    OneHot EyeLike IsNaN IsInf Einsum GridSample NonMaxSuppression Cos Tan Asin Acos Atan Sinh
    Cosh Asinh Acosh Atanh Attention RotaryEmbedding
    """.split()  # noqa: SIM905
)
# Cases that fail on purpose, by the beginnings of their names.
DISPUTES = {
    "test_attention_": "the score matrix as an output. The text of Attention-23 and -24 in the "
    'package of this version: "If set to `1`, qk_matmul_output includes the addition of the '
    "attention mask to the output of qk matmul. If set to `2`, qk_matmul_output is the output "
    'after the softcap operation." That of the same two versions in 1.23.2: "If set to `1`, '
    "qk_matmul_output is the output after the softcap operation (before mask addition). If set to "
    "`2`, qk_matmul_output includes the attention mask and softcap (if provided) applied to the "
    'output of qk matmul." Models of either have operator set 23 and IR version 11, so that none '
    "says which it means; what the installed package defines is given, "
    "and those cases of 1.23.2 pass with it",
    "test_dft_inverse": "the recorded ones were summed in float32: they have 1.9e-7 where the "
    "exact sum is 0, and the comparison allows 1e-7. Ours are below 1e-14 there, as sums in "
    "float64 are, and onnxruntime does not give the recorded ones either",
    "test_l2normalization_axis_0": "a norm of 0 gives 0, not NaN. The text of LpNormalization-22 "
    'in 1.23.2: "When the Lp norm is zero (i.e., all elements along the axis are zero), the '
    'output is defined to be zero to avoid division by zero." In the package of this version it '
    "says nothing of that; the case of 1.23.2 is the same model with 0 recorded, "
    "and onnxruntime gives 0 as well",
    "test_maxunpool_export_with_output_shape": "indices count the elements of the output, whose "
    "size `output_shape` states, as those of MaxPool count the elements of its input: MaxUnpool "
    "then undoes a MaxPool of 5 x 5. The recorded ones count the elements of the smaller output "
    "without `output_shape`",
    "test_qlinearmatmul_": "sums beyond int8 saturate, as the text of QLinearMatMul-10 and -21 "
    'says: "The quantization formula is y = saturate((x / y_scale) + y_zero_point)." The '
    "recorded ones wrap around, and onnxruntime does not give them either",
    "test_resize_downsample_scales_": "`align_corners`. The text of Resize-11, -13, -18 and -19: "
    '"`x_original = x_resized * (length_original - 1) / (length_resized - 1)`", with '
    '"`length_resized` as the length of the resized tensor in axis x". That is 2 here; the '
    "recorded ones divide by 4 * 0.6 - 1, and onnxruntime and PyTorch do not",
}
OUT_OF_REACH = """\
Strings lie between the parts of a network that backends run, where numpy computes with them.
Sequences and optional values that a model builds inside are followed at import, and a sequence as
an output is an output for each tensor; as inputs they have no length before the first run, while a
network's inputs and outputs are counted when it is imported. `split_to_sequence_1` and `_2` have a
length that is an input's value."""
PLAIN_TYPES = frozenset(
    onnx.TensorProto.DataType.Value(name)
    for name in ("FLOAT", "INT8", "UINT8", "INT32", "INT64", "BOOL")
)


def set_of(model: onnx.ModelProto, name: str) -> str:
    """``core`` or ``extended`` for plain tensors and operators of the set alone, else nothing."""
    values = [*model.graph.input, *model.graph.output]
    if "training_dropout" in name or not all(
        value.type.WhichOneof("value") == "tensor_type"
        and value.type.tensor_type.elem_type in PLAIN_TYPES
        for value in values
    ):
        return ""
    operators = {node.op_type if not node.domain else "" for node in model.graph.node}
    return "core" if operators <= CORE else "extended" if operators <= EXTENDED else ""


def passes_on_onnxruntime(cases: Sequence[OnnxCase]) -> dict[str, bool]:
    """Whether each case passes on onnxruntime, in a process that may crash."""
    found: dict[str, bool] = {}
    while len(found) < len(cases):
        rest = [case for case in cases if case.title not in found]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump([[case.family, case.name, str(case.folder)] for case in rest], file)
            file.flush()
            done = subprocess.run(
                [sys.executable, __file__, "--on-onnxruntime", file.name],
                stdout=subprocess.PIPE,
                text=True,
                check=False,
            )
        for line in done.stdout.splitlines():
            title, passed = json.loads(line)
            found[title] = passed
        if done.returncode and len(found) < len(cases):
            found[next(case.title for case in rest if case.title not in found)] = False
    return found


def run_onnxruntime(listed: str) -> None:
    """Say for each case of a list whether it passes on onnxruntime."""
    onnxruntime.set_default_logger_severity(4)
    for family, name, folder in json.loads(Path(listed).read_text(encoding="utf-8")):
        case = OnnxCase(family, name, Path(folder))
        try:
            session = onnxruntime.InferenceSession(
                str(case.model), providers=["CPUExecutionProvider"]
            )
            names = [output.name for output in session.get_outputs()]
            for inputs, expected in data_sets(case, onnx.load(case.model)):
                compare(dict(zip(names, session.run(None, inputs), strict=True)), expected)
            passed = True
        except Exception:
            passed = False
        print(json.dumps([case.title, passed]), flush=True)


def score_with(python: str, data: Path, backends: Sequence[str]) -> OnnxScore:
    """The score by an interpreter whose package ``onnx`` is of the test data's version."""
    chosen = [word for backend in backends for word in ("-b", backend)]
    command = [python, "-m", "armnn_py", "conformance", "onnx", "--data", str(data), *chosen]
    with tempfile.NamedTemporaryFile("r", suffix=".json", encoding="utf-8") as file:
        subprocess.run([*command, "--report", file.name], stdout=subprocess.DEVNULL, check=True)
        found = json.load(file)
    if found["version"] != VERSION:
        raise SystemExit(f"{python} has onnx {found['version']}, {VERSION} expected")
    results = [
        CaseResult(
            one["family"], one["name"], Outcome(one["outcome"]), one["message"], one["reason"]
        )
        for one in found["cases"]
    ]
    return OnnxScore(found["version"], found["data"], tuple(backends), results)


def page(
    scores: Sequence[OnnxScore], peer: dict[str, bool], sets: dict[str, str], older: Sequence[str]
) -> str:
    """The text of docs/conformance.md; ``older`` are the rows on older test data."""
    return "\n".join([*_lines(scores, peer, sets), *older]) + "\n"


def passing(score: OnnxScore) -> set[str]:
    """Titles of the cases that pass."""
    return {one.title for one in score.results if one.outcome is Outcome.PASSED}


def older_rows(models: Path) -> Iterator[str]:
    """Yield the lines on older versions of the test data."""
    yield ""
    yield "## Older test data"
    yield ""
    yield "| version | cases | CpuRef | of these, CORE | CpuRef | CORE cases that do not pass |"
    yield "|---|---:|---:|---:|---:|---|"
    for version in OLDER:
        data = models / version
        with tempfile.TemporaryDirectory() as scratch:
            sets = sets_of(find_cases(data, Path(scratch)))
        results = score_onnx(data=data, backends=["CpuRef"]).results
        core = [one for one in results if sets[one.title] == "core"]
        passed = [sum(x.outcome is Outcome.PASSED for x in some) for some in (results, core)]
        lost = [x.name.removeprefix("test_") for x in core if x.outcome is not Outcome.PASSED]
        yield (
            f"| {version} | {len(results):,} | {passed[0]:,} | {len(core):,} | {passed[1]:,} | "
            f"{', '.join(f'`{name}`' for name in lost)} |"
        )


def sets_of(cases: Sequence[OnnxCase]) -> dict[str, str]:
    """The set of each case by title."""
    return {
        case.title: set_of(onnx.load(case.model, load_external_data=False), case.name)
        if case.family == "node"
        else ""
        for case in cases
    }


def _lines(
    scores: Sequence[OnnxScore], peer: dict[str, bool], sets: dict[str, str]
) -> Iterator[str]:
    columns = [passing(score) for score in scores]
    columns.append({title for title, passed in peer.items() if passed})
    names = [f"{', '.join(score.backends)} with onnx {score.version}" for score in scores]
    groups = {family: {t for t in peer if t.startswith(f"{family}/")} for family in FAMILIES}
    core = {title for title in peer if sets[title] == "core"}
    groups["of these, CORE"] = core
    groups["of these, CORE and EXT"] = core | {t for t in peer if sets[t] == "extended"}
    groups["all"] = set(peer)
    yield "# Conformance to ONNX"
    yield ""
    yield (
        "The ONNX project's backend test data "
        f"of version {VERSION}, as a user runs models: the file is loaded,\n"
        "the recorded inputs go in, outputs must have the recorded dtypes, shapes and values\n"
        "(relative error 1e-3, or absolute 1e-7). `scripts/score_onnx.py` writes this page. "
        "On your machine:\n"
    )
    yield "```console"
    yield "$ armnn-py conformance onnx -b CpuRef"
    yield "```"
    yield ""
    yield (
        "| cases | number | " + " | ".join(names) + f" | onnxruntime {onnxruntime.__version__} |"
    )
    yield "|---|" + "---:|" * (len(columns) + 1)
    for name, titles in groups.items():
        counts = " | ".join(f"{len(titles & one):,}" for one in columns)
        yield f"| {name} | {len(titles):,} | {counts} |"
    yield ""
    yield (
        "CORE are cases whose tensors are float32, int8, uint8, int32, int64 or bool and whose "
        "operators are one\nlayer of Arm NN or a short composition of such; EXT adds those that "
        "networks of today have besides."
    )
    yield ""
    yield from _versions(scores)
    yield ""
    yield from _missing(scores[0], columns[-1])
    yield from _disputed(scores)


def _versions(scores: Sequence[OnnxScore]) -> Iterator[str]:
    """What the version of the installed package ``onnx`` changes, of the first backends."""
    installed = scores[0]
    same = next(one for one in scores if one.version == VERSION)
    more, less = passing(same) - passing(installed), passing(installed) - passing(same)
    yield (
        f"With the package `onnx` of the same version installed, {VERSION}, {len(passing(same)):,} "
        f"pass, with {installed.version}\n{len(passing(installed)):,}: the importer asks the "
        "installed package what an operator means, and the texts differ\n"
        f"([below](#recorded-results-that-are-not-given)). {len(more)} cases pass with "
        f"{VERSION} alone, {len(less)} with {installed.version} alone."
    )


def _missing(score: OnnxScore, peer: set[str]) -> Iterator[str]:
    reasons: dict[str, list[str]] = defaultdict(list)
    for one in score.results:
        if one.title in peer and one.outcome is not Outcome.PASSED:
            reasons[f"{one.outcome.value}: {one.reason}"].append(one.name.removeprefix("test_"))
    count = sum(map(len, reasons.values()))
    yield f"## Cases that onnxruntime passes and {', '.join(score.backends)} does not"
    yield ""
    yield f"{count} cases, by reason:"
    yield ""
    for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        yield f"- {reason} ({len(names)}): {', '.join(f'`{name}`' for name in sorted(names))}"
    yield ""
    yield OUT_OF_REACH


def _disputed(scores: Sequence[OnnxScore]) -> Iterator[str]:
    failed = [one.name for one in scores[0].results if one.outcome is Outcome.FAILED]
    same = {
        title.partition("/")[2]
        for one in scores
        if one.version == VERSION
        for title in passing(one)
    }
    yield ""
    yield "## Recorded results that are not given"
    yield ""
    for start, why in DISPUTES.items():
        names = sorted(name for name in failed if name.startswith(start))
        listed = ", ".join(f"`{name.removeprefix('test_')}`" for name in names)
        there = len(same.intersection(names))
        which = "all of them" if there == len(names) else f"{there} of them"
        note = f". With onnx {VERSION} installed {which} pass" if there else ""
        yield f"- {why}{note} ({len(names)}): {listed}"
    others = sorted(name for name in failed if not name.startswith(tuple(DISPUTES)))
    if others:
        yield f"- not explained ({len(others)}): {', '.join(f'`{name}`' for name in others)}"


def main() -> int:
    """Run, write the page and the list."""
    parser = argparse.ArgumentParser(description="Write docs/conformance.md.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--same-version", metavar="PYTHON", help=f"interpreter with onnx {VERSION} and armnn_py"
    )
    what.add_argument("--on-onnxruntime", metavar="LIST", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.on_onnxruntime:
        run_onnxruntime(arguments.on_onnxruntime)
        return 0
    models = Path(os.environ["ARMNN_PY_MODELS"]) / "testdata"
    data = models / VERSION
    with tempfile.TemporaryDirectory() as scratch:
        cases = find_cases(data, Path(scratch))
        sets = sets_of(cases)
    scores = [score_onnx(data=data, backends=backends) for backends in BACKENDS]
    scores += [score_with(arguments.same_version, data, backends) for backends in BACKENDS]
    older = list(older_rows(models))
    PAGE.write_text(page(scores, passes_on_onnxruntime(cases), sets, older), encoding="utf-8")
    passed = passing(scores[0])
    missed = [one.title for one in scores[0].results if one.title not in passed]
    head = "# Cases of the ONNX project's test data that do not pass, on CpuRef"
    CASE_LIST.write_text("\n".join([head, *missed]) + "\n", encoding="utf-8")
    rows = [["", *(one.value for one in Outcome)]]
    for score in scores:
        counts = Counter(result.outcome for result in score.results)
        title = f"{', '.join(score.backends)}, onnx {score.version}"
        rows.append([title, *(str(counts[one]) for one in Outcome)])
    print(text_table(rows, right=(1, 2, 3)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
