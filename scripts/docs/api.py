"""What autodoc is told about the Python package.

A compiled module has no types: they come from its stubs. Where the module is not built, its stubs stand in for it: names
and types, without words.
"""

import ast
import builtins
import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from typing import Any

import sphinx.ext.napoleon
from docutils import nodes
from sphinx import addnodes

PACKAGE = Path(__file__).resolve().parents[2] / "python/sidestep"
STUBS = PACKAGE / "_native.pyi"


class Stubs:
    """What the stubs say: `name` or `Class.name` to (arguments, type)."""

    def __init__(self, text: str) -> None:
        self.said: dict[str, tuple[str | None, str]] = {}
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef):
                for member in node.body:
                    self._take(member, node.name)
            else:
                self._take(node, "")

    def _take(self, node: ast.stmt, owner: str) -> None:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self.said[f"{owner}.{node.target.id}".lstrip(".")] = (None, ast.unparse(node.annotation))
        if not isinstance(node, ast.FunctionDef):
            return
        kinds = {ast.unparse(one) for one in node.decorator_list}
        returns = ast.unparse(node.returns) if node.returns else ""
        if "staticmethod" not in kinds and owner:
            first = node.args.posonlyargs or node.args.args
            del first[:1]
        args = None if "property" in kinds else f"({ast.unparse(node.args)})"
        name = owner if node.name in ("__init__", "__new__") and owner else f"{owner}.{node.name}".lstrip(".")
        self.said[name] = (args, "" if name == owner else returns)


_stubs = Stubs(STUBS.read_text())


def _of(name: str, what: Any) -> tuple[str | None, str] | None:
    """What the stubs say of a documented name, if it is the native module's; `what` is the thing itself."""
    module = getattr(what, "__module__", None) or getattr(getattr(what, "__objclass__", None), "__module__", None)
    if hasattr(what, "__code__") or not (module or "").startswith(("sidestep", "builtins")):
        return None
    return _stubs.said.get(name.removeprefix("sidestep.").removeprefix("_native."))


def signature(app: Any, kind: str, name: str, what: Any, options: Any, args: str | None, returns: str | None) -> Any:
    """For autodoc: arguments and type of a function, method or class, as the stubs have them."""
    found = _of(name, what)
    return (found[0], found[1] or None) if found and found[0] is not None else None


def docstring(app: Any, kind: str, name: str, what: Any, options: Any, lines: list[str]) -> None:
    """For autodoc: the type of a property, before its words, and examples between fences as blocks of code."""
    lines[:] = fences(lines)
    found = _of(name, what)
    if found and found[0] is None:
        lines[:1] = [f"``{found[1]}``" + (f": {lines[0]}" if lines and lines[0] else "")]


def fences(lines: list[str]) -> list[str]:
    """What stands between ``` and ``` is Markdown's, as everywhere in this project; Sphinx reads another language here."""
    made: list[str] = []
    inside = False
    for line in lines:
        word = line.strip()
        if word.startswith("```"):
            inside = not inside
            made += ["", f".. code-block:: {word[3:] or 'text'}", ""] if inside else [""]
        else:
            made.append(f"   {line}" if inside and line else line)
    return made


def own_of_python(app: Any, doctree: Any) -> None:
    """For `doctree-read`: `bytes` in a signature is Python's, and no link to an attribute of ours that is called so."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        if link.get("refdomain") == "py" and link.get("reftype") in ("class", "obj") and hasattr(builtins, link["reftarget"]):
            link.replace_self(nodes.Text(link["reftarget"]))


def sections_of_callables_alone() -> None:
    """Keeps napoleon from taking `A row a flow: who, when` of a property for `TYPE: description`."""
    whole = sphinx.ext.napoleon._process_docstring

    def process(app: Any, what: Any, name: str, obj: Any, options: Any, lines: list[str]) -> None:
        if what not in ("attribute", "data", "property"):
            whole(app, what, name, obj, options, lines)

    sphinx.ext.napoleon._process_docstring = process


def stand_in() -> None:
    """Without the built module its stubs are imported in its place."""
    if any(PACKAGE.glob("_native*.so")):
        return
    print("the native module is not built: its stubs are documented")
    loader = importlib.machinery.SourceFileLoader("sidestep._native", str(STUBS))
    spec = importlib.util.spec_from_loader("sidestep._native", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["sidestep._native"] = module
    loader.exec_module(module)
