# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Damage inside a shared object that the system's loader follows without a look.

Files are loaded as users do: whatever the damage, the program goes on. The tables are found by
their sections, which the loader itself never reads.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from armnn_py.backends.loader import elf

from .harness import INCLUDE, REPOSITORY, Workshop, run_child

EXAMPLE = REPOSITORY / "examples" / "out_of_tree_backend" / "backend.c"
Damage = Callable[["Library"], None]


class Library:
    """A shared object as bytes, to be damaged."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.file = ELFFile(BytesIO(data))

    def section(self, name: str) -> int:
        """Where a section begins in the file."""
        section = self.file.get_section_by_name(name)
        if section is None:
            pytest.skip(f"this compiler makes no section {name}")
        return int(section["sh_offset"])

    def size(self, name: str) -> int:
        self.section(name)
        return int(self.file.get_section_by_name(name)["sh_size"])

    def get(self, layout: str, at: int) -> int:
        return int(struct.unpack_from("<" + layout, self.data, at)[0])

    def put(self, layout: str, at: int, value: int) -> None:
        struct.pack_into("<" + layout, self.data, at, value)

    def wipe(self, name: str) -> None:
        start = self.section(name)
        self.data[start : start + self.size(name)] = bytes(self.size(name))

    def relocation(self, *, symbol: bool) -> int:
        """Where the first relocation lies that uses a symbol, or that uses none."""
        start = self.section(".rela.dyn")
        for at in range(start, start + self.size(".rela.dyn"), 24):
            if bool(self.get("I", at + 12)) == symbol:
                return at
        pytest.skip("there is no such relocation")


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory, workshop: Workshop) -> bytes:
    """A vendor's backend, linked with every table that this machine's linker makes."""
    output = tmp_path_factory.mktemp("example") / "example.so"
    workshop.compile(EXAMPLE, output, "-O2", "-lm", f"-I{INCLUDE}")
    return output.read_bytes()


# ---- Blank blocks -------------------------------------------------------------------------------

_LOAD = """
import json, sys, warnings
from armnn_py.backends import load_backends
warnings.simplefilter("ignore")
with load_backends(dynamic_backends_path=sys.argv[1], bundled_backends=False) as registry:
    told = {one.path: [one.status, one.stage, one.code] for one in registry.load_report}
print(json.dumps(told))
"""


def load_all(folder: Path, files: Mapping[str, bytes]) -> dict[str, tuple[str, str, str]]:
    """Load files in one program, which must not end; return the outcome of each."""
    folder = folder / "damaged"
    folder.mkdir()
    for name, data in files.items():
        (folder / f"Test_{name}_backend.so").write_bytes(data)
    told = run_child(_LOAD, folder, XDG_CACHE_HOME=str(folder / "cache"))
    found = {Path(path).name.split("_")[1]: tuple(outcome) for path, outcome in told.items()}
    assert set(found) == set(files)
    return found


def blank_blocks(example: bytes) -> dict[str, bytes]:
    """The file with one block wiped, for each block without code."""
    code = [
        range(section["sh_offset"], section["sh_offset"] + section["sh_size"])
        for section in Library(example).file.iter_sections()
        if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR
    ]
    return {
        f"Block{block}": example[:block]
        + bytes(len(example[block : block + 512]))
        + example[block + 512 :]
        for block in range(0, len(example), 512)
        if not any(block < span.stop and block + 512 > span.start for span in code)
    }


def test_no_blank_block_kills(example: bytes, tmp_path: Path) -> None:
    """As an interrupted copy leaves them."""
    files = blank_blocks(example)
    assert len(files) > 10
    assert load_all(tmp_path, files)["Block0"] == ("refused", "inspect", "not-elf")


# ---- One thing wrong at a time ------------------------------------------------------------------


def wrong_kind(library: Library) -> None:
    library.put("I", library.relocation(symbol=False) + 8, 6)


def blank_relocation(library: Library) -> None:
    at = library.relocation(symbol=False)
    library.data[at : at + 24] = bytes(24)


def relocation_into_code(library: Library) -> None:
    header = library.file.get_section_by_name(".text")
    library.put("Q", library.relocation(symbol=False), header["sh_addr"])


def relocation_into_the_dynamic_section(library: Library) -> None:
    """What the system's loader reads meanwhile; it then follows an address that was overwritten."""
    address = library.file.get_section_by_name(".dynamic")["sh_addr"]
    library.put("Q", library.relocation(symbol=False), address + 8)


def relocation_of_a_symbol_into_the_dynamic_section(library: Library) -> None:
    address = library.file.get_section_by_name(".dynamic")["sh_addr"]
    library.put("Q", library.relocation(symbol=True), address + 24)


