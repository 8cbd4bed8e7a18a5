"""Lays out what Sphinx reads: our pages as they stand in the repository, and those that are made of the program.

    stage.py SIDESTEP OUT

Pages keep their places (`docs/`, `rtl/README.md` …), so that their relative links hold. `docs/README.md` is the list of
pages: it becomes the site's start, `index.md`, its sections the toctrees, and each of its lists of names a page in
`docs/names/`. Made as well are `docs/reference/` and a page for each folder of notebooks. A file that did not change is
not written, so that a second build reads only what is new.
"""

import ast
import itertools
import posixpath
import sys
from pathlib import Path

import reference
from markdown import Section, folders, links, outline, relink, slug

ROOT = Path(__file__).resolve().parents[2]
LIST = "docs/README.md"
# Sections of the list that are toctrees by themselves. All others are lists of names.
CAPTIONS = ["Tutorials", "How-to", "Reference", "Explanation", "Papers"]
# Names of `sidestep list` that are not those of the folder.
KINDS = {"scheds": "schedulers"}
OWN_OF_PYTHON = ["object", "BaseException", "Exception", "KeyboardInterrupt", "OSError", "RuntimeError", "ValueError"]
OWN_OF_PYTHON += ["TypeError", "ImportError", "dict", "tuple", "list", "str", "int", "float", "Enum", "Protocol", "Generic"]


class Stage:
    """The pages under way to `out`."""

    def __init__(self, command: reference.Command, out: Path) -> None:
        self.command = command
        self.out = out
        self.written: set[Path] = set()
        self.names: dict[str, str] = {}
        self.list = outline(folders((ROOT / LIST).read_text(), pages_of))
        for group in self._groups():
            for section in (group, *group.parts):
                self.names["#" + slug(section.title)] = f"docs/names/{slug(section.title)}.md"

    def all(self) -> None:
        """Writes every page, and removes what is of an earlier call."""
        pages, files = self._reached()
        below = self._below()
        for page in pages:
            self._put(page, (ROOT / page).read_text() + toctree(below.get(page, [])))
        for file in files:
            self._put_bytes(file, (ROOT / file).read_bytes())
        notebooks = sorted(ROOT.glob("python/notebooks/*.ipynb"))
        for notebook in notebooks:
            self._put_bytes(notebook.relative_to(ROOT).as_posix(), notebook.read_bytes())
        for group in self._groups():
            self._name_page(group)
        self._put("docs/reference/keys.md", reference.keys_page(self.command))
        self._put("docs/reference/shipped.md", reference.shipped(self.command))
        self._put("docs/reference/measured.md", reference.measured(self.command))
        self._put("docs/reference/command.md", reference.help_page(self.command))
        self._put("docs/reference/python.md", python_page())
        self._put("index.md", self._index(bool(notebooks)))
        for path in self.out.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()

    def _groups(self) -> list[Section]:
        return [part for part in self.list.parts if part.title not in CAPTIONS]

    def _below(self) -> dict[str, list[str]]:
        """Pages that the list names beside another one in its line: they stand below it."""
        items = [item for part in self.list.parts for item in part.items]
        paths = [[posixpath.normpath("docs/" + link) for link in item] for item in items]
        return {first: ["/" + page for page in rest] for first, *rest in paths if rest}

    @staticmethod
    def _reached() -> tuple[list[str], list[str]]:
        """All pages in `docs/` and what they and the list link to, and so on; and files that are no pages."""
        to_read = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")]
        pages, files = set(to_read), set()
        while to_read:
            page = to_read.pop()
            for link in links((ROOT / page).read_text()):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(page), link))
                if not (ROOT / path).is_file() or path in pages or path == "README.md":
                    continue
                if path.endswith(".md"):
                    pages.add(path)
                    to_read.append(path)
                else:
                    files.add(path)
        return sorted(pages - {LIST}), sorted(files)

    def _put(self, page: str, text: str) -> None:
        here = posixpath.dirname(page)

        def to(path: str, anchor: str) -> str | None:
            if path == LIST:
                return posixpath.relpath(self.names.get(anchor, "index.md"), here)
            if path == "README.md":
                return posixpath.relpath("index.md", here)
            return None

        self._put_bytes(page, relink(text, page, to).encode())

    def _put_bytes(self, page: str, data: bytes) -> None:
        path = self.out / page
        self.written.add(path)
        if path.is_file() and path.read_bytes() == data:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def _name_page(self, section: Section) -> None:
        """A page for a list of names, and those for the lists below it."""
        entries = []
        for part in section.parts:
            if len(part.pages) == 1:
                entries.append("/docs/" + part.pages[0])
            else:
                entries.append(f"/{self.names['#' + slug(part.title)]}")
                self._name_page(part)
        entries += ["/docs/" + page for page in section.pages]
        page = self.names["#" + slug(section.title)]
        text = f"# {section.title}\n\n" + self._list_from(page, section.text)
        for part in section.parts:
            text += f"\n## {part.title}\n\n" + self._list_from(page, part.text)
        folder = posixpath.dirname(section.pages[0]) if section.pages else ""
        name = posixpath.basename(folder)
        name = KINDS.get(name, name)
        if name in self.command.kinds:
            intro = section.text.strip().split("\n- ")[0]
            intro = "" if intro.startswith("- ") else intro + "\n\n"
            text = f"# {section.title}\n\n{intro}" + reference.kind(self.command, name, f"../{folder}")
        self._put(page, text + toctree(entries))

    @staticmethod
    def _list_from(page: str, text: str) -> str:
        """Text of the list of pages, as it reads in `page`."""
        text = text.strip() + "\n"
        return relink(text, LIST, lambda path, anchor: posixpath.relpath(path, posixpath.dirname(page)) + anchor)

    def _index(self, notebooks: bool) -> str:
        text = f"# Sidestep\n\n{lede()}\n"
        placed: list[str] = []
        trees = ""
        for part in self.list.parts:
            if part.title not in CAPTIONS:
                continue
            entries = [posixpath.normpath("docs/" + page) for page in part.pages]
            # A page has one place in the menu, the first.
            entries = [page for page in entries if page not in placed]
            body = self._list_from("index.md", part.text).strip() + "\n"
            if part.title == "Reference":
                made = {
                    "keys": ("Keys of files", "every key with unit, default and meaning"),
                    "shipped": ("What is shipped", "schemes, scenarios, experiments, flow sizes"),
                    "measured": ("What is measured", "metrics, samples, reasons of drops"),
                    "command": ("The command", "the help of every part of it"),
                    "python": ("Python API", "the package `sidestep`"),
                }
                for name, (title, what) in made.items():
                    body += f"- [{title}](docs/reference/{name}.md): {what}\n"
                    entries.append(f"docs/reference/{name}.md")
                for group in self._groups():
                    page = self.names["#" + slug(group.title)]
                    below = ", ".join(below.title.lower() for below in group.parts)
                    body += f"- [{group.title}]({page})" + (f": {below}\n" if below else "\n")
                    entries.append(page)
            placed += entries
            text += f"\n## {part.title}\n\n{body}"
            trees += toctree(entries, part.title)
        # A page that the list forgets is found, if not where it belongs.
        named = {posixpath.normpath("docs/" + link) for g in self._groups() for s in (g, *g.parts) for link in s.pages}
        placed += [page.removeprefix("/") for below in self._below().values() for page in below]
        left = [page for page in self._reached()[0] if page not in placed and page not in named]
        if left:
            trees += toctree(left, "More")
        if notebooks:
            text += "\n## Notebooks\n\nThree to begin from, in `python/notebooks`; the menu has them.\n"
            trees += "\n```{toctree}\n:hidden:\n:caption: Notebooks\n:glob:\n\npython/notebooks/*\n```\n"
        return text + trees


