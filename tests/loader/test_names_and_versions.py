# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The rule of file names (AN 2.3, 2.4) and the rule of versions (AN 2.6, case 10)."""

from __future__ import annotations

import pytest

from armnn_py.backends import BackendFileName, BackendVersion, parse_file_name
from armnn_py.backends.loader.naming import name_mismatch

GOOD = {
    "Arm_GpuAcc_backend.so": BackendFileName("Arm", "GpuAcc"),
    "Arm_GpuAcc_backend.so.1": BackendFileName("Arm", "GpuAcc", ("1",)),
    "Arm_GpuAcc_backend.so.1.2": BackendFileName("Arm", "GpuAcc", ("1", "2")),
    "Arm_GpuAcc_backend.so.1.2.3": BackendFileName("Arm", "GpuAcc", ("1", "2", "3")),
    "Arm_GpuAcc_backend.so.10.1.27": BackendFileName("Arm", "GpuAcc", ("10", "1", "27")),
    "Arm123_GpuAcc_backend.so": BackendFileName("Arm123", "GpuAcc"),
    "Arm_GpuAcc456_backend.so": BackendFileName("Arm", "GpuAcc456"),
    "libArm_X_backend.so": BackendFileName("libArm", "X"),
    "Arm_backend_backend.so": BackendFileName("Arm", "backend"),
    "1_2_backend.so": BackendFileName("1", "2"),
    "arm_x_backend.so.01": BackendFileName("arm", "x", ("01",)),
}
BAD = [
    "Arm_GpuAcc_backend.so.10.1.33.",
    "Arm_GpuAcc_backend.so.3.4..5",
    "Arm_GpuAcc_backend.so.1,1.1",
    "Arm%Co_GpuAcc_backend.so",
    "Arm_Gpu.Acc_backend.so",
    "GpuAcc_backend.so",
    "_GpuAcc_backend.so",
    "Arm__backend.so",
    "Arm_GpuAcc.so",
    "__backend.so",
    "__.so",
    "Arm_GpuAcc_backend",
    "Arm_GpuAcc_backend_v1.2.so",
    "Arm_X_Y_backend.so",
    "Arm_X_backendZso",
    "Arm_X_backend.so.1a",
    "Arm_X_backend.SO",
    ".Arm_X_backend.so",
    "Ärm_X_backend.so",
    "Arm_X_backend.so ",
    "Arm_X_backend.so\n",
    "Arm_X_backend.so.\N{ARABIC-INDIC DIGIT ONE}",
    "",
]


@pytest.mark.parametrize(("name", "parts"), GOOD.items(), ids=list(GOOD))
def test_good_name(name: str, parts: BackendFileName) -> None:
    assert parse_file_name(name) == parts


@pytest.mark.parametrize("name", BAD, ids=ascii)
def test_bad_name(name: str) -> None:
    assert parse_file_name(name) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Arm%Co_GpuAcc_backend.so", "the <vendor> part 'Arm%Co' may have only letters"),
        ("Arm_X_Y_backend.so", "the <name> part 'X_Y' may have only letters"),
        ("Arm__backend.so", "the <name> part is missing"),
        ("_GpuAcc_backend.so", "the <vendor> part is missing"),
        ("Arm_GpuAcc_backend.so.1,1.1", "after '.so' only '.<digits>' may follow, not '.1,1.1'"),
        ("Arm_GpuAcc_backend_v1.2.so", "call the file <vendor>_<name>_backend.so"),
    ],
)
def test_a_near_miss_is_explained(name: str, words: str) -> None:
    assert words in (name_mismatch(name) or "")


@pytest.mark.parametrize("name", ["README.md", "libc.so.6", "backend.txt"])
def test_a_name_that_was_not_meant_is_not_explained(name: str) -> None:
    assert name_mismatch(name) is None


@pytest.mark.parametrize(
    ("version", "compatible", "equal", "less_or_equal"),
    [
        pytest.param((2, 4), True, True, True, id="case 10 2.4"),
        pytest.param((3, 4), False, False, False, id="case 10 3.4"),
        pytest.param((1, 4), False, False, True, id="case 10 1.4"),
        pytest.param((2, 5), False, False, False, id="case 10 2.5"),
        pytest.param((2, 3), True, False, True, id="case 10 2.3"),
        pytest.param((2, 0), True, False, True, id="2.0"),
    ],
)
def test_version_against_host_2_4(
    version: tuple[int, int], compatible: bool, equal: bool, less_or_equal: bool
) -> None:
    host, backend = BackendVersion(2, 4), BackendVersion(*version)
    assert backend.is_compatible_with(host) is compatible
    assert (backend == host) is equal
    assert (backend <= host) is less_or_equal


def test_version_prints_as_people_write_it() -> None:
    assert str(BackendVersion(2, 14)) == "2.14"
