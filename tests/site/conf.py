# SPDX-License-Identifier: GPL-2.0-only
"""Settings of Sphinx for `make docs`"""

project = "ZIO"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]
highlight_language = "none"
html_theme = "sphinx_rtd_theme"
html_theme_options = {"navigation_depth": 2, "prev_next_buttons_location": None}
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
# A page that was opened as a file may not read others to quote them.
html_show_search_summary = False
