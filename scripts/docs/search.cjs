// What the site's own search finds, best first: `search.cjs HTML QUERY...` prints a list of pages for each query, as JSON.
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const [root, ...queries] = process.argv.slice(2);
const nothing = { addEventListener: () => {} };
const page = {
  ...nothing,
  URLSearchParams,
  DOCUMENTATION_OPTIONS: {},
  SPHINX_HIGHLIGHT_ENABLED: false,
  document: { ...nothing, getElementById: () => null, querySelectorAll: () => [] },
  location: { search: "" },
  _ready: () => {},
  _: (text) => text,
  console,
};
page.window = page;
const room = vm.createContext(page);
const files = ["_static/language_data.js", "_static/searchtools.js", "searchindex.js"];
const code = files.map((file) => fs.readFileSync(path.join(root, file), "utf8")).join(";\n");
const find = ";\n(query) => Search._performSearch(...Search._parseQuery(query)).map((found) => found[0])";
const search = vm.runInContext(code + find, room);
// The search hands its list over with the best one last.
const pages = (query) => [...new Set([...search(query)].reverse())];
console.log(JSON.stringify(Object.fromEntries(queries.map((query) => [query, pages(query)]))));
