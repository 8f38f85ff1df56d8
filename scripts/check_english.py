# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Count phrases that readers have to decode, by folder; fail where a count has risen.

    python scripts/check_english.py            compare with english.toml
    python scripts/check_english.py --update   write lower counts there
    python scripts/check_english.py --show     print each place

The patterns are those of CONTRIBUTING, "English". The counts only shrink: a new phrase fails the
check, and `--update` refuses to raise a count.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
COUNTS = REPOSITORY / "scripts" / "english.toml"
FOLDERS = [
    "armnn_py", "armnn_py_command", "backends_c", "benchmarks", "cmake", "docs", "examples",
    "native", "oip", "schema", "scripts", "tests",
]  # fmt: skip
SUFFIXES = {".py", ".c", ".h", ".hpp", ".cpp", ".md", ".toml", ".cmake", ".inc"}
MOST_WORDS = 40

PATTERNS = {
    "none as a verdict": re.compile(r"\b(?:is|are|was|were) none\b"),
    "no as a verdict": re.compile(r"\bis no (?!longer\b|more than\b)\w+"),
    "nobody": re.compile(r"\bnobody\b", re.I),
    "clause for a noun": re.compile(r"(?:^|[.:;(] |\"\"\")(?:Who|What) (?!is |are |if )\w+"),
    "trailing too": re.compile(r", too[.,:;)]"),
    "fronted as": re.compile(r"(?:^|[.:] )As \w+ (?:does|do|has|have|is|are)\b.*?,"),
}


def files() -> Iterator[Path]:
    """Yield the files of the repository that people read."""
    yield from sorted(REPOSITORY.glob("*.md"))
    for folder in FOLDERS:
        for path in sorted((REPOSITORY / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file() and not path.is_symlink():
                yield path


def long_sentences(text: str) -> Iterator[str]:
    """Yield sentences of a page that have too many words; tables and code are left out."""
    prose = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n|\n(?=[-*|#] )", prose):
        if paragraph.lstrip().startswith(("|", "#")):
            continue
        for sentence in re.split(r"(?<=[.:;?!])\s", " ".join(paragraph.split())):
            if len(sentence.split()) > MOST_WORDS:
                yield sentence


def findings() -> Iterator[tuple[str, str, str]]:
    """Yield folder, pattern and place of each phrase."""
    for path in files():
        name = path.relative_to(REPOSITORY).as_posix()
        if name in ("scripts/check_english.py", "scripts/english.toml"):
            continue
        folder = name.split("/")[0] if "/" in name else "pages"
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            words = line.strip(" #*/")
            for pattern, expression in PATTERNS.items():
                for _ in expression.finditer(words):
                    yield folder, pattern, f"{name}:{number}: {words}"
        if path.suffix == ".md":
            for sentence in long_sentences(text):
                yield folder, "long sentence", f"{name}: {sentence[:100]}"


def main() -> int:
    """Compare, update or show the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    found = list(findings())
    counts = Counter((folder, pattern) for folder, pattern, _ in found)
    known: dict[str, dict[str, int]] = {}
    if COUNTS.exists():
        known = tomllib.loads(COUNTS.read_text(encoding="utf-8"))
    risen = [
        (folder, pattern, known.get(folder, {}).get(pattern, 0), count)
        for (folder, pattern), count in sorted(counts.items())
        if COUNTS.exists() and count > known.get(folder, {}).get(pattern, 0)
    ]
    if arguments.show:
        print(*(f"[{pattern}] {place}" for _, pattern, place in found), sep="\n")
    for folder, pattern, before, now in risen:
        print(f"{folder}: {pattern}: {now}, {before} before", file=sys.stderr)
    if risen:
        print("hint: --show prints each place; rewrite the new ones", file=sys.stderr)
        return 1
    if arguments.update:
        lines = ["# Phrases to rewrite, by folder: scripts/check_english.py. Counts only shrink."]
        for folder in sorted({folder for folder, _ in counts}):
            lines += ["", f"[{folder}]"]
            of_folder = sorted((p, n) for (f, p), n in counts.items() if f == folder)
            lines += [f'"{pattern}" = {count}' for pattern, count in of_folder]
        COUNTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
