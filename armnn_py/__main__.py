# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""``python -m armnn_py`` is the command ``armnn-py``."""

from __future__ import annotations

import sys

from armnn_py_command import main

if __name__ == "__main__":
    sys.exit(main())
