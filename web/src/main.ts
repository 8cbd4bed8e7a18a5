/** Puts the page into its document. If even that fails, it says so: the page is never blank. */
import { mount } from 'svelte';
import App from './App.svelte';
import { openPlayer } from './engine/player';
import './shell/theme.css';
import './shell/base.css';

const target = document.getElementById('app');
if (target === null) throw new Error('the page has no #app');
try {
  target.textContent = '';
  mount(App, { target, props: { open: (bytes: Uint8Array) => openPlayer(bytes) } });
} catch (error) {
  target.textContent = `The page could not begin: ${error instanceof Error ? error.message : String(error)}. A browser of the last two years can show it: Firefox, Chrome, Edge or Safari.`;
  throw error;
}
