# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Which of several backends are registered: cases 18, 23 to 35 of AN 2.11, all of AN 2.12."""

from __future__ import annotations

from pathlib import Path

import pytest

import armnn_py as ann
from armnn_py._native.table import dynamic_library
from armnn_py.backends import BackendRegistry
from armnn_py.backends.loader.identity import HOST_VERSION
from armnn_py.errors import BackendNotFoundError

from .harness import Load, Workshop, only, outcome

NEXT_MINOR = f"MINOR={HOST_VERSION.minor + 1}"
Folders = dict[str, Path]


@pytest.fixture
def folders(tmp_path: Path, workshop: Workshop) -> Folders:
    """The folders of Arm NN's own tests, filled as theirs (AN 2.11)."""
    paths = {name: tmp_path / name for name in ("path5", "path6", "path7", "path8", "path9")}
    put = workshop.put_id
    for name in ("path5", "path6"):
        put(paths[name], "TestValid2", name="Arm_TestValid2_backend.so")
    put(paths["path5"], "TestValid3", name="Arm_TestValid3_backend.so")
    workshop.put(paths["path5"], "Arm_TestInvalid8_backend.so", "ID_NULL", "MAJOR=0", "MINOR=7")
    put(paths["path6"], "TestValid2", name="Arm_TestValid4_backend.so")
    put(paths["path6"], "TestValid5", name="Arm_TestValid5_backend.so")
    put(paths["path6"], "TestValid2", NEXT_MINOR, name="Arm_TestInvalid9_backend.so")
    put(paths["path9"], "", name="Arm_TestInvalid10_backend.so")
    put(paths["path9"], "Unknown", name="Arm_TestInvalid11_backend.so")
    paths["path7"].mkdir()
    return paths


def summary(registry: BackendRegistry) -> dict[str, str]:
    """The number in the file's name, with the folder's where needed, to the verdict's code."""
    result = {}
    for verdict in registry.load_report:
        folder, name = verdict.path.rsplit("/", 2)[1:]
        result[f"{folder} {name.removeprefix('Arm_Test').partition('_')[0]}"] = verdict.code
    return result


def link(folder: Path, *files: Path) -> Path:
    """A folder with links to the files, in their order."""
    folder.mkdir()
    for number, file in enumerate(files):
        (folder / f"Link_{number}_backend.so").symlink_to(file)
    return folder


def test_case_23_several_folders(load: Load, folders: Folders) -> None:
    """Duplicates are met, each gets its verdict, and the first wins."""
    registry = load([folders[name] for name in ("path5", "path6", "path7", "path8")])
    assert summary(registry) == {
        "path5 Invalid8": "id-null",
        "path5 Valid2": "ok",
        "path5 Valid3": "ok",
        "path6 Invalid9": "version-minor",
        "path6 Valid2": "id-taken",
        "path6 Valid4": "id-taken",
        "path6 Valid5": "ok",
        f"{folders['path8'].parent.name} path8": "path-missing",
    }
    ids = [verdict.id for verdict in registry.load_report if verdict.code in ("ok", "id-taken")]
    assert ids == ["TestValid2", "TestValid3", "TestValid2", "TestValid2", "TestValid5"]


def test_case_25_only_missing_files(load: Load, tmp_path: Path) -> None:
    place = link(tmp_path / "place", *(tmp_path / f"missing{number}" for number in range(3)))
    registry = load(place)
    assert list(registry) == []
    assert [verdict.code for verdict in registry.load_report] == ["dangling-link"] * 3


def test_case_26_mixed(load: Load, folders: Folders, tmp_path: Path) -> None:
    place = link(
        tmp_path / "place",
        folders["path5"] / "Arm_TestValid2_backend.so",
        folders["path5"] / "Arm_TestInvalid8_backend.so",
        folders["path6"] / "Arm_TestInvalid9_backend.so",
        tmp_path / "missing",
    )
    registry = load(place)
    assert list(registry) == ["TestValid2"]
    codes = [verdict.code for verdict in registry.load_report]
    assert codes == ["ok", "id-null", "version-minor", "dangling-link"]


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["path5/Arm_TestValid2"], id="case 27 one"),
        pytest.param(
            ["path5/Arm_TestValid2", "path5/Arm_TestValid3", "path6/Arm_TestValid5"],
            id="case 28 three",
        ),
    ],
)
def test_good_backends(load: Load, folders: Folders, tmp_path: Path, names: list[str]) -> None:
    files = [tmp_path / f"{name}_backend.so" for name in names]
    registry = load(link(tmp_path / "place", *files))
    ids = [name.removeprefix("path5/Arm_").removeprefix("path6/Arm_") for name in names]
    assert list(registry) == ids
    assert len(registry) == len(ids)
    for backend_id in ids:
        backend = registry[backend_id]
        assert backend.id == backend_id
        assert backend.version.is_compatible_with(HOST_VERSION)
        assert backend.instance != 0


