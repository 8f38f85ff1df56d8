# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process around backends: its state, and labels of calls for crash reports."""
