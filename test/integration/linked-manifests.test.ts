/** Catalogues of pages that link to manifests: which are found, what becomes of each, and what is kept. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { imageProcesses } from '../../api/images/image-process/image-process.ts';
import { manifestFetcher } from '../../api/integration/fetch-manifest.ts';
import { manifestLinks } from '../../api/integration/linked-manifests.ts';
import { catalogueReader } from '../../api/integration/read-catalogues.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { readBeginning } from '../../runtime/disk/read-beginning.ts';
import { hereNetwork, type Received, withReceiver } from '../callbacks/receiver.ts';
import { largeIcon } from '../integrations-host/made-checkout.ts';
import { handClock } from './integration-world.ts';

const test = suite('catalogues of linked manifests');
const rules = { production: false, allowLocalhost: true, publicHosts: [] };

/** The answers of a server on loopback, by path: texts, bytes, or a status. */
type Answers = Record<string, string | Buffer | number>;

interface World {
  readonly origin: string;
  readonly received: readonly Received[];
  readonly clock: ReturnType<typeof handClock>;
  readonly read: ReturnType<typeof catalogueReader>;
}

/** Reads the catalogue at a path of a server. Images are decoded in processes of their own. */
function withCatalogue(answersAt: (origin: string) => Answers, path: string, run: (world: World) => Promise<void>) {
  let answers: Answers = {};
  return withReceiver(
    (request, response) => {
      const answer = answers[request.path] ?? 404;
      if (typeof answer === 'number') response.writeHead(answer, { location: '/elsewhere' }).end();
      else response.writeHead(200).end(answer);
    },
    async ({ origin, received }) => {
      answers = answersAt(origin);
      const clock = handClock();
      const wayOut = openWayOut({ network: hereNetwork, clock });
      const images = imageProcesses(systemClock, { warn: () => {} });
      const fetchManifest = manifestFetcher({ wayOut, rules });
      const read = catalogueReader({
        wayOut,
        clock,
        sources: [origin + path],
        readFile: readBeginning,
        manifests: { clock, wayOut, rules, fetchManifest, decodeIcon: images.normalizeImage },
      });
      await run({ origin, received, clock, read }).finally(images.stop);
    },
  );
}

const manifest = (name: string, icon?: string): string =>
  JSON.stringify({ name, description: `${name} on paper`, language: ['en', 'de'], ...(icon && { icon }) });

test('links are whole addresses anywhere, and relative ones in links of HTML; each counts once', () => {
  const text = `
| [a](https://h.example/a/config.json) | <https://h.example/b/config.json>, and https://h.example/a/config.json.
<a href="./c/config.json">c</a> <a href=/d/config.json>d</a> /:slug/config.json https://h.example/<slug>/config.json
https://h.example/config.json.bak ftp://h.example/e/config.json ${'x'.repeat(3_000)}/config.json`;
  assert.equal(manifestLinks(text, 'https://h.example/docs/README.md'), [
    'https://h.example/a/config.json',
    'https://h.example/b/config.json',
    'https://h.example/docs/c/config.json',
    'https://h.example/d/config.json',
  ]);
});

test('a page of links becomes a catalogue with small icons; what is missing is named', async () => {
  const icon = await largeIcon(400);
  assert.ok(icon.length > 65_536);
  const answersAt = (origin: string): Answers => ({
    '/README.md': ['a', 'b', 'c', 'gone', 'moved', 'nameless', 'text']
      .map((name) => `| ${origin}/${name}/config.json |`)
      .concat('| https://192.168.1.9/home/config.json |')
      .join('\n'),
    '/a/config.json': manifest('First', './icon.png'),
    '/a/icon.png': icon,
    '/b/config.json': manifest('Second', './icon.png'),
    '/b/icon.png': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '/c/config.json': manifest('Third', 'https://strange.example/icon.png'),
    '/moved/config.json': 302,
    '/nameless/config.json': '{"description":"no name"}',
    '/text/config.json': 'no JSON',
  });
  const pictures: (string | undefined)[] = [];
  for (let round = 0; round < 2; round++) {
    await withCatalogue(answersAt, '/README.md', async ({ origin, read }) => {
      const [catalogue] = await read();
      assert.equal(
        catalogue?.integrations.map(({ name, languages, picture }) => [name, languages, picture === undefined]),
        [
          ['First', ['en', 'de'], false],
          ['Second', ['en', 'de'], true],
          ['Third', ['en', 'de'], true],
        ],
      );
      const { host } = new URL(origin);
      assert.equal(catalogue?.leftOut.map(wordsOf), [
        `${host}/gone: status 404`,
        `${host}/moved: status 302`,
        `${host}/nameless: the manifest: name is missing or malformed`,
        `${host}/text: not JSON`,
        '192.168.1.9/home: the address is not public',
      ]);
      assert.equal(catalogue?.notes?.map(wordsOf), [
        'the icon of Second: it is not a PNG, JPEG or WebP that can be read',
        'the icon of Third: a different origin than the manifest',
      ]);
      pictures.push(catalogue?.integrations[0]?.picture);
    });
  }
  assert.ok((pictures[0]?.length ?? 0) > 1_000 && (pictures[0]?.length ?? 0) < 90_000, String(pictures[0]?.length));
  assert.is(pictures[0], pictures[1], 'the same icon gives the same bytes');
});

test('a host is asked for its catalogue first; manifests that were all read are kept for hours', () =>
  withCatalogue(
    (origin) => ({
      '/': `<a href="${origin}/a/config.json">`,
      '/a/config.json': manifest('First'),
    }),
    '/',
    async ({ received, clock, read }) => {
      const [{ integrations = [] } = {}] = await read();
      assert.equal(
        [integrations.map(({ name }) => name), received.map(({ path }) => path)],
        [['First'], ['/catalogue.json', '/', '/a/config.json']],
      );
      clock.passes(3_600_000);
      await read();
      assert.is(received.length, 3, 'nothing is asked again within hours');
      clock.passes(6 * 3_600_000);
      await read();
      assert.is(received.length, 6);
    },
  ));

test('a catalogue next to a host’s pages is taken as it stands', () =>
  withCatalogue(
    () => ({ '/catalogue.json': JSON.stringify({ name: 'All', integrations: [] }) }),
    '/',
    async ({ received, read }) => {
      const [catalogue] = await read();
      assert.equal([catalogue?.name, catalogue?.problem, received.length], ['All', undefined, 1]);
    },
  ));

test('a page that names no manifest is refused with what to name instead', () =>
  withCatalogue(
    () => ({ '/page': '<!doctype html><p>Nothing here' }),
    '/page',
    async ({ read }) => {
      const [catalogue] = await read();
      assert.match(wordsOf(catalogue?.problem ?? []), /name the README of their repository/);
    },
  ));

test.run();
