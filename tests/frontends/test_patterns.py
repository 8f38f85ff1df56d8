# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Regular expressions in the syntax of RE2; expected values by onnxruntime, which has RE2 in it."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from onnx import TensorProto, helper

import armnn_py as ann
from armnn_py.frontends.common.patterns import Pattern

from .beside_onnxruntime import theirs

PATTERNS = [
    "", "a*", "(a|b)*c", "a{2,3}", "a{2}", "a{2,}b?", "[a-c]+", "[^a-c]+", "[]a]+", r"[a\]-]+",
    r"\d+\.\d*", r"\w+@\w+\.com", "(?i)straße", "(?i)k", "(?i)[a-z]+", ".*", "(?s).*", "^a$",
    r"\Aa\z", r"\ba\b", r"a\b.*", r"a\B.*", "[[:alpha:]]+", "[[:^alpha:]]+", r"\pL+",
    r"\p{Lu}\p{Ll}*", r"\p{Greek}", r"\C*",
    r"\PL+", r"\p{^L}+", r"[\pL\d]+", r"\x41\x{e4}", r"\Qa.b\E+", r"\Qa.",
    "(?P<n>a)b",
    "(?:a|b)?c", "a{,3}", "a{x", "(a*)*b", "(a|aa)+", "((a+)+)+$", "(?i:A)b", "(?m)^a$\n^b$",
    "a|b|", r"\.\*", r"[\w.-]+", r"\t", r"\101", "(?U)a+?", "[a-]", r"[^\n]*", r"\S+\s\S+",
    "x*?y+?", r"\D\W", "(?-s).", r"[\d\D]", "(?i)[^k]", "日+", "(|a)*", "^*", "(?i)a(?-i)b",
]  # fmt: skip
TEXTS = [
    "", "a", "b", "c", "aa", "aaa", "aaaa", "ab", "aB", "abc", "aab", "A", "K", "\u212a", "k",
    "a.b",
    "a.bb", "a.", "x]", "a]", "]a", "a-", "1.5", "12.", "me@x.com", "STRASSE", "straße", "Straße",
    "line\nbreak", "a\nb", "Äb", "äB", "Aä", "a b", "a{,3}", "a{x", "-", "123", "\t", "a{2}", "ac",
    "bc", "xy", "y", "日日", "$%", ".*", "a\u0301",
]  # fmt: skip
NONE_OF_RE2 = [
    "**", "a**", "(a", "a)", "[a", "[b-a]", r"\1", "(?=a)", "(?<a", "a{1001}", "x{3,2}", "\\", "*a",
    "[[:x:]]", "(?z)", "a{2}{3}", r"[a-\d]", r"\8", r"\_a\e", "(?i", "a++", "(?P=n)", "a{2}*",
]  # fmt: skip


def by_onnxruntime(pattern: str) -> np.ndarray:
    x = np.array(TEXTS, object)
    shape = [len(TEXTS)]
    graph = helper.make_graph(
        [helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)], "graph",
        [helper.make_tensor_value_info("x", TensorProto.STRING, shape)],
        [helper.make_tensor_value_info("y", TensorProto.BOOL, shape)],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 20)]
    return theirs(helper.make_model(graph, opset_imports=opsets, ir_version=10), {"x": x})["y"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_whole_texts(pattern: str) -> None:
    compiled = Pattern(pattern)
    found = {text for text in TEXTS if compiled.matches(text)}
    wanted = by_onnxruntime(pattern)
    assert found == {text for text, one in zip(TEXTS, wanted, strict=True) if one}


@pytest.mark.parametrize("pattern", NONE_OF_RE2)
def test_invalid_patterns(pattern: str) -> None:
    with pytest.raises(ann.ParseError, match="RE2 cannot compile pattern"):
        Pattern(pattern)
    with pytest.raises(Exception, match="regex"):
        by_onnxruntime(pattern)


def test_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ann.ModelError, match="need the Python package 'google-re2'") as caught:
        Pattern("a")
    assert "[text]" in str(caught.value)


def test_halves_of_a_pair_of_surrogates_match_nothing_else() -> None:
    assert Pattern("a.b").matches("a\udc80b")
    assert not Pattern("ab").matches("a\udc80b")
    with pytest.raises(ann.ParseError, match="RE2 cannot compile pattern"):
        Pattern("\udc80")


@pytest.mark.parametrize(
    "pattern",
    ["(a{1000}){1000}", "(((a{10}){10}){10}){10}", r"\pL{1000}" * 20, "(" * 20_000 + ")" * 20_000],
    ids=["repeated", "nested", "letters", "groups"],
)
def test_size_has_an_end(pattern: str) -> None:
    with pytest.raises(ann.ParseError):
        Pattern(pattern)


def test_a_search_is_linear_as_well() -> None:
    begin = time.process_time()
    assert list(Pattern("(a*)*b").places("a" * 10_000)) == []
    found = Pattern("b|a|a+").places("c" * 10_000 + "aab")
    assert list(found) == [(10_000, 10_002), (10_002, 10_003)]
    assert time.process_time() - begin < 10


def test_many_matches_take_time_by_the_length_of_the_text() -> None:
    """A text that is encoded anew for each match would take half an hour."""
    begin = time.process_time()
    found = list(Pattern("(a)|(ü)b").places("aüb" * 100_000))
    assert found[-1] == (299_998, 300_000)
    assert len(found) == 200_000
    assert time.process_time() - begin < 30


def test_empty_matches_go_on() -> None:
    assert list(Pattern("b*").places("aübb")) == [(0, 0), (1, 1), (2, 4), (4, 4)]


@pytest.mark.parametrize(
    "pattern", ["(a*)*b", "((a+)+)+b", "(a|aa)+b", "(a|a?)+b", "(.*)(.*)(.*)b"]
)
def test_no_search_by_trial_and_error(pattern: str) -> None:
    """Python's ``re`` takes 2**n steps for the first of these, which would be centuries."""
    begin = time.process_time()
    assert not Pattern(pattern).matches("a" * 20_000)
    assert time.process_time() - begin < 10
