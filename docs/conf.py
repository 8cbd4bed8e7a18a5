"""The documentation site. `make docs` builds it: scripts/docs.sh lays out what Sphinx reads, in target/docs/source."""

import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "scripts/docs")]

import accessible  # noqa: E402
import api  # noqa: E402

project = "Sidestep"
author = "the Sidestep contributors"
project_copyright = "the Sidestep contributors"
html_title = "Sidestep"
root_doc = "index"
# "50 us" is what stands in a file.
smartquotes = False
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["**/.ipynb_checkpoints"]

# Pages are read on a forge too: its anchors, its kinds of blocks, and no extension that it does not know.
myst_heading_anchors = 4
# A type `bytes` is Python's, whatever attributes of that name classes have.
suppress_warnings = ["myst.header"]

# Notebooks as they are committed; one without outputs is run, with the package of this checkout.
os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
nb_execution_mode = "auto"
nb_execution_timeout = 300
nb_execution_raise_on_error = True

# Everything is on the page or beside it: system fonts, our own style, no script from elsewhere.
html_theme = "furo"
html_static_path = ["site"]
html_css_files = ["site.css"]
html_search_scorer = str(ROOT / "docs/site/scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-code-background": "#f4f6f8"},
    "dark_css_variables": {"color-code-background": "#1f2328"},
}
pygments_style = "xcode"
pygments_dark_style = "github-dark"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
# What stands between backticks in a docstring is code.
default_role = "code"
# Types of Python itself would need a network, those of private modules have no page. All other links lead somewhere.
nitpick_ignore_regex = [("py:.*", ".*")]

# Optional extras that are not installed here. Their modules stand in for themselves.
OPTIONAL = ["altair", "dask", "distributed", "duckdb", "fsspec", "IPython", "matplotlib", "numpy", "pandas", "polars"]
OPTIONAL += ["pyarrow", "ray", "s3fs", "submitit"]
autodoc_mock_imports = [name for name in OPTIONAL if importlib.util.find_spec(name) is None]

api.sections_of_callables_alone()
api.stand_in()


def setup(app: Any) -> None:
    """Blocks of kinds that Pygments has no lexer for: what a query answered."""
    from pygments.lexers.special import TextLexer

    app.add_lexer("answer", TextLexer)
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-signature", api.signature)
    app.connect("autodoc-process-docstring", api.docstring)
    app.connect("doctree-read", api.own_of_python)
    app.connect("build-finished", lambda app, error: None if error else accessible.mend(Path(app.outdir)))
