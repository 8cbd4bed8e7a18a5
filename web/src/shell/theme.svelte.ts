/**
 * Light or dark: as the system says, until the reader chooses.
 *
 * **State**   the choice, kept by the browser where it may; a page from disk may have no such place.
 */
export type Choice = 'system' | 'light' | 'dark';

const PLACE = 'sidestep.theme';

class Theme {
  choice = $state<Choice>(kept());
  #system = $state(false);
  /** What is shown. Charts read it, to draw themselves anew when it changes. */
  readonly dark = $derived(this.choice === 'system' ? this.#system : this.choice === 'dark');

  /** Follows the system's setting and puts the theme on the page; gives what ends it. */
  follow(root: HTMLElement): () => void {
    const media = window.matchMedia('(prefers-color-scheme: dark)');
    const changed = () => (this.#system = media.matches);
    changed();
    media.addEventListener('change', changed);
    const stop = $effect.root(() => {
      // Before anything is drawn again: colours are read from the page.
      $effect.pre(() => {
        root.dataset['theme'] = this.dark ? 'dark' : 'light';
      });
    });
    return () => {
      media.removeEventListener('change', changed);
      stop();
    };
  }

  choose(choice: Choice): void {
    this.choice = choice;
    try {
      localStorage.setItem(PLACE, choice);
    } catch {
      // Not kept: the page still shows it.
    }
  }
}

export const theme = new Theme();

/** A colour of the theme as it is now, for what draws on a canvas. */
export function colour(name: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  return value === '' ? '#808080' : value;
}

function kept(): Choice {
  try {
    const choice = localStorage.getItem(PLACE);
    return choice === 'light' || choice === 'dark' ? choice : 'system';
  } catch {
    return 'system';
  }
}
