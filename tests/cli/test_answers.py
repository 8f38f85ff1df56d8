# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The text of answers and refusals: hints, values, grouped reasons, plurals."""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from PIL import Image

from armnn_py.cli.commands import check
from armnn_py.cli.commands.run import _top
from armnn_py.cli.networks import shape_hint
from armnn_py.cli.render import Column, Renderer
from armnn_py.tensors import TensorInfo

from .conftest import DEMO, Answer, Command, save_model


@pytest.fixture
def left(tmp_path: Path) -> Path:
    np.save(tmp_path / "left.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    return tmp_path / "left.npy"


def relu_model(tmp_path: Path, shape: list[int]) -> Path:
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    return save_model(tmp_path / "relu.onnx", [node], {"x": shape}, "y")


def test_one_input_given_twice_is_wrong_usage(command: Command, adder: Path, left: Path) -> None:
    answer = command("run", adder, "-i", f"left={left}", "-i", f"left={left}")
    assert answer.code == 2
    assert "input 'left' is given twice" in answer.err


@pytest.mark.parametrize(
    ("shape", "shown"),
    [
        ((None, None, None, 3), "1x224x224x3"),
        ((1, 3, None, None), "1x3x224x224"),
        ((None, 128), "1x128"),
        ((4, None), "4x16"),
    ],
)
def test_hint_for_a_shape_keeps_what_is_known(shape: tuple[int | None, ...], shown: str) -> None:
    assert shape_hint({"in_0": TensorInfo(shape)}) == f"give them, as in --shape in_0={shown}"


def test_hint_for_shapes_names_each_dimension_once() -> None:
    tokens = TensorInfo((None, None), dimension_names=("batch", "length"))
    state = TensorInfo((2, None, 128), dimension_names=(None, "batch", None))
    infos = {"tokens": tokens, "state": state, "rate": TensorInfo(()), "x": TensorInfo((3, None))}
    said = shape_hint(infos)
    assert said == "give them, as in --shape batch=1 --shape length=16 --shape x=3x16"
    same = {"n": TensorInfo((None, 3), dimension_names=("n", None))}
    assert shape_hint(same) == "give them, as in --shape n=1x3"


@pytest.mark.parametrize("arguments", [["run", "--random", "1"], ["check"], ["inspect"]])
def test_hint_for_a_shape_is_a_shape_that_fits(
    command: Command, free_relu: Path, arguments: list[str]
) -> None:
    answer = command(arguments[0], free_relu, *arguments[1:])
    assert "--shape h=224 --shape w=224" in answer.out + answer.err


def test_run_without_inputs_says_how_to_give_them(command: Command) -> None:
    answer = command("run", DEMO)
    assert answer.code == 2
    assert answer.err.endswith("hint: -i image=FILE, or --random 0\n")


def test_random_values_are_for_inputs_without_a_file(
    command: Command, adder: Path, left: Path, tmp_path: Path
) -> None:
    answer = command("run", adder, "-i", f"left={left}", "--random", 3, "-o", tmp_path / "out")
    assert answer.code == 0, answer.err
    rest = np.load(tmp_path / "out" / "sum_out.npy") - np.load(left)
    assert ((rest >= 0) & (rest < 1)).all()
    assert rest.any()


def test_files_complete_the_shapes_for_random_values(
    command: Command, tmp_path: Path, left: Path
) -> None:
    node = helper.make_node("Add", ["left", "right"], ["y"], "add")
    inputs = {"left": ["n", 3], "right": ["n", 3]}
    model = save_model(tmp_path / "free_add.onnx", [node], inputs, "y")
    answer = command("run", model, "-i", f"left={left}", "--random", 3, "--shape", "right=2x3")
    assert answer.code == 0, answer.err


@pytest.mark.parametrize("shape", [[1, 4, 6, 6], [1, 6, 6, 4]], ids=["nchw", "nhwc"])
def test_picture_for_four_channels_is_reported(
    command: Command, tmp_path: Path, shape: list[int]
) -> None:
    Image.new("RGB", (6, 6)).save(tmp_path / "p.png")
    answer = command("run", relu_model(tmp_path, shape), "-i", tmp_path / "p.png")
    assert answer.code == 2
    assert "4 channels\nhint: pictures have 1 or 3 channels here" in answer.err


def test_junk_is_not_a_reason_to_trust_pickles(
    command: Command, free_relu: Path, tmp_path: Path
) -> None:
    (tmp_path / "junk.npy").write_bytes(b"not an array at all")
    answer = command("run", free_relu, "-i", tmp_path / "junk.npy")
    assert answer.code == 2
    assert "it holds no plain array of numbers" in answer.err
    assert "pickle" not in answer.err


def run_relu(command: Command, folder: Path, values: np.ndarray, *options: str) -> Answer:
    np.save(folder / "x.npy", values)
    model = relu_model(folder, list(values.shape))
    return command("run", model, "-i", folder / "x.npy", *options)


def test_few_values_are_all_shown(command: Command, tmp_path: Path) -> None:
    values = np.float32([[0.5, -1.0], [1234567.0, np.inf]])
    assert "\ny: 0.5 0 1.235e+06 inf\n" in run_relu(command, tmp_path, values).out
    (output,) = run_relu(command, tmp_path, values, "--json").json["outputs"]
    assert output["values"] == [0.5, 0, 1234567.0, None]
    assert output["top"] is None


def test_the_best_of_many_classes_are_shown(command: Command, tmp_path: Path) -> None:
    values = np.zeros((1, 1000), np.float32)
    values[0, [7, 999, 0, 500, 3, 4]] = [9, 8, 7, 6, 5, 4]
    assert "\ny: top 5 are [7] 9, [999] 8, [0] 7, [500] 6, [3] 5\n" in (
        run_relu(command, tmp_path, values).out
    )
    (output,) = run_relu(command, tmp_path, values, "--json").json["outputs"]
    assert output["values"] is None
    assert output["top"][:2] == [{"index": 7, "value": 9.0}, {"index": 999, "value": 8.0}]


def test_other_large_outputs_are_not_shown(command: Command, tmp_path: Path) -> None:
    (output,) = run_relu(command, tmp_path, np.ones((20, 20), np.float32), "--json").json["outputs"]
    assert (output["values"], output["top"]) == (None, None)


@pytest.mark.parametrize("backend", ["CpuRef", "CpuAcc"])
def test_demo_names_the_file_of_a_backend_once(command: Command, backend: str) -> None:
    file = command("backends", "show", backend, "--json").json["file"]
    out = command("demo", "-b", backend).out
    said = f"{backend}: {file}" if file else f"{backend}: linked into "
    lines = [line for line in out.splitlines() if line.startswith(f"{backend}: ")]
    assert len(lines) == 1
    assert lines[0].startswith(said)
    assert out.count(".so") == 1


@pytest.mark.parametrize(("count", "said"), [(1, "1 other file; -v lists it"),
                                             (4, "4 other files; -v lists them")])  # fmt: skip
def test_files_of_others_are_counted(
    command: Command, tmp_path: Path, count: int, said: str
) -> None:
    for number in range(count):
        (tmp_path / f"notes{number}.txt").write_text("not for us")
    last = command("--backend-path", tmp_path, "backends", "list").out.splitlines()[-1]
    assert last.endswith(said)


def test_shapes_stay_whole_on_a_narrow_screen(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    node = helper.make_node("Relu", ["x"], ["y"], "relu")
    shape = [1, 64, 112, 112]
    name = "a_rather_long_name_of_an_output_of_the_network/of/a/layer"
    node.output[0] = name
    model = save_model(tmp_path / "m.onnx", [node], {"x": shape}, name)
    for arguments in (["inspect", model], ["run", model, "--random", "0"]):
        assert "1 x 64 x 112 x 112" in command(*arguments).out


def test_reasons_of_check_are_grouped() -> None:
    def row(name: str, kind: str, reason: str, run_by: str = "") -> dict[str, str]:
        return {"layer": name, "run_by": run_by or name, "run_as": kind, "reason": reason}

    rows = [row(f"pool{n}", "Pooling2d", "Npu: too large") for n in range(1)]
    rows += [row(f"conv{n}", "Convolution2d", "Npu: no kernel") for n in range(3)]
    rows += [row("bias", "Convolution2d", "Npu: no kernel", run_by="conv1")]
    rows += [row("relu", "Activation", "")]
    assert check._reasons(rows) == [
        "Refused by an earlier choice:",
        "  3x Convolution2d (first: conv0): Npu: no kernel",
        "  1x Pooling2d (layer: pool0): Npu: too large",
    ]
    assert check._reasons(rows[-1:]) == []


def test_reasons_of_a_compiled_part_are_those_of_its_layers() -> None:
    kinds = {"conv": "Convolution2d", "relu": "Activation", "conv2": "Convolution2d"}
    rows = [
        {"layer": name, "type": kind, "run_by": "Acc: conv", "run_as": "PreCompiled",
         "reason": "Npu: no kernel"}
        for name, kind in kinds.items()
    ]  # fmt: skip
    assert check._reasons(rows) == [
        "Refused by an earlier choice:",
        "  2x Convolution2d (first: conv): Npu: no kernel",
        "  1x Activation (layer: relu): Npu: no kernel",
    ]


def test_layers_placed_by_a_hint_are_not_said_to_be_refused() -> None:
    def row(name: str, reason: str, **more: str | None) -> dict[str, str | None]:
        return {"layer": name, "run_by": name, "run_as": "Addition", "backend": "Cpu",
                "reason": reason, "hint": None, "rule": None, **more}  # fmt: skip

    rows = [
        row("hinted", "asked for by the layer", hint="Cpu"),
        row("ruled", "asked for by rule 1 (name 'ruled')", rule="rule 1 (name 'ruled')"),
        row("refused", "Npu: no kernel", hint="Npu"),
    ]
    assert check._reasons(rows) == [
        "Placed by a hint or rule:",
        "  1x Addition (layer: hinted): asked for by the layer",
        "  1x Addition (layer: ruled): asked for by rule 1 (name 'ruled')",
        "Refused by an earlier choice:",
        "  1x Addition (layer: refused): Npu: no kernel",
    ]


def part_row(number: int, layers: int) -> list[str]:
    return [str(number), "Npu" if number % 2 else "Cpu", str(layers), "", "", ""]


def test_check_lists_the_largest_of_many_parts_in_their_order() -> None:
    few = [part_row(n, 1) for n in range(15)]
    assert check._largest(few) == few
    many = [part_row(n, 10 if n % 10 == 3 else 1) for n in range(200)]
    largest = check._largest(many)
    assert len(largest) == 15
    assert [row for row in largest if row[2] == "10"] == [many[n] for n in range(3, 200, 10)][:15]
    assert largest == sorted(largest, key=lambda row: int(row[0]))


def test_check_of_a_network_in_many_parts_fits_on_a_screen(
    command: Command, dozen_folder: Path, tmp_path: Path
) -> None:
    nodes = []
    for n in range(40):
        nodes.append(helper.make_node("Add", [f"a{n}", "x"], [f"b{n}"], f"add{n}"))
        nodes.append(helper.make_node("Exp", [f"b{n}"], [f"a{n + 1}"], f"exp{n}"))
    nodes[0].input[0] = "x"
    model = save_model(tmp_path / "m.onnx", nodes, {"x": [2, 3]}, "a40")
    call = ["--backend-path", dozen_folder, "check", model, "-b", "Dozen", "-b", "CpuRef"]
    out = command(*call).out
    assert len(out.splitlines()) == 1 + 15 + 1 + 2 + 1
    assert "\n65 smaller sub-graphs: " in out
    assert "(-v lists them)" in out
    assert len(command(*call, "-v").out.splitlines()) == 1 + 80 + 2 + 1


def test_check_says_once_what_became_of_many_layers(command: Command) -> None:
    out = command("check", DEMO, "-b", "CpuAcc", "--layers").out
    head, first, *rest = out.splitlines()
    assert head.split() == ["layer", "type", "backend", "sub-graph", "note"]
    assert "compiled with 11 other layers into " in first
    assert all(line.endswith(' "') for line in rest[:11])
    assert "compiled" not in "".join(rest)


def test_rows_of_cut_columns_stay_one_line_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    columns = [Column("layer", cut="end"), Column("kernel", cut="start"),
               Column("ms", right=True, whole=True)]  # fmt: skip
    rows = [["conv_" * 20, "armnn_f32_depthwise_3x3_s1_columns__avx512_7px", "1234.567"]]
    monkeypatch.setenv("COLUMNS", "80")
    terminal, pipe = Terminal(), io.StringIO()
    Renderer(terminal, color="never").table(columns, rows)
    head, _, line = terminal.getvalue().splitlines()
    assert max(len(head), len(line)) <= 80
    layer, kernel, number = line.split()
    assert layer.startswith("conv_conv_")
    assert layer.endswith("...")
    assert kernel.startswith("...")
    assert kernel.endswith("_columns__avx512_7px")
    assert number == "1234.567"
    monkeypatch.delenv("COLUMNS")
    Renderer(pipe, color="never").table(columns, rows)
    assert "conv_" * 20 in pipe.getvalue()


def test_a_narrow_terminal_gets_names_and_values(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "40")
    columns = [Column("ms", right=True), Column("layer", cut="middle"), Column("note")]
    rows = [["1.5", "a/long/name/of/a/layer/of/a/network", ""], ["0.5", "b", "fast"]]
    terminal = Terminal()
    Renderer(terminal, color="never").table(columns, rows)
    assert terminal.getvalue().splitlines() == [
        "ms: 1.5", "  layer: a/long/name/of/a/layer/of/a/network", "",
        "ms: 0.5", "  layer: b", "  note: fast",
    ]  # fmt: skip
    monkeypatch.setenv("COLUMNS", "60")
    terminal = Terminal()
    Renderer(terminal, color="never").table(columns, [["1.5", "begin/" * 10 + "the/end", "fast"]])
    line = terminal.getvalue().splitlines()[-1]
    assert len(line) <= 60
    assert "begin/begin/" in line
    assert "...be" not in line[:12]
    assert "/the/end" in line


def test_tables_in_a_pipe_are_those_with_colour_but_for_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """rich makes the coloured ones; wide, combining and escaped characters count as it says."""
    monkeypatch.delenv("COLUMNS", raising=False)
    columns = [Column("name"), Column("count", right=True), Column("verdict", verdict=True),
               Column("why", cut="end"), Column("whole", whole=True)]  # fmt: skip
    rows = [
        ["a", "1", "ok", "word " * 100, ""],
        ["\u540d\u524d", "12345678", "refused", "two\nlines [bold]no markup[/]", "e\u0301t\u00e9"],
        ["", "", "", "", "x" * 40],
    ]
    for some in (rows, rows[:1], []):
        plain, colored = io.StringIO(), io.StringIO()
        Renderer(plain, color="never").table(columns, some)
        Renderer(colored, color="always").table(columns, some)
        assert "\x1b[" in colored.getvalue()
        stripped = re.sub(r"\x1b\[[0-9;]*m", "", colored.getvalue())
        assert plain.getvalue() == "".join(f"{x.rstrip()}\n" for x in stripped.splitlines())


def test_check_says_what_a_part_is_run_as() -> None:
    rows: list[dict[str, object]] = [
        {"layer": "conv", "part": 1, "run_by": "npu", "run_as": "PreCompiled"},
        {"layer": "relu", "part": 1, "run_by": "npu", "run_as": "PreCompiled"},
        {"layer": "pool", "part": 1, "run_by": "pool", "run_as": "Pooling2d"},
        {"layer": "pad", "part": 0, "run_by": "sum", "run_as": "ElementwiseBinary"},
        {"layer": "sum", "part": 0, "run_by": "sum", "run_as": "ElementwiseBinary"},
        {"layer": "gone", "part": None, "run_by": "", "run_as": ""},
    ]
    for row in rows:
        row.update(backend="Npu", inserted=False)
    assert check._parts(rows) == [
        ["0", "Npu", "2", "1 layer", "pad", "sum"],
        ["1", "Npu", "3", "1 compiled, 1 layer", "conv", "pool"],
    ]


def test_config_gives_one_value_at_a_time(command: Command) -> None:
    answer = command("config", "--cmakedir", "--includedir")
    assert answer.code == 2
    assert answer.out == ""
    assert "--includedir and --cmakedir exclude each other" in answer.err


@pytest.mark.parametrize("size", ["2x4", "2,4"])
def test_size_is_written_in_two_ways(
    command: Command, free_relu: Path, tmp_path: Path, size: str
) -> None:
    Image.new("RGB", (9, 9)).save(tmp_path / "p.png")
    document = command("run", free_relu, "-i", tmp_path / "p.png", "--size", size, "--json").json
    assert document["outputs"][0]["shape"] == [1, 3, 2, 4]


def test_a_damaged_model_of_another_format_is_code_3(command: Command, tmp_path: Path) -> None:
    (tmp_path / "net.tflite").write_bytes(b"\x1c\0\0\0TFL3" + bytes(50))
    answer = command("inspect", tmp_path / "net.tflite")
    assert answer.code == 3
    assert "'net.tflite'" in answer.err


def test_numbers_without_sign_have_a_best_too() -> None:
    """A quantised classifier answers in uint8: -1 is 255 there. Ties go to the first."""
    values = np.zeros((1, 300), np.uint8)
    values[0, [285, 282, 7, 9]] = [208, 21, 3, 3]
    found = [(one["index"], one["value"]) for one in _top(values) or ()]
    assert found == [(285, 208), (282, 21), (7, 3), (9, 3), (0, 0)]
