"""Tests of what lays out, looks at and runs the documents."""

import tempfile
import unittest
from pathlib import Path

import api
import check
import docutils.nodes
import docutils.utils
import markdown
import reference
import snippets
import stage
from sphinx import addnodes


def ran(page: str, slow: bool = False) -> snippets.Runner:
    """What the runner says of one page of the repository with this text."""
    (snippets.ROOT / "target").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=snippets.ROOT / "target") as room:
        path = Path(room) / "page.md"
        path.write_text(page)
        runner = snippets.Runner(Path("/bin/true"), slow, Path(room) / "rooms")
        runner.page(path)
        return runner


class Snippets(unittest.TestCase):
    """`snippets.py` over pages written for it."""

    def test_a_block_without_a_language_is_an_error(self) -> None:
        self.assertIn("without a language", ran("```\nls\n```\n").wrong[0])

    def test_a_command_that_fails_is_an_error_with_its_line(self) -> None:
        (wrong,) = ran("# A\n\n```sh\nfalse\n```\n").wrong
        self.assertRegex(wrong, r"page.md:3: exit status 1 of\nfalse")

    def test_commands_of_a_page_share_a_copy_of_the_checkout_and_no_other(self) -> None:
        page = "```sh\ntest -f Cargo.toml; echo 1 > README.md\n```\n```sh\ngrep -qx 1 README.md\n```\n"
        self.assertEqual(ran(page).wrong, [])
        self.assertGreater((snippets.ROOT / "README.md").stat().st_size, 100)

    def test_python_of_a_page_shares_its_names_and_says_where_it_fails(self) -> None:
        self.assertEqual(ran("```python\na = 1\n```\n\n```python\nassert a == 1\n```\n").wrong, [])
        self.assertRegex(ran("```python\nb = a\n```\n").wrong[0], r'page.md", line 2.*\n.*NameError|line 2')

    def test_what_is_printed_is_compared_in_order_under_the_same_heading(self) -> None:
        said = "```sh\nprintf 'a\\nb\\nc\\n'\n```\n\n"
        self.assertEqual(ran(said + "```text\na\n…\nc\n```\n").wrong, [])
        self.assertIn("does not print", ran(said + "```text\nc\na\n```\n").wrong[0])
        self.assertEqual(ran(said + "## B\n\n```text\nd\n```\n").wrong, [])

    def test_an_excuse_is_counted_and_one_without_a_reason_is_an_error(self) -> None:
        runner = ran("<!-- not run: needs root -->\n```sh\nfalse\n```\n")
        self.assertEqual((runner.wrong, runner.excused), ([], {"needs root": 1}))
        self.assertIn("expected a reason", ran("<!-- not run -->\n```sh\nfalse\n```\n").wrong[0])

    def test_an_excuse_of_lines_leaves_the_others_and_has_to_fit_one(self) -> None:
        page = '<!-- not run: "false": fails -->\n```sh\nfalse\n{}\n```\n'
        self.assertEqual(ran(page.format("true")).wrong, [])
        self.assertIn("exit status 3", ran(page.format("exit 3")).wrong[0])
        self.assertIn("no line begins", ran('<!-- not run: "x": y -->\n```sh\ntrue\n```\n').wrong[0])

    def test_what_is_slow_is_run_when_asked_for(self) -> None:
        page = "<!-- slow: an hour -->\n```sh\nfalse\n```\n"
        self.assertEqual(ran(page).wrong, [])
        self.assertIn("exit status 1", ran(page, slow=True).wrong[0])

    def test_a_test_that_is_said_to_run_a_block_has_to_name_the_page(self) -> None:
        self.assertIn("is no test that names", ran("<!-- run by: scripts/docs/check.py -->\n```sql\nx\n```\n").wrong[0])
        self.assertIn("is no test that names", ran("<!-- run by: scripts/nothing.py -->\n```sql\nx\n```\n").wrong[0])
        self.assertIn("nothing runs 'sql'", ran("```sql\nx\n```\n").wrong[0])

    def test_data_that_does_not_read_is_an_error(self) -> None:
        self.assertIn("is no toml", ran("```toml\na = \n```\n").wrong[0])
        self.assertIn("is no json", ran("```json\n{\n```\n").wrong[0])


