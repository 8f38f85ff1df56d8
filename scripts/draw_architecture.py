# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Draw ``docs/architecture.svg``: three ways through the code, a box for each step.

Usage::

    python scripts/draw_architecture.py
"""

from __future__ import annotations

from html import escape
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]

PYTHON, HOST, BACKEND = "#dbe9fb", "#fde8cc", "#d9f2dc"
KINDS = {PYTHON: "Python", HOST: "the host in C", BACKEND: "a backend in C"}

# A box: what is done, where, and by whom.
LANES = [
    (
        "A file's way to a backend, once per Runtime. The first step that fails is its verdict.",
        [
            ("search folders", "armnn_py/backends/loader/loading.py", PYTHON),
            ("name, resolve", "armnn_py/backends/loader/discovery.py", PYTHON),
            ("inspect the ELF file", "armnn_py/backends/loader/elf.py", PYTHON),
            ("open", "armnn_py/_native/table/dynamic_library.py", PYTHON),
            ("symbols, id, version", "armnn_py/backends/loader/identity.py", PYTHON),
            ("table", "armnn_py/_native/table/backend_table.py", PYTHON),
            ("create", "of its table", BACKEND),
        ],
    ),
    (
        "A model's way to a kernel, once per network and set of input shapes.",
        [
            ("import", "armnn_py/frontends/", PYTHON),
            ("layers, shapes", "armnn_py/network/", PYTHON),
            ("simplify", "armnn_py/optimizer/passes/", PYTHON),
            ("assign backends", "armnn_py/optimizer/assignment/assign.py", PYTHON),
            ("compile sub-graphs", "armnn_py/optimizer/subgraphs/optimize_subgraphs.py", PYTHON),
            ("connect memory", "armnn_py/optimizer/edges.py", PYTHON),
            ("workloads, arena", "armnn_py/runtime/plan/plan_build.py", PYTHON),
            ("plan", "native/src/plan/plan.c", HOST),
        ],
    ),
    (
        "One run: Python checks, then one call into C that walks the plan.",
        [
            ("check arrays", "armnn_py/runtime/arrays/binding.py", PYTHON),
            ("take a context", "armnn_py/runtime/contexts/context_pool.py", PYTHON),
            ("set addresses", "armnn_py/runtime/contexts/execution_context.py", PYTHON),
            ("armnn_context_run", "native/src/run/executor.c", HOST),
            ("execute, each step", "of the workload's table", BACKEND),
            ("parallel_for", "native/src/threads/thread_pool.c", HOST),
            ("kernel", "on the host's threads", BACKEND),
        ],
    ),
]
# What boxes of the second lane call, and what CpuAcc does there.
CALLED = {
    3: ("is_layer_supported", "backends_c/cpu_acc/support.c"),
    4: ("optimize_subgraph_view", "backends_c/cpu_acc/compile/"),
    6: ("create_workload", "backends_c/cpu_acc/workload.c"),
}

LEFT, BOX, GAP, HIGH = 16, 160, 12, 60
DARK, GREY, LINE = "#1b1f24", "#57606a", "#8c959f"


def text(x: float, y: float, words: str, style: str) -> str:
    """Return a line of text, centred."""
    return f'<text x="{x}" y="{y}" text-anchor="middle" {style}>{escape(words)}</text>'


def box(x: float, y: float, what: str, where: str, colour: str) -> list[str]:
    """Return a box with its title and, on two lines, folder and file."""
    path = where.removeprefix("armnn_py/").rstrip("/")
    folder, _, name = path.rpartition("/")
    middle = x + BOX / 2
    grey = f'font-size="10.5" fill="{GREY}"'
    return [
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HIGH}" rx="6" fill="{colour}"'
        f' stroke="{LINE}"/>',
        text(middle, y + 20, what, f'font-size="11.5" font-weight="600" fill="{DARK}"'),
        *([text(middle, y + 36, f"{folder}/", grey)] if folder else []),
        text(middle, y + (50 if folder else 40), name, grey),
    ]


def arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return an arrow."""
    return (
        f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{GREY}" stroke-width="1.4"'
        ' marker-end="url(#head)"/>'
    )


def draw() -> str:
    """Return the picture as SVG."""
    out: list[str] = []
    y = 26
    for title, boxes in LANES:
        out.append(
            f'<text x="{LEFT}" y="{y}" font-size="15" font-weight="600">{escape(title)}</text>'
        )
        y += 14
        called = CALLED if boxes is LANES[1][1] else {}
        for n, (what, where, colour) in enumerate(boxes):
            x = LEFT + n * (BOX + GAP)
            out += box(x, y, what, where, colour)
            if n:
                out.append(arrow(x - GAP, y + HIGH / 2, x - 1, y + HIGH / 2))
            if n in called:
                out.append(arrow(x + BOX / 2, y + HIGH, x + BOX / 2, y + HIGH + 22))
                out += box(x, y + HIGH + 23, *called[n], BACKEND)
        y += HIGH + (HIGH + 23 if called else 0) + 36
    for n, (colour, name) in enumerate(KINDS.items()):
        x = LEFT + 160 * n
        out.append(
            f'<rect x="{x}" y="{y - 12}" width="16" height="16" rx="3" fill="{colour}"'
            f' stroke="{LINE}"/>\n<text x="{x + 24}" y="{y + 1}" font-size="12">{name}</text>'
        )
    width, height = 2 * LEFT + 8 * (BOX + GAP) - GAP, y + 16
    lines = "\n".join(out)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" \
height="{height}" font-family="Helvetica, Arial, sans-serif">
<rect width="100%" height="100%" fill="white"/>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path d="M0 0L8 4L0 8z" fill="{GREY}"/></marker>
{lines}
</svg>
"""


if __name__ == "__main__":
    path = REPOSITORY / "docs" / "architecture.svg"
    path.write_text(draw(), encoding="utf-8")
    print(f"wrote {path.relative_to(REPOSITORY)}")
