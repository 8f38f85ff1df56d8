# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Checks of one execute: its memory, and the process around it.

The conformance kit makes them with layers of its own, guarded runs with those of a user's network.
"""
