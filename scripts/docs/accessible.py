"""Mends what the theme leaves for readers without a mouse or a picture of the page."""

import re
from pathlib import Path

# What the theme writes, and what it should be. None of the new texts has an old one in it: a page is mended once.
MENDS = [
    # A caption of the menu is a heading, and a heading has a level.
    (r'<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    # Two landmarks of a kind have names.
    (r'<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="pages">'),
    (r'<aside class="toc-drawer( no-toc)?">', r'<aside class="toc-drawer\1" aria-label="on this page">'),
    # What scrolls sideways can be reached and scrolled by keyboard.
    (r'<div class="(table-wrapper [^"]*)">', r'<div tabindex="0" class="\1">'),
    (r"<div class=\"highlight\"><pre>", '<div class="highlight"><pre tabindex="0">'),
]


def mend(root: Path) -> None:
    """Rewrites the built pages below `root`, and has the search ask for no excerpts where a browser refuses them."""
    options = root / "_static/documentation_options.js"
    excerpts = "SHOW_SEARCH_SUMMARY: location.protocol !== 'file:'"
    options.write_text(options.read_text().replace("SHOW_SEARCH_SUMMARY: true", excerpts))
    for path in root.rglob("*.html"):
        text = path.read_text()
        new = text
        for old, better in MENDS:
            new = re.sub(old, better, new)
        if new != text:
            path.write_text(new)
