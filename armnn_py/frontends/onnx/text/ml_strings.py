# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Operators that compute with numbers and have strings at an end, taken apart as a file is read.

A classifier with labels that are strings becomes one whose labels are their places, and a
CategoryMapper that makes strings of these: only that runs outside of the backends. A OneHotEncoder
and a TfIdfVectorizer of strings get a CategoryMapper before them that makes numbers of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from armnn_py.frontends.common.unique_names import unique_name
from armnn_py.frontends.onnx.file.graph_node import Node

_ML = "ai.onnx.ml"
#: By operator: the attribute with labels that are numbers.
_CLASSIFIERS = {
    "LinearClassifier": "classlabels_ints",
    "SVMClassifier": "classlabels_ints",
    "TreeEnsembleClassifier": "classlabels_int64s",
}
#: By domain and operator: the attribute with strings, and that with numbers.
_POOLS = {
    ("", "TfIdfVectorizer"): ("pool_strings", "pool_int64s"),
    (_ML, "OneHotEncoder"): ("cats_strings", "cats_int64s"),
}


def with_numbers(nodes: Sequence[Node]) -> list[Node]:
    """Return nodes of which none both computes and has strings; the others as they are."""
    if not any(_strings_of(node) for node in nodes):
        return list(nodes)
    taken = {name for node in nodes for name in (*node.reads, *node.outputs, node.name)}
    found: list[Node] = []
    for node in nodes:
        texts = _strings_of(node)
        if not texts:
            found.append(node)
        elif node.op_type in _CLASSIFIERS:
            found += _with_places(node, texts, taken)
        else:
            found += _with_places_of_a_pool(node, texts, taken)
    return [node.changed(index=index) for index, node in enumerate(found)]


def _strings_of(node: Node) -> list[str]:
    """Return the strings of a node that is to be taken apart; those of a damaged one stay."""
    texts, numbers = None, None
    if node.domain == _ML and node.op_type in _CLASSIFIERS:
        texts = node.attributes.get("classlabels_strings")
        numbers = node.attributes.get(_CLASSIFIERS[node.op_type])
    elif (node.domain, node.op_type) in _POOLS:
        of_texts, of_numbers = _POOLS[node.domain, node.op_type]
        texts, numbers = node.attributes.get(of_texts), node.attributes.get(of_numbers)
    has_numbers = numbers is not None and not (isinstance(numbers, list) and not numbers)
    if has_numbers or not isinstance(texts, list) or not all(isinstance(x, str) for x in texts):
        return []
    return texts


def _with_places(node: Node, labels: list[str], taken: set[str]) -> Iterable[Node]:
    attributes = dict(node.attributes)
    del attributes["classlabels_strings"]
    places = list(range(len(labels)))
    attributes[_CLASSIFIERS[node.op_type]] = places
    if not node.outputs or not node.outputs[0]:
        return [node.changed(attributes=attributes)]
    label, *rest = node.outputs
    place = unique_name(f"{label}/place", taken)
    mapper = _mapper(unique_name(f"{node.name}/labels", taken), place, label, labels, places)
    return [node.changed(attributes=attributes, outputs=(place, *rest)), mapper]


def _with_places_of_a_pool(node: Node, texts: list[str], taken: set[str]) -> Iterable[Node]:
    of_texts, of_numbers = _POOLS[node.domain, node.op_type]
    places: dict[str, int] = {}
    for text in texts:
        places.setdefault(text, len(places))
    attributes = dict(node.attributes)
    del attributes[of_texts]
    attributes[of_numbers] = [places[text] for text in texts]
    given = node.inputs[0] if node.inputs else ""
    place = unique_name(f"{given}/place", taken)
    name = unique_name(f"{node.name}/places", taken)
    mapper = _mapper(name, given, place, list(places), list(places.values()))
    return [mapper, node.changed(attributes=attributes, inputs=(place, *node.inputs[1:]))]


def _mapper(name: str, given: str, made: str, texts: list[str], numbers: list[int]) -> Node:
    """Return the node between strings and numbers; an unknown string is -1."""
    attributes = {"cats_strings": texts, "cats_int64s": numbers, "default_int64": -1}
    return Node(
        index=0, name=name, domain=_ML, op_type="CategoryMapper", inputs=(given,), outputs=(made,),
        attributes=attributes,
    )  # fmt: skip
