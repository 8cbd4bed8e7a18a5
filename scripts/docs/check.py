"""Looks at the built site: it loads nothing from elsewhere, each link to a page of its own leads somewhere, and its search
names the pages that explain a word before the changelog.

    check.py HTML

Links that a reader may follow to other sites are fine; scripts, styles, fonts, pictures and frames are not.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes whose address a browser loads by itself; of `link` those with these relations.
LOADED = {
    ("audio", "src"),
    ("embed", "src"),
    ("iframe", "src"),
    ("image", "href"),
    ("img", "src"),
    ("img", "srcset"),
    ("input", "src"),
    ("object", "data"),
    ("script", "src"),
    ("source", "src"),
    ("source", "srcset"),
    ("track", "src"),
    ("use", "href"),
    ("video", "src"),
    ("video", "poster"),
}
IGNORED_LINKS = {"author", "canonical", "help", "index", "license", "next", "prev", "search"}
_STYLE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:https?:)?//[^'")\s]+)""")
# What a script asks a network for. Sphinx's own has one way to load: a file of this site by its path.
_SCRIPT = re.compile(r"""(?:import\s*\(?\s*|from\s+|fetch\(\s*|importScripts\(\s*|\.src\s*=\s*)['"`]((?:https?:)?//[^'"`]+)""")


class Page(HTMLParser):
    """The addresses, links and anchors of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collects what the tag loads or links to."""
        self._in = tag
        found = {name: value or "" for name, value in attrs}
        self.anchors.update(found[name] for name in ("id", "name") if name in found)
        for name, value in found.items():
            if (tag, name) in LOADED:
                self.loaded.append(value)
            if name == "style":
                self.loaded += _STYLE.findall(value)
        if tag == "link" and not set(found.get("rel", "").split()) & IGNORED_LINKS:
            self.loaded.append(found.get("href", ""))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])

    def handle_data(self, data: str) -> None:
        """Scripts and styles on the page itself."""
        if self._in == "style":
            self.loaded += _STYLE.findall(data)
        if self._in == "script":
            self.loaded += _SCRIPT.findall(data)

    def handle_endtag(self, tag: str) -> None:
        """What follows is of the tag around."""
        self._in = ""


def elsewhere(address: str) -> bool:
    """Whether it is of another place than the site's folder."""
    parts = urlsplit(address.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def loaded_from_elsewhere(root: Path) -> Iterator[str]:
    """A complaint for each thing that a browser would fetch from a network."""
    for path in sorted(root.rglob("*")):
        found: list[str] = []
        if path.suffix == ".html":
            found = Page(path.read_text()).loaded
        elif path.suffix in (".css", ".svg"):
            found = _STYLE.findall(path.read_text())
        elif path.suffix in (".js", ".mjs"):
            found = _SCRIPT.findall(path.read_text())
        for address in found:
            if elsewhere(address):
                yield f"{path.relative_to(root)} loads {address}"


def broken_links(root: Path) -> Iterator[str]:
    """A complaint for each link to a file or an anchor of the site that is not there."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    for path, page in pages.items():
        for link in page.links:
            if elsewhere(link):
                continue
            parts = urlsplit(link)
            to = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not to.exists():
                yield f"{path.relative_to(root.resolve())} links to {link}, which is not there"
            elif to in pages and unquote(parts.fragment) not in pages[to].anchors:
                yield f"{path.relative_to(root.resolve())} links to {link}: no such anchor"


# Words that the changelog has, and a page that explains each.
EXPLAINED = {
    "detour": "docs/papers/dibs",
    "marking": "docs/reference/buffers",
    "executor": "docs/how-to/scaling",
    "pause": "docs/reference/switches",
    "vectors": "docs/reference/vectors",
    "recording": "docs/reference/recording",
    "transport": "docs/reference/scenarios",
}


def badly_ranked(found: dict[str, list[str]]) -> Iterator[str]:
    """A complaint for each word for which the search names the changelog before another page, or no page that explains it."""
    for word, pages in found.items():
        if not any(page.startswith(EXPLAINED[word]) for page in pages):
            yield f"a search for {word!r} finds no page of {EXPLAINED[word]}"
        if pages and pages[0].startswith("docs/names/"):
            yield f"a search for {word!r} names a list, {pages[0]}, before all that explains"
        if "CHANGELOG" in pages[:-1]:
            behind = ", ".join(pages[pages.index("CHANGELOG") + 1 :][:3])
            yield f"a search for {word!r} names the changelog before {behind}"


def searched(root: Path) -> dict[str, list[str]]:
    """The pages that the site's own search finds for each of the words, best first; nothing without Node."""
    node = shutil.which("node")
    if node is None:
        print("skipped: how the site's search ranks: node is missing (Debian: apt-get install nodejs)")
        return {}
    command = [node, str(Path(__file__).with_name("search.cjs")), str(root), *EXPLAINED]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def main() -> int:
    """Prints complaints; the exit status."""
    root = Path(sys.argv[1])
    wrong = [*loaded_from_elsewhere(root), *broken_links(root), *badly_ranked(searched(root))]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{sum(1 for _ in root.rglob('*.html'))} pages load nothing from elsewhere" if not wrong else f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