def test_case_29_all_kinds(load: Load, folders: Folders, tmp_path: Path) -> None:
    five, six, nine = folders["path5"], folders["path6"], folders["path9"]
    place = link(
        tmp_path / "place",
        five / "Arm_TestValid2_backend.so",
        five / "Arm_TestValid3_backend.so",
        six / "Arm_TestValid2_backend.so",
        six / "Arm_TestValid4_backend.so",
        six / "Arm_TestValid5_backend.so",
        five / "Arm_TestInvalid8_backend.so",
        six / "Arm_TestInvalid9_backend.so",
        nine / "Arm_TestInvalid10_backend.so",
        nine / "Arm_TestInvalid11_backend.so",
        tmp_path / "missing",
    )
    registry = load(place)
    assert list(registry) == ["TestValid2", "TestValid3", "TestValid5"]
    assert [verdict.code for verdict in sorted(registry.load_report, key=lambda v: v.path)] == [
        "ok",
        "ok",
        "id-taken",
        "id-taken",
        "ok",
        "id-null",
        "version-minor",
        "id-empty",
        "id-reserved",
        "dangling-link",
    ]


def test_case_30_only_invalid_ids(load: Load, folders: Folders, tmp_path: Path) -> None:
    place = link(
        tmp_path / "place",
        folders["path9"] / "Arm_TestInvalid10_backend.so",
        folders["path9"] / "Arm_TestInvalid11_backend.so",
        tmp_path / "missing",
    )
    registry = load(place)
    assert list(registry) == []
    codes = [verdict.code for verdict in registry.load_report]
    assert codes == ["id-empty", "id-reserved", "dangling-link"]


# ---- The loser, and who won ---------------------------------------------------------------------


