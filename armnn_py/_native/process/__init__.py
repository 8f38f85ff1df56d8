# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The process around backends: its state, its children, crash reports and the watchdog."""
