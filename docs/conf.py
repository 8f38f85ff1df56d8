# SPDX-FileCopyrightText: armnn_py contributors
# SPDX-License-Identifier: MIT
"""The documentation as a site: the pages of this folder, and the Python API from its docstrings.

``sphinx-build -W docs build/docs``
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import armnn_py

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "armnn_py"
author = "armnn_py contributors"
copyright = "armnn_py contributors"
version = release = armnn_py.__version__

extensions = ["sphinx.ext.autodoc", "numpydoc", "myst_parser"]
root_doc = "index"
html_theme = "furo"
html_title = f"armnn_py {version}"

default_role = "py:obj"  # `Network` in a docstring
autodoc_default_options = {"members": True}
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 80
numpydoc_show_class_members = False
add_module_names = False

myst_heading_anchors = 3


def _cut_links_into_the_repository(app: Sphinx, name: str, source: list[str]) -> None:
    """Keep only the text of links that lead out of this folder: the site has no such files."""
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", source[0])


def setup(app: Sphinx) -> None:
    """Register what the pages need beside the extensions."""
    app.connect("source-read", _cut_links_into_the_repository)
