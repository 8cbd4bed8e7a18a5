/**
 * The page's colours, as the shell defines them in CSS variables.
 *
 * **Decision**  what a browser makes of `var(--x)` on an element of its own, so that any way of writing a colour works.
 * **Errors**    a variable that is not there has the colour of `FALLBACK`: the drawing works outside the page too.
 */
export const NAMES = ['bg', 'fg', 'muted', 'line', 'accent', 'warn', 'bad', 'good', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8'] as const;
export type Name = (typeof NAMES)[number];
export type Rgb = readonly [number, number, number];
export type Colours = Record<Name, Rgb>;

/** Okabe and Ito's eight, and light surroundings. */
const FALLBACK: Record<Name, string> = {
  bg: '#ffffff', fg: '#1a1a1a', muted: '#5c6470', line: '#c9ced6', accent: '#0072b2', warn: '#b26a00', bad: '#c23b00', good: '#007a5a',
  c1: '#0072b2', c2: '#d55e00', c3: '#009e73', c4: '#cc79a7', c5: '#e69f00', c6: '#56b4e9', c7: '#8a7d00', c8: '#5c6470',
};

export function coloursOf(element: HTMLElement): Colours {
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const found = Object.fromEntries(
    NAMES.map((name) => {
      probe.style.color = '';
      probe.style.color = `var(--${name}, ${FALLBACK[name]})`;
      return [name, parse(getComputedStyle(probe).color) ?? parse(FALLBACK[name])!];
    }),
  ) as Colours;
  probe.remove();
  return found;
}

/** `#rrggbb`, `rgb(…)` or `color(srgb …)` as three numbers from 0 to 255; null for anything else. */
export function parse(text: string): Rgb | null {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim());
  if (hex) return [parseInt(hex[1]!, 16), parseInt(hex[2]!, 16), parseInt(hex[3]!, 16)];
  const numbers = (text.match(/-?\d*\.?\d+/g) ?? []).map(Number);
  if (numbers.length < 3) return null;
  if (/^rgba?\(/.test(text)) return [numbers[0]!, numbers[1]!, numbers[2]!];
  return /^color\(srgb /.test(text) ? [numbers[0]! * 255, numbers[1]! * 255, numbers[2]! * 255] : null;
}

/** Between two colours: `a` at 0, `b` at 1. */
export function mix(a: Rgb, b: Rgb, share: number): Rgb {
  const at = (i: 0 | 1 | 2): number => Math.round(a[i] + (b[i] - a[i]) * share);
  return [at(0), at(1), at(2)];
}

export function css([r, g, b]: Rgb, alpha = 1): string {
  return `rgba(${r}, ${g}, ${b}, ${alpha})`;
}

/** As a pixel of an `ImageData` holds it on machines with the least byte first, alpha left 0. */
export function word([r, g, b]: Rgb): number {
  return ((b << 16) | (g << 8) | r) >>> 0;
}

/** Calls `changed` when the page's colours may have: by the system, or by an attribute of the document. */
export function watchColours(changed: () => void): () => void {
  const queries = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((q) => matchMedia(q));
  for (const query of queries) query.addEventListener('change', changed);
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['class', 'style', 'data-theme'] });
  return () => {
    for (const query of queries) query.removeEventListener('change', changed);
    observer.disconnect();
  };
}