def test_the_loser_says_who_won(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    winner = workshop.put_id(tmp_path, "Same", name="A_A_backend.so")
    workshop.put_id(tmp_path, "Same", name="B_B_backend.so")
    verdict = load(tmp_path).load_report[1]
    assert outcome(verdict) == ("duplicate", "unique", "id-taken")
    assert verdict.reason == f"the id 'Same' is taken by {winner}, which came first"
    assert verdict.hint == "to use this file, name it before that one"


def test_static_backends_come_first(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    static = [backend.name for backend in dynamic_library.static_backends()]
    assert "CpuRef" in static, "this test needs the default build"
    file = workshop.put_id(tmp_path, "CpuRef", name="Acme_CpuRef_backend.so")
    registry = load(file, bundled_backends=True)
    assert registry["CpuRef"].is_static
    assert registry["CpuRef"].file is None
    (verdict,) = (v for v in registry.load_report if v.place == "argument")
    assert outcome(verdict) == ("duplicate", "unique", "id-taken")
    assert "taken by the backend linked into the core library" in verdict.reason
    assert not verdict.hint
    # Without ours the file's id is free.
    assert load(file)["CpuRef"].place == "argument"


def test_an_id_is_taken_only_by_what_works(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "Same", "FACTORY_NULL", name="A_A_backend.so")
    workshop.put_id(tmp_path, "Same", "CREATE_STATUS=2", name="B_B_backend.so")
    workshop.put_id(tmp_path, "Same", name="C_C_backend.so")
    registry = load(tmp_path)
    assert list(registry) == ["Same"]
    assert [v.status for v in registry.load_report] == ["refused", "unavailable", "loaded"]


def test_case_18_a_null_factory_then_good_loads(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    """In Arm NN the first runtime throws and the next one in the process crashes."""
    workshop.put_id(tmp_path / "bad", "Same", "FACTORY_NULL")
    workshop.put_id(tmp_path / "good", "Same")
    assert list(load(tmp_path / "bad")) == []
    assert list(load(tmp_path / "good")) == ["Same"]
    assert list(load([tmp_path / "bad", tmp_path / "good"])) == ["Same"]


# ---- The registry itself (AN 2.12) --------------------------------------------------------------


def test_registries_are_separate(load: Load, folders: Folders) -> None:
    """SwapRegistry: there is nothing to swap, each search has a registry of its own."""
    first = load(folders["path5"])
    assert list(load([])) == []
    assert list(first) == ["TestValid2", "TestValid3"]


def test_registry_is_a_mapping(load: Load, folders: Folders) -> None:
    registry = load(folders["path5"])
    assert dict(registry) == {name: registry[name] for name in ("TestValid2", "TestValid3")}
    assert "TestValid2" in registry
    assert "TestValid9" not in registry
    assert registry.get("TestValid9") is None
    assert registry.get("TestValid9", 3) == 3
    assert list(registry.values()) == [registry["TestValid2"], registry["TestValid3"]]
    assert repr(registry) == "<BackendRegistry TestValid2, TestValid3>"


def test_looking_up_calls_nothing(
    load: Load, folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TestRegistryHelper, TestDirectCallToRegistry: only loading calls a factory, once."""
    calls = []
    factory = dynamic_library.call_factory
    monkeypatch.setattr(
        dynamic_library, "call_factory", lambda address: calls.append(address) or factory(address)
    )
    registry = load(folders["path5"])
    assert len(calls) == 2
    assert registry["TestValid2"] is registry["TestValid2"]
    assert len(calls) == 2


def test_words_of_an_unavailable_backend_survive(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    """ThrowBackendUnavailableException."""
    workshop.put_id(tmp_path, "Npu", "CREATE_STATUS=2", 'CREATE_TEXT="driver 3.1 is too old"')
    registry = load(tmp_path)
    with pytest.raises(BackendNotFoundError, match=r"driver 3\.1 is too old") as caught:
        registry["Npu"]
    assert caught.value.backend == "Npu"


def test_closing_takes_all_away(load: Load, folders: Folders) -> None:
    """RegisterMemoryOptimizerStrategy: what was registered is gone after its end."""
    registry = load(folders["path5"])
    registry.close()
    registry.close()
    assert [backend.instance for backend in registry.values()] == [0, 0]
    assert only(load([folders["path7"], folders["path8"]])).code == "path-missing"


# ---- Order of preference, and what is not there -------------------------------------------------

REFERENCE = "FLAGS=(ARMNN_BACKEND_UNLOADABLE | ARMNN_BACKEND_REFERENCE)"


def test_order_of_preference(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "Plain", "SCORE=1000", REFERENCE, name="A_A_backend.so")
    workshop.put_id(tmp_path, "Low", "SCORE=-5", name="B_B_backend.so")
    workshop.put_id(tmp_path, "High", "SCORE=70", name="C_C_backend.so")
    workshop.put_id(tmp_path, "Equal", "SCORE=70", name="D_D_backend.so")
    registry = load(tmp_path)
    assert list(registry) == ["Plain", "Low", "High", "Equal"]
    assert registry.by_preference == ("High", "Equal", "Low", "Plain")
    assert registry.reference is registry["Plain"]


def test_without_a_reference(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    """A reference is what declares itself one, whatever its name."""
    file = workshop.put_id(tmp_path, "CpuRef", "SCORE=1000")
    workshop.put_id(tmp_path, "Other", "SCORE=0")
    registry = load([tmp_path, file])
    assert registry.by_preference == ("CpuRef", "Other")
    assert registry.reference is None


def test_cpu_ref_is_a_reference(load: Load) -> None:
    registry = load([], bundled_backends=True)
    assert registry.reference is registry["CpuRef"]


@pytest.fixture(scope="module")
def cpu_acc_file() -> Path:
    """The file of CpuAcc, as the environment of the tests says, or the installed one."""
    with ann.Runtime() as runtime:
        backend = runtime.backends.get("CpuAcc")
        if backend is None or backend.file is None:
            pytest.skip("there is no file of CpuAcc: an installed package has it")
        return Path(backend.file)


def test_cpu_acc_is_behind_backends_that_declare_no_score(
    load: Load, tmp_path: Path, workshop: Workshop, cpu_acc_file: Path
) -> None:
    workshop.put_id(tmp_path, "Low", "SCORE=0", name="B_B_backend.so")
    reference = workshop.put_id(tmp_path, "CpuRef", REFERENCE, name="C_C_backend.so")
    registry = load([cpu_acc_file, tmp_path, reference])
    assert list(registry) == ["CpuAcc", "Low", "CpuRef"]
    assert registry.by_preference == ("Low", "CpuAcc", "CpuRef")


def test_not_found_error_has_the_verdict_on_the_file(
    load: Load, tmp_path: Path, workshop: Workshop
) -> None:
    workshop.put(tmp_path, "Acme_AcmeNpu_backend.so", "UNDEFINED_FUNCTION")
    workshop.put_id(tmp_path, "Other")
    registry = load(tmp_path)
    error = registry.not_found("AcmeNpu", asked_by="optimize(backends=['AcmeNpu'])")
    lines = str(error).splitlines()
    assert lines[0] == "backend 'AcmeNpu' is not loaded"
    assert lines[1] == "  asked for by: optimize(backends=['AcmeNpu'])"
    assert lines[2] == "  there are: Other"
    assert "undefined symbol: a_function_that_nobody_has" in lines[3]
    assert lines[-1].startswith("hint: link the backend with the library that defines")
    assert error.verdicts == tuple(registry.load_report)
    assert error.loaded == ("Other",)


def test_not_found_knows_near_names(load: Load, tmp_path: Path, workshop: Workshop) -> None:
    workshop.put_id(tmp_path, "AcmeNpu")
    with pytest.raises(LookupError, match="did you mean 'AcmeNpu'"):
        load(tmp_path)["acmenpu"]
