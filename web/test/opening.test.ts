import { describe, expect, it, vi } from 'vitest';
import { Refused, type Bundle } from '../src/engine/api';
import { besidePage, failure, fromBase64, fromFiles, inPage, openAll, openBundle, parsed } from '../src/shell/opening';
import { names } from '../src/panels/sides';
import { fake } from './panels-fake';

const open = async (bytes: Uint8Array) => {
  if (bytes[0] === 0) throw new Refused('the recording is cut off: at its end, byte 1: expected "SRECend\\n", got ""');
  return fake();
};
const bundle = (recordings: Bundle['recordings'], more: Partial<Bundle> = {}): Bundle => ({ version: 1, title: 'a run', recordings, ...more });
const recording = { name: 'dctcp-1', scheme: 'dctcp', seed: '1', source: 'simulator', bytes: 1 };
const page = (text: string) => new DOMParser().parseFromString(`<script type="application/json" id="bundle">${text}</script>`, 'text/html');
const answer = (body: string | Uint8Array, status = 200) => vi.fn(async () => new Response(body as BodyInit, { status, statusText: status === 403 ? 'Forbidden' : '' })) as unknown as typeof fetch;

describe('opening', () => {
  it('opens a good bundle from the page, and takes it out of it', async () => {
    const document = page(JSON.stringify(bundle([{ ...recording, data: btoa('\x01') }], { summary: { seeds: [1] } })));
    const { bundle: found } = inPage(document);
    expect(document.getElementById('bundle')).toBeNull();
    const contents = await openBundle(found!, open, answer(''));
    expect(contents).toMatchObject({ title: 'a run', failures: [], summary: { seeds: [1] } });
    expect(contents.recordings.map((one) => [one.name, one.scheme])).toEqual([['dctcp-1', 'dctcp']]);
  });

  it('opens the good ones beside a corrupt one, and says what to do about that', async () => {
    const contents = await openBundle(bundle([{ ...recording, data: btoa('\x00') }, { ...recording, name: 'dibs-1', data: btoa('\x01') }, { ...recording, name: 'bad', data: '%%%' }, { ...recording, name: 'none' }]), open, answer(''));
    expect(contents.recordings).toHaveLength(1);
    expect(contents.failures.map((one) => one.name)).toEqual(['dctcp-1', 'bad', 'none']);
    expect(contents.failures[0]?.says).toMatch(/cut off/);
    expect(contents.failures[0]?.todo).toMatch(/copy it again/);
    expect(contents.failures[1]?.says).toMatch(/not base64/);
  });

  it('fetches recordings that are served, and says what the server answered', async () => {
    const served = bundle([{ ...recording, url: 'recordings/0' }]);
    expect((await openBundle(served, open, answer(Uint8Array.of(1)))).recordings).toHaveLength(1);
    expect((await openBundle(served, open, answer('', 404))).failures[0]?.says).toMatch(/404 .*recordings\/0/);
  });

  it.each([
    ['the recording has an unsupported version: at byte 8: expected version 1 to 2 (a newer sidestep reads newer versions), got version 9', /newer than this page/],
    ['the recording is cut off: at its end', /not whole/],
    ['the file is not a recording: at byte 0', /ends in \.srec/],
    ['chunk 3 of the recording is damaged', /Copy the file again/],
  ])('says what to do about: %s', (says, todo) => expect(failure('x.srec', new Refused(says)).todo).toMatch(todo));

  it('opens nothing from an empty page or an empty file', async () => {
    expect(inPage(page(''))).toEqual({});
    expect(inPage(document)).toEqual({});
    expect((await openAll(fromFiles([new File([], 'empty.srec')]), async () => Promise.reject(new Refused('')))).failures[0]?.says).toBe('It cannot be opened.');
  });

  it.each([
    ['{"version":1', /no JSON/],
    ['[]', /no bundle/],
    ['{"version":2,"recordings":[]}', /version 2/],
  ])('says what is wrong with the bundle %s', (text, says) => expect(parsed(text, 'x').failure?.says).toMatch(says));

  it('looks beside the page where it is served, with the token of its address', async () => {
    const at = (href: string) => new URL(href) as unknown as Location;
    const fetching = answer(JSON.stringify(bundle([])));
    expect((await besidePage(at('http://127.0.0.1:1/?token=x'), fetching)).bundle?.title).toBe('a run');
    expect(fetching).toHaveBeenCalledWith('bundle.json?token=x', expect.anything());
    expect(await besidePage(at('file:///page.html'), fetching)).toEqual({});
    expect((await besidePage(at('http://127.0.0.1:1/'), answer('', 403))).failure?.says).toMatch(/403 Forbidden/);
    expect(await besidePage(at('http://127.0.0.1:1/'), answer('', 404))).toEqual({});
    expect(await besidePage(at('http://127.0.0.1:1/'), answer('<!doctype html>'))).toEqual({});
  });

  it('decodes base64', () => expect([...fromBase64(btoa('\x00\xffa'))]).toEqual([0, 255, 97]));
});

describe('names of recordings', () => {
  it('are schemes where those differ, and say more where they do not', () => {
    const one = (name: string, scheme: string, seed: string, source = 'simulator') => ({ name, scheme, seed, source });
    expect(names([one('a', 'dctcp', '1'), one('b', 'dibs', '1')])).toEqual(['dctcp', 'dibs']);
    expect(names([one('a', 'dibs', '1'), one('b', 'dibs', '1', 'testbed')])).toEqual(['dibs, simulator', 'dibs, testbed']);
    expect(names([one('a', 'dibs', '1'), one('b', 'dibs', '2')])).toEqual(['dibs, seed 1', 'dibs, seed 2']);
    expect(names([one('a', 'dibs', '1'), one('a', 'dibs', '1')])).toEqual(['a (1)', 'a (2)']);
  });
});