def relocation_across_the_begin_of_the_dynamic_section(library: Library) -> None:
    address = library.file.get_section_by_name(".dynamic")["sh_addr"]
    library.put("Q", library.relocation(symbol=False), address - 4)


def relocation_across_the_end_of_memory(library: Library) -> None:
    segments = library.file.iter_segments("PT_LOAD")
    last = max(one["p_vaddr"] + one["p_memsz"] for one in segments if one["p_flags"] & 2)
    library.put("Q", library.relocation(symbol=False), last - 4)


def relocation_far_away(library: Library) -> None:
    library.put("Q", library.relocation(symbol=True), 2**63 + 8)


def relocation_without_symbol(library: Library) -> None:
    library.put("I", library.relocation(symbol=True) + 12, 2**30)


def blank_call(library: Library) -> None:
    at = library.section(".rela.plt")
    library.data[at : at + 24] = bytes(24)


def no_buckets(library: Library) -> None:
    library.put("I", library.section(".gnu.hash"), 0)


def odd_filter(library: Library) -> None:
    library.put("I", library.section(".gnu.hash") + 8, 3)


def no_filter(library: Library) -> None:
    library.put("I", library.section(".gnu.hash") + 8, 0)


def many_buckets(library: Library) -> None:
    library.put("I", library.section(".gnu.hash"), 2**31)


def bucket_far_away(library: Library) -> None:
    at = library.section(".gnu.hash")
    library.put("I", at + 16 + 8 * library.get("I", at + 8), 2**30)


def hash_without_end(library: Library) -> None:
    """Every word from the last chain to the end of its segment loses the bit that ends a chain."""
    at = library.section(".gnu.hash")
    chains = at + 16 + 8 * library.get("I", at + 8) + 4 * library.get("I", at)
    for segment in library.file.iter_segments("PT_LOAD"):
        end = segment["p_offset"] + segment["p_filesz"]
        if segment["p_offset"] <= at < end:
            for word in range(chains, end - 3, 4):
                library.data[word] &= 0xFE


def name_far_away(library: Library) -> None:
    library.put("I", library.section(".dynsym") + 24, 2**31)


def blank_symbols(library: Library) -> None:
    start = library.section(".dynsym")
    library.data[start : start + library.size(".dynsym")] = bytes(library.size(".dynsym"))


def version_far_away(library: Library) -> None:
    library.put("I", library.section(".gnu.version_r") + 12, 2**31)


def blank_needed_name(library: Library) -> None:
    start = library.section(".dynstr")
    at = library.data.index(b"libc.so", start)
    library.data[at] = 0


def initialiser_in_data(library: Library) -> None:
    array = library.file.get_section_by_name(".init_array")["sh_addr"]
    start = library.section(".rela.dyn")
    for at in range(start, start + library.size(".rela.dyn"), 24):
        if library.get("Q", at) == array:
            library.put("Q", at + 16, array)
            return
    pytest.skip("the initialisers are relocated some other way")


def blank_initialiser(library: Library) -> None:
    library.wipe(".init")


def uncovered_initialiser(library: Library) -> None:
    array = library.file.get_section_by_name(".init_array")["sh_addr"]
    start = library.section(".rela.dyn")
    for at in range(start, start + library.size(".rela.dyn"), 24):
        if library.get("Q", at) == array:
            library.put("Q", at, array + 64)
            return
    pytest.skip("the initialisers are relocated some other way")


# ---- What other linkers and options make --------------------------------------------------------

VARIANTS = {
    "plain hash": ("-Wl,--hash-style=sysv",),
    "both hashes": ("-Wl,--hash-style=both",),
    "packed relocations": ("-Wl,-z,pack-relative-relocs",),
    "bound now": ("-Wl,-z,now",),
    "bound late": ("-Wl,-z,lazy",),
    "not combined": ("-Wl,-z,nocombreloc",),
    "one segment": ("-Wl,-z,noseparate-code",),
    "no relro": ("-Wl,-z,norelro",),
    "stripped": ("-s",),
    "linked by gold": ("-fuse-ld=gold",),
    "linked by lld": ("-fuse-ld=lld",),
    "nothing exported": ("-Wl,--exclude-libs,ALL", "-Wl,--version-script={script}"),
}


def variant(workshop: Workshop, folder: Path, name: str) -> Path:
    script = folder / "script"
    script.write_text("{ local: *; };")
    flags = [flag.format(script=script) for flag in VARIANTS[name]]
    output = folder / "variant.so"
    try:
        workshop.compile(EXAMPLE, output, "-O2", "-lm", *flags)
    except subprocess.CalledProcessError:
        pytest.skip(f"this compiler has no {name}")
    return output


