# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The options of pytest, the fixtures of the checks, and which models each check runs on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from oip_conformance.client import Model, Rest

CHECKS = Path(__file__).parent / "checks"
_SERVER = pytest.StashKey["Server"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("oip", "conformance with the Open Inference Protocol v2")
    group.addoption("--oip", metavar="URL", help="check the server at this address")
    group.addoption("--oip-grpc", metavar="HOST:PORT", help="check its gRPC side as well")
    group.addoption(
        "--oip-model", metavar="NAME", action="append", default=[],
        help="check with this model (may be repeated; default: all of the repository index)",
    )  # fmt: skip
    group.addoption(
        "--oip-extension", metavar="NAME", action="append", default=[],
        help="check this extension although the server metadata does not name it",
    )  # fmt: skip
    group.addoption(
        "--oip-timeout", metavar="SECONDS", type=float, default=30.0, help="limit of a request"
    )


class Server:
    """What is known of the server when the checks are collected."""

    def __init__(self, config: pytest.Config) -> None:
        import httpx

        from oip_conformance.client import Rest, read_model

        url = config.getoption("--oip")
        self.rest = Rest(url, config.getoption("--oip-timeout"))
        try:
            names = config.getoption("--oip-model") or self.rest.served()
            if not names:
                raise pytest.UsageError(
                    f"--oip {url}: the server has no repository index; name a model: --oip-model"
                )
            self.extensions = {*self.rest.extensions(), *config.getoption("--oip-extension")}
            self.models = [read_model(self.rest.get(f"/models/{one}").document()) for one in names]
        except (httpx.HTTPError, AssertionError) as error:
            raise pytest.UsageError(f"--oip {url}: {error}") from None

    @property
    def any_model(self) -> Model:
        """A model with inputs that JSON can express: one of FP32 where there is one."""
        fit = [one for one in self.models if one.inputs and not one.only_raw]
        if not fit:
            raise pytest.UsageError("no served model has inputs with a JSON form")
        return min(fit, key=lambda one: one.inputs[0].datatype != "FP32")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the checks unless the command line names files."""
    if not config.getoption("--oip"):
        return
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args = [str(CHECKS)]
    config.stash[_SERVER] = Server(config)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the checks alone without a server."""
    inside = CHECKS in (collection_path, *collection_path.parents)
    return True if inside and not config.getoption("--oip") else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run checks with the argument ``model`` on each model."""
    if "model" not in metafunc.fixturenames or _SERVER not in metafunc.config.stash:
        return
    models = metafunc.config.stash[_SERVER].models
    metafunc.parametrize("model", models, ids=[one.name for one in models])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Show what a failed check checks, and the protocol's section."""
    report = yield
    if report.failed and _SERVER in item.config.stash:
        words = getattr(getattr(item, "function", None), "__doc__", None)
        report.sections.append(("protocol", words or item.name))
    return report


def _server(request: pytest.FixtureRequest) -> Server:
    return request.config.stash[_SERVER]


@pytest.fixture
def rest(request: pytest.FixtureRequest) -> Rest:
    """Give the HTTP side of the server."""
    return _server(request).rest


@pytest.fixture
def any_model(request: pytest.FixtureRequest) -> Model:
    """Give one model for checks that need no more."""
    return _server(request).any_model


@pytest.fixture
def binary(request: pytest.FixtureRequest) -> None:
    """Skip unless the server has the binary tensor data extension."""
    extensions = _server(request).extensions
    if not any("binary_tensor" in one for one in extensions):
        pytest.skip(f"the server metadata names no binary tensor extension: {sorted(extensions)}")


@pytest.fixture(scope="session")
def grpc(request: pytest.FixtureRequest) -> Any:
    """Give the gRPC side of the server."""
    address = request.config.getoption("--oip-grpc")
    if not address:
        pytest.skip("the gRPC side is not checked without --oip-grpc")
    pytest.importorskip("grpc", reason="the package grpcio is not installed")
    pytest.importorskip("open_inference.grpc", reason="open-inference-grpc is not installed")
    from oip_conformance.rpc import Rpc

    side = Rpc(address, request.config.getoption("--oip-timeout"))
    yield side
    side.close()
