# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The C library and the tables of backends, through ctypes; no other package imports ctypes."""
