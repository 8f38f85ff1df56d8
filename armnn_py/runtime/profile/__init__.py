# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Profiles of runs: times of layers, events and counters of backends, tables and timelines."""
