# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The worker of an isolated backend: a runtime of its own, with that one backend.

`armnn_py.isolation` starts it. It answers the messages of the host and runs what the host asks for,
until the host goes.
"""
