# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Devices that backends reported lost through ``device_lost`` of the host."""

from __future__ import annotations

import ctypes

from armnn_py._native import abi
from armnn_py._native.library import core

__all__ = ["forget_device", "lost_reason"]


def lost_reason(instance: int) -> str | None:
    """The first reason that a backend instance gave, or None while its device is there."""
    text = ctypes.create_string_buffer(512)
    backend = ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t))
    if not core().armnn_core_device_lost(backend, text, len(text)):
        return None
    return text.value.decode("utf-8", "replace") or "no reason given"


def forget_device(instance: int) -> None:
    """Forget a destroyed instance: another one may get the same address."""
    core().armnn_core_forget_device(ctypes.cast(instance, ctypes.POINTER(abi.armnn_backend_t)))