def pages_of(folder: str) -> list[str]:
    """The names of the pages in a folder of `docs/`."""
    return sorted(path.name for path in (ROOT / "docs" / folder).glob("*.md"))


def lede() -> str:
    """What the README says first, up to its first link, heading or block."""
    paragraphs = (ROOT / "README.md").read_text().split("\n\n")[1:]
    first = itertools.takewhile(lambda text: not links(text) and not text.startswith(("#", "`")), paragraphs)
    return "\n\n".join(first) + "\n"


def toctree(entries: list[str], caption: str = "") -> str:
    """A hidden toctree; nothing for no entries."""
    if not entries:
        return ""
    said = f":caption: {caption}\n" if caption else ""
    lines = "".join(entry.removesuffix(".md") + "\n" for entry in dict.fromkeys(entries))
    return f"\n```{{toctree}}\n:hidden:\n{said}\n{lines}```\n"


def python_page() -> str:
    """The API: what the package exports, then what its public modules have beyond that."""
    package = ROOT / "python/sidestep"
    top = exported(package / "__init__.py")
    text = (
        "# Python API\n\n`import sidestep`, from `pip install ./python`. Made from the package: signatures, types and "
        "docstrings are those of the code.\n" + automodule("sidestep", top)
    )
    modules = [p for p in sorted(package.iterdir()) if (p.suffix == ".py" or (p / "__init__.py").is_file())]
    for path in modules:
        # `sidestep.run` is the function, and what else its file has is of no use to others.
        if path.stem.startswith("_") or (path.stem in top and path.is_file()):
            continue
        names = [name for name in exported(path if path.is_file() else path / "__init__.py") if name not in top]
        if names:
            text += f"\n## sidestep.{path.stem}\n" + automodule(f"sidestep.{path.stem}", names)
    return text


def automodule(module: str, names: list[str]) -> str:
    """Has autodoc document these names of a module."""
    return (
        f"\n```{{eval-rst}}\n.. automodule:: {module}\n   :members: {', '.join(names)}\n"
        # What a class has from a private one, but nothing of Python's own.
        f"   :inherited-members: {', '.join(OWN_OF_PYTHON)}\n"
        "   :imported-members:\n   :undoc-members:\n   :show-inheritance:\n```\n"
    )


def exported(path: Path) -> list[str]:
    """`__all__` of a module as it is written, or without one its public classes and functions."""
    body = ast.parse(path.read_text()).body
    for node in body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            return [str(name) for name in ast.literal_eval(node.value)]
    public = [node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    return [name for name in public if not name.startswith("_")]


if __name__ == "__main__":
    Stage(reference.Command(sys.argv[1]), Path(sys.argv[2])).all()
