/**
 * The page's content security policy, put into the one file at the end of the build.
 *
 * The scripts and styles of the page are inside it: the policy names each by its SHA-256 and allows no other. JSON blocks are no scripts, so
 * that recordings may be put in afterwards. `connect-src 'none'` is for the page that is opened from disk; `sidestep view` serves
 * the same bytes with `CONNECT_NONE` replaced by `connect-src 'self'`, since the page fetches its recordings there. The header that the server sends
 * in addition can only forbid more.
 */
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

export const CONNECT_NONE = "connect-src 'none'";

/** The policy for scripts and styles with these contents. */
export function policy(scripts: string[], styles: string[]): string {
  return [
    "default-src 'none'",
    `script-src ${[...scripts.map(hash), "'wasm-unsafe-eval'"].join(' ')}`,
    `style-src ${styles.length === 0 ? "'none'" : styles.map(hash).join(' ')}`,
    'worker-src blob:',
    'img-src data: blob:',
    CONNECT_NONE,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** The same page with its policy as the first thing of its head. It is a bug, and refused, if the page fetches a script or style. */
export function secured(html: string): string {
  for (const foreign of [/<script[^>]*\ssrc=/i, /<link[^>]*rel="?(stylesheet|modulepreload)/i, /<[^>]*\sstyle=["']/i, /<[^>]*\son[a-z]+=["']/i]) {
    const found = foreign.exec(outside(html));
    if (found) throw new Error(`the page cannot have a strict policy: it has ${JSON.stringify(found[0])}`);
  }
  const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/gi)].filter(([, attributes]) => !/type="application\/json"/.test(attributes ?? '')).map((found) => found[2] ?? '');
  const styles = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi)].map((found) => found[1] ?? '');
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy(scripts, styles)}" />`;
  const head = /<head[^>]*>/i.exec(html);
  if (head === null) throw new Error('the page has no head');
  const at = head.index + head[0].length;
  return html.slice(0, at) + meta + html.slice(at);
}

/** Runs after the plugin that makes one file of all. */
export function csp(): Plugin {
  return {
    name: 'sidestep-csp',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'asset' && file.fileName.endsWith('.html')) file.source = secured(String(file.source));
        }
      },
    },
  };
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** The page without what is inside scripts and styles, to look at its own tags. */
function outside(html: string): string {
  return html.replace(/(<(script|style)\b[^>]*>)[\s\S]*?(<\/\2>)/gi, '$1$3');
}
