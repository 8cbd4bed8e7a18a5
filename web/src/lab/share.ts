/**
 * Settings as a link: `#lab=` and the base64url of deflated JSON, with its version inside.
 *
 * Decision  the whole of the settings is in the fragment, so nothing of them is sent to a server.
 * Units     characters of the fragment; bytes of JSON.
 * Errors    `LinkError`: what is wrong with a link, and what to do.
 */
import { type Settings, settingsOf } from './settings.ts';

/** It rises when settings are read differently. */
export const VERSION = 1;
export const PREFIX = '#lab=';
/** Assumed: what browsers and chat programs pass on whole. */
export const MOST_CHARACTERS = 32_000;
/** A short fragment may stand for very much. */
const MOST_BYTES = 2_000_000;

export class LinkError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LinkError';
  }
}

/** Does a fragment say that it is a link to the lab? */
export function isLab(fragment: string): boolean {
  return fragment.startsWith(PREFIX);
}

/** The fragment that means these settings. */
export async function fragmentOf(settings: Settings): Promise<string> {
  const json = JSON.stringify({ version: VERSION, settings });
  const bytes = await through(new TextEncoder().encode(json), new CompressionStream('deflate-raw'));
  const fragment = PREFIX + base64url(bytes);
  if (fragment.length > MOST_CHARACTERS) {
    throw new LinkError(
      `these settings make a link of ${fragment.length} characters, expected at most ${MOST_CHARACTERS}: ` +
        'send the text of the scenario and its files instead',
    );
  }
  return fragment;
}

/** The settings that a fragment means. */
export async function settingsFrom(fragment: string): Promise<Settings> {
  if (!isLab(fragment)) throw new LinkError(`expected a link that has ${PREFIX} in it`);
  if (fragment.length > MOST_CHARACTERS) {
    throw new LinkError(
      `the link has ${fragment.length} characters, expected at most ${MOST_CHARACTERS}: it was not made by the lab`,
    );
  }
  const given = record(await parsed(fragment.slice(PREFIX.length)));
  const version = given['version'];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) throw broken('it has no version');
  if (version > VERSION) {
    throw new LinkError(
      `the link was made by a newer lab: it has version ${version}, expected at most ${VERSION}; open it with a newer page`,
    );
  }
  return settingsOf(given['settings']);
}

async function parsed(text: string): Promise<unknown> {
  const json = await inflated(text);
  try {
    return JSON.parse(json);
  } catch {
    throw broken('what is in it is no text of settings');
  }
}

async function inflated(text: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await through(bytesOf(text), new DecompressionStream('deflate-raw'), MOST_BYTES);
  } catch (why) {
    if (why instanceof LinkError) throw why;
    throw broken('it cannot be unpacked');
  }
  return new TextDecoder().decode(bytes);
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw broken('what is in it is no settings');
  return value as Record<string, unknown>;
}

function broken(why: string): LinkError {
  return new LinkError(`the link is broken: ${why}; perhaps it was cut when it was copied`);
}

/** All that comes out of a stream; an error where it is more than `most` bytes. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
  most = Infinity,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  // What is wrong with the bytes is told where they are read.
  const written = writer.write(bytes).then(() => writer.close());
  written.catch(() => undefined);
  const reader = stream.readable.getReader();
  const parts: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      void reader.cancel();
      throw new LinkError(`the link unpacks to more than ${most} bytes: it was not made by the lab`);
    }
    parts.push(value);
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

function base64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw broken('it has other characters than it may have');
  const binary = atob(text.replace(/-/g, '+').replace(/_/g, '/'));
  return Uint8Array.from(binary, (one) => one.charCodeAt(0));
}
