# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""Cases for a machine without Python, and the verdict on what came out there."""
