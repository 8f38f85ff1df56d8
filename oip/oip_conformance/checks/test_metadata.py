# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Health, metadata and versions over HTTP."""

from __future__ import annotations

import pytest

from oip_conformance.client import Model, Rest, expect, read_model
from oip_conformance.tensors import same

NO_MODEL = "no_such_model_of_this_server"
NO_VERSION = "no-such-version"


@pytest.mark.parametrize("kind", ["live", "ready"])
def test_server_health(rest: Rest, kind: str) -> None:
    """A healthy server answers 200. (REST: Server Live, Server Ready.)"""
    status = rest.get(f"/health/{kind}").status
    expect(status == 200, f"status {status} instead of 200")


def test_model_ready(rest: Rest, model: Model) -> None:
    """A loaded model is ready: 200. (REST: Model Ready.)"""
    status = rest.get(f"/models/{model.name}/ready").status
    expect(status == 200, f"status {status} instead of 200")


def test_model_ready_names_the_model(rest: Rest, any_model: Model) -> None:
    """The response holds the model's name and readiness. (REST: Model Ready Response.)"""
    document = rest.get(f"/models/{any_model.name}/ready").document()
    expect(document.get("name") == any_model.name, f"'name' is {document.get('name')!r}")
    expect(document.get("ready") is True, f"'ready' is {document.get('ready')!r}")


def test_unknown_model_is_not_ready(rest: Rest) -> None:
    """A model that is not there has an error status. (REST: Model Ready.)"""
    status = rest.get(f"/models/{NO_MODEL}/ready").status
    expect(status >= 400, f"status {status} instead of an error")


def test_server_metadata(rest: Rest) -> None:
    """Name and version are strings, extensions a list of strings. (REST: Server Metadata.)"""
    document = rest.get("").document()
    for key in ("name", "version"):
        expect(isinstance(document.get(key), str), f"{key!r} is {document.get(key)!r}")
    extensions = document.get("extensions")
    right = isinstance(extensions, list) and all(isinstance(one, str) for one in extensions)
    expect(right, f"'extensions' is {extensions!r}, not a list of strings")


def test_model_metadata(rest: Rest, model: Model) -> None:
    """The metadata have the model's own name, and tensors. (REST: Model Metadata Response.)"""
    found = read_model(rest.get(f"/models/{model.name}").document())
    expect(found == model, f"the metadata changed between two requests: {found} and {model}")
    expect(model.outputs, "the model has no outputs")


def test_metadata_of_an_unknown_model(rest: Rest) -> None:
    """An error object tells of it. (REST: Model Metadata Response JSON Error Object.)"""
    rest.get(f"/models/{NO_MODEL}").error()


def test_metadata_of_an_unknown_version(rest: Rest, any_model: Model) -> None:
    """An error object tells of it. (REST: Model Metadata Response JSON Error Object.)"""
    rest.get(f"/models/{any_model.name}/versions/{NO_VERSION}").error()


def test_each_version_has_its_paths(rest: Rest, model: Model) -> None:
    """Each listed version may be requested. (REST: Model Metadata Response, "versions".)"""
    if not model.versions:
        pytest.skip("the metadata list no versions, which are optional")
    for version in model.versions:
        path = f"/models/{model.name}/versions/{version}"
        found = read_model(rest.get(path).document())
        expect(found.name == model.name, f"version {version} has the name {found.name!r}")
        status = rest.get(f"{path}/ready").status
        expect(status == 200, f"version {version} has the ready status {status}")


def test_each_version_infers(rest: Rest, any_model: Model) -> None:
    """Each listed version answers, and names itself. (REST: Inference, "model_version".)"""
    if not any_model.versions:
        pytest.skip("the metadata list no versions, which are optional")
    arrays = any_model.arrays()
    document, _ = any_model.request(arrays)
    for version in any_model.versions:
        answer = rest.post(any_model.name, document, version=version)
        if len(any_model.versions) == 1:
            first, given = rest.infer(any_model, arrays), answer.outputs(any_model)
            expect(all(same(first[name], given[name]) for name in first), "the answers differ")
        stated = answer.document().get("model_version", version)
        expect(stated == version, f"'model_version' is {stated!r} instead of {version!r}")