@pytest.mark.parametrize("name", VARIANTS)
def test_whole_files_of_other_makes_pass(name: str, workshop: Workshop, tmp_path: Path) -> None:
    assert elf.inspect(str(variant(workshop, tmp_path, name))).needed


@pytest.mark.exhaustive(kept=1)
@pytest.mark.parametrize(
    "name", ["plain hash", "packed relocations", "one segment", "linked by gold"]
)
def test_no_blank_block_kills_in_other_makes(name: str, workshop: Workshop, tmp_path: Path) -> None:
    load_all(tmp_path, blank_blocks(variant(workshop, tmp_path, name).read_bytes()))


def chain_that_goes_round(library: Library) -> None:
    at = library.section(".hash")
    buckets = library.get("I", at)
    first = next(
        library.get("I", at + 8 + 4 * index)
        for index in range(buckets)
        if library.get("I", at + 8 + 4 * index)
    )
    library.put("I", at + 8 + 4 * (buckets + first), first)


def chain_that_leaves(library: Library) -> None:
    at = library.section(".hash")
    library.put("I", at + 8, library.get("I", at + 4))


def no_plain_buckets(library: Library) -> None:
    library.put("I", library.section(".hash"), 0)


def packed_from_nowhere(library: Library) -> None:
    library.put("Q", library.section(".relr.dyn"), 1)


def packed_into_code(library: Library) -> None:
    library.put("Q", library.section(".relr.dyn"), 64)


def packed_too_far(library: Library) -> None:
    """Words full of bits behind an address at the very end of what is written to."""
    at = library.section(".relr.dyn")
    if library.size(".relr.dyn") < 16:
        pytest.skip("all relocations are in one word")
    end = max(
        segment["p_vaddr"] + segment["p_memsz"]
        for segment in library.file.iter_segments("PT_LOAD")
        if segment["p_flags"] & 2
    )
    library.put("Q", at, (end - 8) & ~7)
    for word in range(at + 8, at + library.size(".relr.dyn"), 8):
        library.put("Q", word, 2**64 - 1)


def put_packed(library: Library, first: int, bits: int) -> None:
    """One address with a map behind it; the other maps are empty."""
    at = library.section(".relr.dyn")
    library.put("Q", at, first)
    for word in range(at + 8, at + library.size(".relr.dyn"), 8):
        library.put("Q", word, bits if word == at + 8 else 1)


def packed_into_the_dynamic_section(library: Library) -> None:
    address = library.file.get_section_by_name(".dynamic")["sh_addr"]
    put_packed(library, address + 8, 1)


def packed_up_to_the_dynamic_section(library: Library) -> None:
    """A bit behind an address before the section leads into it."""
    address = library.file.get_section_by_name(".dynamic")["sh_addr"]
    put_packed(library, address - 16, 0b101)


def packed_of_no_size(library: Library) -> None:
    """The entry that says how large one is becomes an unknown one."""
    start = library.section(".dynamic")
    for at in range(start, start + library.size(".dynamic"), 16):
        if library.get("Q", at) == 37:
            library.data[at + 5] ^= 1


DAMAGES: dict[str, tuple[Damage, ...]] = {
    "": (
        wrong_kind,
        blank_relocation,
        relocation_into_code,
        relocation_into_the_dynamic_section,
        relocation_of_a_symbol_into_the_dynamic_section,
        relocation_across_the_begin_of_the_dynamic_section,
        relocation_across_the_end_of_memory,
        relocation_far_away,
        relocation_without_symbol,
        blank_call,
        no_buckets,
        odd_filter,
        no_filter,
        many_buckets,
        bucket_far_away,
        hash_without_end,
        name_far_away,
        blank_symbols,
        version_far_away,
        blank_needed_name,
        initialiser_in_data,
        blank_initialiser,
        uncovered_initialiser,
    ),
    "plain hash": (chain_that_goes_round, chain_that_leaves, no_plain_buckets),
    "packed relocations": (
        packed_from_nowhere,
        packed_into_code,
        packed_too_far,
        packed_of_no_size,
        packed_into_the_dynamic_section,
        packed_up_to_the_dynamic_section,
    ),
}


@pytest.mark.parametrize("make", DAMAGES, ids=lambda make: make or "as this linker does it")
def test_damage_is_refused(make: str, example: bytes, workshop: Workshop, tmp_path: Path) -> None:
    """By the inspection, or by the probe in another process before anything computes."""
    whole = variant(workshop, tmp_path, make).read_bytes() if make else example
    files = {}
    for damage in DAMAGES[make]:
        library = Library(whole)
        damage(library)
        files[damage.__name__.title().replace("_", "")] = bytes(library.data)
    for name, (status, stage, _) in load_all(tmp_path, files).items():
        assert status == "refused", name
        assert stage in ("inspect", "open", "symbols", "create"), name
