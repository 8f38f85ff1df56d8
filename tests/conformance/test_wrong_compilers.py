# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Wrong compilers: each is found in a network that grew from the layers that the backend takes."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from armnn_py.cli.commands.backends_new import write_project
from armnn_py.testing import Report, Result, check_conformance
from armnn_py.testing.features import FEATURES

from .conftest import REPOSITORY, WRONG, Build
from .test_features import sample

_WRONG_TENSOR = r"output 'y\d+' of the .* run: \[.*\] is .* expected"
_WRONG_LAYERS = r"layers that run as one, '.*' \(.*\) on Compiler: .*; in the compiled sub-graph of"

#: What the report says of a network.
DEFECTS = {
    "WRITES_FORTY_TWO": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "LEAVES_SECOND_OUTPUT": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "LEAVES_LAST_ELEMENT": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "FORGETS_INNER_QUANTIZATION": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "FORGETS_POINT_OF_OUTPUT": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "ROUNDS_DOWN_IN_PROGRAMS": "too (low|near to 0) in the mean of .*in the compiled sub-graph of",
    "TRUNCATES_IN_PROGRAMS": "too near to 0 in the mean of .*in the compiled sub-graph of",
    "DROPS_RELU_BEHIND_ADD": rf"{_WRONG_TENSOR}.*Activation\) on Compiler.*sub-graph of",
    "SWAPS_OPERANDS": rf"{_WRONG_TENSOR}.*Subtraction.*on Compiler.*sub-graph of",
    "READS_FIRST_CONSTANT": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "REUSES_SCRATCH_TOO_EARLY": rf"{_WRONG_TENSOR}.*{_WRONG_LAYERS}",
    "REUSES_PROGRAMS_BY_SIZE": "made no workload for layer .*: another sub-graph",
    "REUSES_PROGRAMS_OF_OTHER_CONSTANTS": rf"compiled with other constants: .*{_WRONG_TENSOR}",
    "SHARES_SCRATCH_OF_PROGRAMS": "threads run network .* at once; in the compiled sub-graph of",
    "OVERWRITES_EARLIER_NETWORKS": rf"loaded beside it: .*{_WRONG_TENSOR}.*; in the comp",
    "SWAPS_OUTPUTS": rf"{_WRONG_TENSOR}.*on Compiler: .*; in the compiled sub-graph of",
    "KEEPS_ADDRESS_OF_INPUT": "threads run network .* at once; in the compiled sub-graph of",
    "KEEPS_STATE_OVER_RESETS": r"with a state, compiled, after a reset: run 1 .*: \[.*\] is .* exp",
    "SHARES_STATE_OF_NETWORKS": r"compiled, in turns with the same network, .*: \[.*\] is .* exp",
    "COMPUTES_THE_FIRST_SIZE": r"guard: layer .* output \d+ depends on what was in memory before",
    "ASKS_SCRATCH_OF_FIRST_SIZE": "an unreadable page behind each tensor and the scratch: layer",
    "LEAKS_IN_OPTIMIZE": "each load of a network leaves .* bytes of the heap behind",
    "BELIEVES_BYTES": "under way: network 0, a blob of .* bytes, (only|byte)",
    "TAKES_ANY_VERSION": "take bytes with the compatibility text 'another version'",
    "FORGETS_POINT_ON_SECOND_DEVICE": (
        rf"layer that 'Compiler:1' takes, compiled: {_WRONG_TENSOR}.* on Compiler:1: .*sub-graph of"
    ),
    "SHARES_SCRATCH_OF_DEVICES": "threads run network .* at once; in the compiled sub-graph of",
    "SECOND_DEVICE_OVERWRITES_FIRST": (
        rf"loaded beside it: every layer that 'Compiler:1' takes.*{_WRONG_TENSOR}.*; in the comp"
    ),
    "COMPILES_NOTHING": "compiled nothing of two layers and more",
}


#: The network that shows a defect: of 8, behind one of patterns; the first where nothing is said.
NETWORKS = {
    "DROPS_RELU_BEHIND_ADD": 4, "READS_FIRST_CONSTANT": 5, "REUSES_PROGRAMS_BY_SIZE": 4,
    "OVERWRITES_EARLIER_NETWORKS": 5, "SWAPS_OPERANDS": 4, "SWAPS_OUTPUTS": 1,
}  # fmt: skip


