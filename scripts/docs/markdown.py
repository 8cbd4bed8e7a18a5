"""Markdown as our pages have it: fenced blocks, relative links, and the list of pages in `docs/README.md`.

Paths are those of the repository, with `/`, as `docs/reference/routes/ecmp.md`.
"""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

_FENCE = re.compile(r"^( *)(`{3,}|~{3,})(.*)$")
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(#[^)\s]*)?\)")


@dataclass
class Block:
    """A fenced block: line of its fence (from 1), language (empty without one), lines, comments above it, heading before it."""

    line: int
    language: str
    lines: list[str]
    marks: list[str]
    heading: str = ""

    @property
    def text(self) -> str:
        """What stands in it."""
        return "".join(line + "\n" for line in self.lines)


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order; `marks` are the comments right above, without `<!--` and `-->`.

    Raises ValueError for a fence without an end.
    """
    open_block: Block | None = None
    fence = indent = ""
    marks: list[str] = []
    heading = ""
    for number, line in enumerate(text.splitlines(), 1):
        found = _FENCE.match(line)
        if open_block is not None:
            if line.strip() == fence:
                yield open_block
                open_block, marks = None, []
            else:
                open_block.lines.append(line.removeprefix(indent))
        elif found:
            indent, fence, language = found.groups()
            open_block = Block(number, language.strip(), [], marks, heading)
        elif line.lstrip().startswith("<!--") and line.rstrip().endswith("-->"):
            marks.append(line.strip()[4:-3].strip())
        elif line.strip():
            marks = []
            heading = line if line.startswith("#") else heading
    if open_block is not None:
        raise ValueError(f"line {open_block.line}: a block without an end")


def relink(text: str, page: str, to: Callable[[str, str], str | None]) -> str:
    """The text of `page` with `to(path, anchor)` in the place of each relative link; None leaves it.

    `path` is the link's, from the root of the repository; the anchor is empty or begins with `#`.
    """

    def other(link: re.Match[str]) -> str:
        if not link[1]:
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[1]))
        new = to(path, link[2] or "")
        return link[0] if new is None else f"]({new})"

    return _LINK.sub(other, text)


def links(text: str) -> list[str]:
    """The paths of all relative links, as written, without anchors."""
    return [link[1] for link in _LINK.finditer(text) if link[1]]


def folders(text: str, files: Callable[[str], list[str]]) -> str:
    """The list of pages with a line for each of `files(folder)` below the section that links to the folder, without that link.

    A page that the text names itself gets no other line.
    """
    named = set(links(text))

    def whole(section: str) -> str:
        found = [link for link in links(section) if link.endswith("/")]
        section = re.sub(r"\[([^]]*)\]\([^)]*/\)", r"\1", section)
        pages = [folder + name for folder in found for name in files(folder) if folder + name not in named]
        lines = "".join(f"- [{posixpath.basename(page).removesuffix('.md')}]({page})\n" for page in pages)
        return section.rstrip("\n") + "\n\n" + lines + "\n" if lines else section

    return "".join(whole(part) for part in re.split(r"^(?=##)", text, flags=re.M))


def slug(heading: str) -> str:
    """The anchor of a heading, as forges make it."""
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")


@dataclass
class Section:
    """A heading, what stands below it up to the next heading, and the sections below that."""

    title: str
    text: str = ""
    parts: list["Section"] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """The first link to a page of each line of a list, in order, each once."""
        return list(dict.fromkeys(item[0] for item in self.items))

    @property
    def items(self) -> list[list[str]]:
        """The links to pages of each line of a list, each once; lines without one left out."""
        found = [links(line) for line in re.split(r"^- ", self.text, flags=re.M)]
        pages = [list(dict.fromkeys(path for path in item if path.endswith(".md"))) for item in found]
        return [item for item in pages if item]


def outline(text: str) -> Section:
    """A page of up to three levels of headings as a tree."""
    root = Section("")
    stack = [root]
    for line in text.splitlines():
        found = re.match(r"(#{1,3}) (.*)", line)
        if found:
            level = len(found[1])
            section = Section(found[2])
            del stack[level:]
            stack[-1].parts.append(section)
            stack.append(section)
        else:
            stack[-1].text += line + "\n"
    return root.parts[0]
