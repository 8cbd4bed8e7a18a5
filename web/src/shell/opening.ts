/**
 * Opens what the page is given: a bundle inside it, a bundle beside it, files.
 *
 * **Errors**  each recording opens or not by itself: what cannot be opened is a `Failure` with what is wrong and what to do,
 *             and the others are shown. Nothing here throws for bad input.
 */
import { Refused, type Bundle, type Player } from '../engine/api';

/** Opens the bytes of one recording; throws `Refused`. */
export type Open = (bytes: Uint8Array) => Promise<Player>;

/** A recording that is open. */
export interface Opened {
  name: string;
  scheme: string;
  seed: string;
  player: Player;
}

/** A recording, or something else, that could not be opened. */
export interface Failure {
  name: string;
  /** What is wrong. */
  says: string;
  /** What can be done. */
  todo: string;
}

export interface Contents {
  title: string;
  recordings: Opened[];
  failures: Failure[];
  summary?: unknown;
}

/** One source of bytes with a name. */
export interface Source {
  name: string;
  bytes: () => Promise<Uint8Array>;
}

/** The bundle that stands in the page; its element is taken out, since it may hold tens of megabytes. */
export function inPage(page: Document): { bundle?: Bundle; failure?: Failure } {
  const element = page.getElementById('bundle');
  if (element === null) return {};
  const text = element.textContent ?? '';
  element.remove();
  return text.trim() === '' ? {} : parsed(text, 'this page');
}

/** The bundle that `sidestep view` serves beside the page. A page from disk, or one that is served alone, has none. */
export async function besidePage(place: Location, fetching: typeof fetch): Promise<{ bundle?: Bundle; failure?: Failure }> {
  if (!place.protocol.startsWith('http')) return {};
  // The token stands in the address of the page; a relative address keeps its folder, and its search is added.
  let answer: Response;
  try {
    answer = await fetching(`bundle.json${place.search}`, { cache: 'no-store' });
  } catch {
    return {};
  }
  if (answer.status === 404) return {};
  if (!answer.ok) {
    return { failure: { name: 'bundle.json', says: `The server answered ${answer.status} ${answer.statusText}.`, todo: 'Open the whole address that sidestep view printed, with its token; or start it again.' } };
  }
  const text = await answer.text();
  // A server of plain files may answer any name with its start page.
  return text.trimStart().startsWith('<') ? {} : parsed(text, 'bundle.json');
}

/** Reads a bundle's text. */
export function parsed(text: string, name: string): { bundle?: Bundle; failure?: Failure } {
  let bundle: unknown;
  try {
    bundle = JSON.parse(text);
  } catch (error) {
    return { failure: { name, says: `What belongs to the page is no JSON: ${words(error)}.`, todo: AGAIN } };
  }
  if (typeof bundle !== 'object' || bundle === null || !('version' in bundle) || !('recordings' in bundle) || !Array.isArray(bundle.recordings)) {
    return { failure: { name, says: 'What belongs to the page is no bundle of recordings: it needs a version and a list of recordings.', todo: AGAIN } };
  }
  if (bundle.version !== 1) {
    return { failure: { name, says: `The bundle has version ${String(bundle.version)}; this page reads version 1.`, todo: 'The page and the command are of different releases: make the page with the command that wrote the recordings.' } };
  }
  return { bundle: bundle as Bundle };
}

/** Opens all recordings of a bundle. */
export async function openBundle(bundle: Bundle, open: Open, fetching: typeof fetch): Promise<Contents> {
  const contents = await openAll(
    bundle.recordings.map((recording) => ({
      name: recording.name,
      bytes: async () => {
        if (recording.data !== undefined) return fromBase64(recording.data);
        if (recording.url === undefined) throw new Refused('the bundle has neither its bytes nor an address for it');
        const answer = await fetching(recording.url);
        if (!answer.ok) throw new Refused(`the server answered ${answer.status} ${answer.statusText} for ${recording.url}`);
        return new Uint8Array(await answer.arrayBuffer());
      },
    })),
    open,
  );
  return { ...contents, title: bundle.title, ...(bundle.summary === undefined ? {} : { summary: bundle.summary }) };
}

/** Opens recordings, one after the other so that not all files are in memory twice. */
export async function openAll(sources: Source[], open: Open): Promise<Contents> {
  const contents: Contents = { title: '', recordings: [], failures: [] };
  for (const source of sources) {
    try {
      const player = await open(await source.bytes());
      contents.recordings.push({ name: source.name, scheme: player.head.scheme, seed: player.head.seed, player });
    } catch (error) {
      contents.failures.push(failure(source.name, error));
    }
  }
  const first = contents.recordings[0];
  contents.title = first ? first.player.head.scenario : '';
  return contents;
}

/** Files that were dropped or chosen. */
export function fromFiles(files: Iterable<File>): Source[] {
  return [...files].map((file) => ({ name: file.name, bytes: async () => new Uint8Array(await file.arrayBuffer()) }));
}

/** What is wrong, with what to do about it. */
export function failure(name: string, error: unknown): Failure {
  const says = sentence(words(error));
  for (const [sign, todo] of REMEDIES) if (sign.test(says)) return { name, says, todo };
  return { name, says, todo: 'Copy the file again, or record the run again with sidestep run … --record; sidestep show … --recording may say more.' };
}

/** What the reader of recordings says (`crates/recording`), and what helps. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/unsupported version/i, 'The recording is newer than this page, or has no version that ever was: open it with the sidestep that wrote it (sidestep view), or make the page anew.'],
  [/cut off|early end|outside the file/i, 'The file is not whole: copy it again, or record the run again with sidestep run … --record.'],
  [/not a recording/i, 'Choose a file that ends in .srec: sidestep run … --record writes them into the folder recordings of its result.'],
];

/** Any error in words. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function sentence(text: string): string {
  const whole = text.trim() === '' ? 'it cannot be opened' : text.trim();
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)}${/[.!?]$/.test(whole) ? '' : '.'}`;
}

const AGAIN = 'The page is probably cut off: copy it again, or make it anew with sidestep view … --html.';

/** The bytes that a base64 text stands for. */
export function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array }).fromBase64;
  try {
    if (native) return native.call(Uint8Array, text);
    const chars = atob(text);
    const bytes = new Uint8Array(chars.length);
    for (let i = 0; i < chars.length; i++) bytes[i] = chars.charCodeAt(i);
    return bytes;
  } catch {
    throw new Refused('its bytes are not base64: the page was changed, or is not whole');
  }
}
