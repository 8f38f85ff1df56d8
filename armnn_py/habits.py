# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Names of ONNX Runtime, OpenVINO and LiteRT, and what is written here instead.

Only looked up when a name does not exist, so that a mistake costs a line and a run nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sized

_ORT, _OPENVINO, _LITERT = "ONNX Runtime's", "OpenVINO's", "LiteRT's"
_RUN = "run(feed), which returns a dict of arrays by the names of outputs"
_INPUTS = "inputs, a dict of infos by name: network.inputs['x'].shape"
_OUTPUTS = "outputs, a dict of infos by name: network.outputs['y'].shape"

#: By the place where a name was looked for: whose it is, and what it is here.
_HABITS: dict[str, dict[str, tuple[str, str]]] = {
    "armnn_py": {
        "InferenceSession": (_ORT, "load(path)"),
        "SessionOptions": (_ORT, "the arguments of load, as threads= and options="),
        "RunOptions": (_ORT, "the arguments of run, as timeout= and cancel="),
        "OrtValue": (_ORT, "an array; network.bind() keeps arrays from run to run"),
        "get_available_providers": (_ORT, "Runtime().backends"),
        "get_all_providers": (_ORT, "Runtime().backends"),
        "get_device": (_ORT, "Runtime().backends"),
        "Core": (_OPENVINO, "Runtime()"),
        "compile_model": (_OPENVINO, "load(path)"),
        "read_model": (_OPENVINO, "import_model(path)"),
        "convert_model": (_OPENVINO, "import_model(path)"),
        "save_model": (_OPENVINO, "OptimizedNetwork.save(path)"),
        "Interpreter": (_LITERT, "load(path)"),
        "CompiledModel": (_LITERT, "load(path)"),
        "load_delegate": (_LITERT, "a backend: Runtime([folder]) finds its file"),
    },
    "LoadedNetwork": {
        "get_inputs": (_ORT, _INPUTS),
        "get_outputs": (_ORT, _OUTPUTS),
        "get_modelmeta": (_ORT, "metadata"),
        "get_providers": (_ORT, "assignment, which has the backend of each layer"),
        "io_binding": (_ORT, "bind()"),
        "run_with_iobinding": (_ORT, "bind().run()"),
        "run_with_ort_values": (_ORT, _RUN),
        "run_async": (_ORT, "asyncio.to_thread(network.run, feed)"),
        "end_profiling": (_ORT, "with network.profile() as profile"),
        "infer": (_OPENVINO, _RUN),
        "infer_new_request": (_OPENVINO, _RUN),
        "create_infer_request": (_OPENVINO, "bind()"),
        "start_async": (_OPENVINO, "asyncio.to_thread(network.run, feed)"),
        "export_model": (_OPENVINO, "OptimizedNetwork.save(path)"),
        "query_state": (_OPENVINO, "state"),
        "get_runtime_model": (_OPENVINO, "assignment"),
        "input": (_OPENVINO, _INPUTS),
        "output": (_OPENVINO, _OUTPUTS),
        "allocate_tensors": (_LITERT, "done by load: leave it out"),
        "set_tensor": (_LITERT, _RUN),
        "get_tensor": (_LITERT, _RUN),
        "invoke": (_LITERT, _RUN),
        "resize_tensor_input": (_LITERT, "load(path, shapes={name: shape}), or any shape in run"),
        "get_input_details": (_LITERT, _INPUTS),
        "get_output_details": (_LITERT, _OUTPUTS),
        "get_tensor_details": (_LITERT, "import_model(path).layers"),
        "get_signature_runner": (_LITERT, "load(path, signature=key).run(feed)"),
        "get_signature_list": (_LITERT, "import_model(path, signature=key)"),
        "reset_all_variables": (_LITERT, "reset_state()"),
    },
    "load()": {
        "providers": (_ORT, "backends=['CpuAcc']; default: all, best first"),
        "provider_options": (_ORT, "model_options={backend: {name: value}}"),
        "sess_options": (_ORT, "arguments of load, as threads= and options="),
        "disabled_optimizers": (_ORT, "options=OptimizerOptions(disabled_passes=...)"),
        "device_name": (_OPENVINO, "backends=['CpuAcc']; default: all, best first"),
        "config": (_OPENVINO, "model_options={backend: {name: value}}"),
        "model_path": (_LITERT, "the first argument: load(path)"),
        "model_content": (_LITERT, "the first argument: load(data)"),
        "num_threads": (_LITERT, "threads="),
        "experimental_delegates": (_LITERT, "backends=['CpuAcc']; default: all, best first"),
    },
    "run()": dict.fromkeys(
        ("", "output_names", "input_feed", "run_options"), (_ORT, "run(feed, outputs=names)")
    ),
}
_CALLS = {"run()": "run(names, feed)"}


def missing_attribute(owner: str, name: str, subject: object) -> AttributeError:
    """Return the error for a name that an object or package lacks, with a hint if it is known."""
    what = f"module '{owner}'" if owner == "armnn_py" else f"'{owner}' object"
    text = f"{what} has no attribute '{name}'" + _hint(owner, name)
    return AttributeError(text, name=name, obj=subject)


def unexpected_arguments(owner: str, names: Iterable[str], positional: Sized = ()) -> TypeError:
    """Return the error for arguments that a function does not take.

    Parameters
    ----------
    owner
        The function, as ``"run()"``.
    names
        Its unknown keyword arguments.
    positional
        Those behind the first, which is the only one that it takes without a name.
    """
    if positional:
        count = len(positional) + 1
        return TypeError(f"{owner} takes 1 positional argument, {count} given" + _hint(owner, ""))
    name = next(iter(names))
    return TypeError(f"{owner} got an unexpected keyword argument '{name}'" + _hint(owner, name))


def _hint(owner: str, name: str) -> str:
    found = _HABITS[owner].get(name)
    if found is None:
        return ""
    whose, here = found
    called = _CALLS.get(owner, name)
    return f"\nhint: {whose} {called} is here {here}"
