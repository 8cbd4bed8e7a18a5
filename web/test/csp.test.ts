// @vitest-environment node
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CONNECT_NONE, secured } from '../csp';

const sha = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('the content security policy', () => {
  const page = '<html><head><meta charset="utf-8"><script type="module">let µ = "<b style=\'x\'>";</script><style>p{}</style></head><body><script type="application/json" id="bundle">{}</script></body></html>';

  it('names the script and the style by their hashes, and nothing else', () => {
    const html = secured(page);
    const content = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(content).toContain(`script-src ${sha('let µ = "<b style=\'x\'>";')} 'wasm-unsafe-eval';`);
    expect(content).toContain(`style-src ${sha('p{}')};`);
    expect(content).toContain("default-src 'none'");
    expect(content).toContain('worker-src blob:');
    expect(content).toContain(CONNECT_NONE);
    expect(content).not.toContain('unsafe-inline');
    expect(content).not.toContain("'unsafe-eval'");
  });

  it('stands before everything that it governs', () => {
    const html = secured(page);
    expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<script'));
  });

  it.each([
    ['a script from elsewhere', '<head><script src="a.js"></script></head>'],
    ['a style sheet from elsewhere', '<head><link rel="stylesheet" href="a.css"></head>'],
    ['a style attribute', '<head></head><p style="color:red">'],
    ['a handler in an attribute', '<head></head><p onclick="x()">'],
    ['no head', '<p>'],
  ])('refuses %s', (_, html) => expect(() => secured(html)).toThrow());
});
