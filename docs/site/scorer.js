// How the site's search ranks what it found. Whoever looks a word up wants the page that explains it: lists that the program
// makes of itself and pages for those who change it come behind pages with as good a match, and the changelog, which has every
// word, behind all others.
const BEHIND = [
  [/^CHANGELOG$/, 1000],
  [/^docs\/(names\/|reference\/(keys|shipped|measured|command|python)$|explanation\/(performance|decisions|results-that-moved)$)/, 4],
  [/^(ARCHITECTURE$|CONTRIBUTING$|bench\/|rtl\/)/, 4],
];
var Scorer = {
  score: ([docname, , , , score]) => score - (BEHIND.find(([pages]) => pages.test(docname))?.[1] ?? 0),
  // The rest is what Sphinx has where nobody says anything.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
