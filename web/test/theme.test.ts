// @vitest-environment node
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync(new URL('../src/shell/theme.css', import.meta.url), 'utf8');

function colours(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0] ?? '';
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name, value]));
}

/** Relative luminance, WCAG 2.2. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light! + 0.05) / (dark! + 0.05);
}

describe.each([':root', ":root[data-theme='dark']"])('the theme %s', (selector) => {
  const theme = colours(selector);

  it.each(['fg', 'muted', 'accent', 'warn', 'bad', 'good'])('has %s as readable text on both backgrounds', (name) => {
    expect(contrast(theme[name]!, theme['bg']!)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(theme[name]!, theme['raised']!)).toBeGreaterThanOrEqual(4.5);
  });

  it('has readable text on a button of the accent', () => expect(contrast(theme['on-accent']!, theme['accent']!)).toBeGreaterThanOrEqual(4.5));

  it.each(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'])('has %s as a line that is seen', (name) => {
    expect(contrast(theme[name]!, theme['bg']!)).toBeGreaterThanOrEqual(3);
  });
});
