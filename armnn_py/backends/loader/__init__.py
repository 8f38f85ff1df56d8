# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""From folders to loaded backends: each step of the search, its rules and its verdict.

The probe in another process is in `probe`, trust in files in `trust`.
"""