#: The feature that shows a defect, where it is one.
OF_FEATURES = {
    "LEAKS_IN_OPTIMIZE": "lives",
    "BELIEVES_BYTES": "blobs", "TAKES_ANY_VERSION": "blobs",
    "KEEPS_STATE_OVER_RESETS": "state",
    "SHARES_STATE_OF_NETWORKS": "state", "COMPUTES_THE_FIRST_SIZE": "sizes",
    "ASKS_SCRATCH_OF_FIRST_SIZE": "sizes",
}  # fmt: skip


def report_of(wrong_compiler: Build, defect: str) -> Report:
    """Try the feature, or else the network, that shows a defect."""
    if defect in OF_FEATURES:
        part = (list(FEATURES).index(OF_FEATURES[defect]) + 1, len(FEATURES))
        return check_conformance(wrong_compiler(defect), groups=["features"], part=part)
    part = (NETWORKS.get(defect, 0) + 2, 8)
    return check_conformance(wrong_compiler(defect), groups=["subgraphs"], part=part)


def test_every_defect_of_the_source_is_listed() -> None:
    names = re.findall(r"^  ([A-Z][A-Z0-9_]+),$", (WRONG / "compiler.c").read_text(), re.MULTILINE)
    assert set(names) == {"NONE", *DEFECTS}


@pytest.mark.exhaustive(kept=2)
@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_is_found(defect: str, wrong_compiler: Build) -> None:
    report = report_of(wrong_compiler, defect)
    assert not report.ok
    messages = [result.message for result in report.bad()]
    assert any(re.search(DEFECTS[defect], message) for message in messages), messages[:3]


def test_without_a_defect_everything_passes(wrong_compiler: Build) -> None:
    report = check_conformance(wrong_compiler("NONE"), groups=["subgraphs", "features"])
    assert report.ok, report.changes
    assert report.compiled is not None
    assert report.compiled > 20
    outcomes = {result.case: result.outcome for result in report.results}
    for name in ("blobs", "state", "sizes"):
        assert outcomes[name] == "passed"
    assert outcomes["bounded shapes"] == "untried"


@pytest.mark.exhaustive
def test_garbage_in_the_programs_of_the_template_is_found(tmp_path: Path) -> None:
    """The project that ``backends new --compiler`` writes, and one change to it."""
    write_project(tmp_path, vendor="Acme", name="AcmeNpu", compiler=True)
    source = tmp_path / "compiler.c"
    text = source.read_text(encoding="utf-8")
    before = "add_floats(operands[0], operands[1], result, count);"
    assert before in text
    source.write_text(
        text.replace(before, "for (uint64_t i = 0; i < count; ++i) result[i] = 42.0f;"),
        encoding="utf-8",
    )
    file = tmp_path / "Acme_AcmeNpu_backend.so"
    subprocess.run(
        [
            *(os.environ.get("CC", "cc"), "-std=gnu11", "-O1", "-fPIC", "-shared"),
            *("-fvisibility=hidden", f"-I{REPOSITORY / 'native' / 'include'}", f"-I{tmp_path}"),
            *map(str, sorted(tmp_path.glob("*.c"))),
            *("-o", str(file), "-lm"),
        ],
        check=True,
    )
    report = check_conformance(file, groups=["subgraphs"])
    assert not report.ok
    assert re.search(r"is 42\.0, .* expected .*on AcmeNpu: ", report.bad()[0].message)


#: In place of a key of everything that the compiler may look at.
_KEY_WITHOUT_CONSTANTS = """
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    hash = armnn_i_hash_descriptor(hash, layer->type, layer->descriptor);
    hash = armnn_i_hash_slots(hash, layer->inputs, layer->input_count);
    hash = armnn_i_hash_info(hash, layer->output_infos[0]);
  }
  return hash;"""


@pytest.mark.exhaustive
def test_files_of_other_constants(tmp_path: Path) -> None:
    """The cache in files of the sample with a compiler, in a folder that an option names."""
    key = ("cache.c", "return armnn_hash_part(hash, part);", _KEY_WITHOUT_CONSTANTS)
    file = sample("npu", tmp_path / "wrong", key)
    options = {"cache_dir": str(tmp_path)}
    report = check_conformance(file, groups=["subgraphs"], part=(2, 8), options=options)
    messages = [result.message for result in report.bad()]
    assert any(re.search("compiled with other constants: ", one) for one in messages), messages
    assert [*tmp_path.glob("*.npu")]


def test_compiled_sub_graphs_are_counted_by_check() -> None:
    results = [
        Result(f"network {number}", "", "", "subgraphs", "passed", compiled=compiled)
        for number, compiled in enumerate((3, None, 0))
    ]
    assert Report("Npu", None, "quick", 0, tuple(results), ()).compiled == 3
    assert Report("Npu", None, "quick", 0, (results[1],), ()).compiled is None