class Site(unittest.TestCase):
    """`check.py` over pages written for it."""

    def complaints(self, **files: str) -> list[str]:
        """What is said of a site of these files; `_` in a name is a dot."""
        with tempfile.TemporaryDirectory() as room:
            for name, text in files.items():
                (Path(room) / name.replace("_", ".")).write_text(text)
            return [*check.loaded_from_elsewhere(Path(room)), *check.broken_links(Path(room))]

    def test_what_a_page_loads_from_elsewhere_is_found(self) -> None:
        for text in [
            '<script src="https://x.example/a.js"></script>',
            '<img src="//x.example/a.png">',
            '<link rel="stylesheet" href="http://x.example/a.css">',
            "<style>@import 'https://x.example/a.css';</style>",
            '<p style="background: url(https://x.example/a.png)"></p>',
            '<script type="module">import a from "https://x.example/a.js"</script>',
        ]:
            with self.subTest(text):
                self.assertEqual(len(self.complaints(a_html=text)), 1)
        self.assertEqual(len(self.complaints(a_css="@font-face { src: url(https://x.example/f.woff) }")), 1)
        self.assertEqual(len(self.complaints(a_js='fetch("https://x.example/")')), 1)

    def test_links_to_other_sites_and_files_beside_are_no_complaint(self) -> None:
        text = '<a href="https://x.example/a.html">x</a><img src="b.png"><img src="data:,x"><a href="#there" id="there">y</a>'
        self.assertEqual(self.complaints(a_html=text), [])

    def test_a_link_that_leads_nowhere_is_found(self) -> None:
        self.assertIn("not there", self.complaints(a_html='<a href="b.html">b</a>')[0])
        self.assertIn("no such anchor", self.complaints(a_html='<a href="#b">b</a>')[0])

    def test_a_search_that_names_the_changelog_first_is_found(self) -> None:
        self.assertEqual(list(check.badly_ranked({"detour": ["docs/papers/dibs", "docs/explanation/model", "CHANGELOG"]})), [])
        wrong = list(check.badly_ranked({"detour": ["docs/papers/dibs", "CHANGELOG", "docs/explanation/model"]}))
        self.assertEqual(wrong, ["a search for 'detour' names the changelog before docs/explanation/model"])
        self.assertIn("finds no page of docs/papers/dibs", next(check.badly_ranked({"detour": ["CHANGELOG"]})))


class Pages(unittest.TestCase):
    """What is laid out for Sphinx."""

    def test_links_are_moved_and_others_stay(self) -> None:
        text = "[a](b.md#c) [d](https://x.example/) [e](#f)"
        moved = markdown.relink(text, "docs/page.md", lambda path, anchor: "../" + path + anchor)
        self.assertEqual(moved, "[a](../docs/b.md#c) [d](https://x.example/) [e](#f)")

    def test_every_list_of_the_documents_has_a_page_of_its_own_kind(self) -> None:
        tree = markdown.outline((stage.ROOT / stage.LIST).read_text())
        titles = [part.title for part in tree.parts]
        self.assertEqual(titles[:5], stage.CAPTIONS)
        self.assertIn("Buffers", [below.title for part in tree.parts for below in part.parts])

    def test_exported_names_are_read_without_importing(self) -> None:
        with tempfile.TemporaryDirectory() as room:
            path = Path(room) / "m.py"
            path.write_text('import nothing_that_is_there\n__all__ = ["b", "a"]\n')
            self.assertEqual(stage.exported(path), ["b", "a"])
            path.write_text("def f(): ...\nclass _G: ...\nclass H: ...\n")
            self.assertEqual(stage.exported(path), ["f", "H"])

    def test_an_example_between_fences_in_a_docstring_is_a_block_of_code(self) -> None:
        made = api.fences(["One:", "", "```python", "a = 1", "", "    b", "```", "", "Two."])
        block = ["One:", "", "", ".. code-block:: python", "", "   a = 1", "", "       b", "", "", "Two."]
        self.assertEqual(made, block)

    def test_a_type_of_python_is_no_link_to_a_name_of_ours(self) -> None:
        page = docutils.utils.new_document("page")
        for target in ("bytes", "sidestep.Want"):
            link = addnodes.pending_xref("", refdomain="py", reftype="class", reftarget=target)
            page += docutils.nodes.paragraph("", "", link)
        api.own_of_python(None, page)
        self.assertEqual([link["reftarget"] for link in page.findall(addnodes.pending_xref)], ["sidestep.Want"])
        self.assertEqual(page.astext(), "bytes\n\n")

    def test_a_key_has_a_row_for_each_meaning_with_its_unit_and_default(self) -> None:
        schema = {
            "properties": {
                "a": {
                    "properties": {
                        "b": {
                            "anyOf": [
                                {"description": 'how long (a time like "1 us")', "default": "2 us", "type": "string"},
                                {"description": "how many (a whole number)", "type": "integer"},
                            ]
                        }
                    }
                }
            }
        }
        rows = reference.Keys(schema).groups()["a"]
        self.assertEqual(rows[0], ["`b`", 'a time like "1 us"', "`2 us`", "how long"])
        self.assertEqual(rows[1], ["`b`", "a whole number", "none", "how many"])


if __name__ == "__main__":
    unittest.main()
