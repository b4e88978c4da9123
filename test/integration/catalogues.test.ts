/** Catalogues of integrations: the documented format, broken ones beside whole ones, limits, and what is kept. */

import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCatalogueDocument } from '../../api/integration/catalogue-document.ts';
import { manifestFetcher } from '../../api/integration/fetch-manifest.ts';
import { catalogueReader } from '../../api/integration/read-catalogues.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { readBeginning } from '../../runtime/disk/read-beginning.ts';
import { hereNetwork, withReceiver } from '../callbacks/receiver.ts';
import { withHttp } from '../http/world.ts';
import { handClock } from './integration-world.ts';

const test = suite('catalogues of integrations');

const documented = (): string => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/integration-pages.md'), 'utf8');
  const [, example = ''] = /## Being listed in a catalogue[\s\S]*?```json\n([\s\S]*?)```/.exec(page) ?? [];
  return example;
};

const named = (name: string, integrations: readonly unknown[] = []): string => JSON.stringify({ name, integrations });
const notes = { name: 'Notes', configUrl: 'https://notes.example/config.json' };

function reader(sources: readonly string[]) {
  const clock = handClock();
  const wayOut = openWayOut({ network: hereNetwork, clock });
  const rules = { production: false, allowLocalhost: true, publicHosts: [] };
  const decodeIcon = () => Promise.reject(new Error('no catalogue here names manifests'));
  const fetchManifest = manifestFetcher({ wayOut, rules });
  const read = catalogueReader({
    wayOut,
    clock,
    sources,
    readFile: readBeginning,
    manifests: { clock, wayOut, rules, fetchManifest, decodeIcon },
  });
  return { clock, read };
}

test('the documented example is a catalogue whose every entry fits', () => {
  const { name, integrations, leftOut } = readCatalogueDocument(documented());
  assert.equal([name, integrations.length, leftOut], ['Integrations of the neighbourhood', 1, []]);
  assert.ok(integrations[0]?.picture?.startsWith('data:image/png;base64,'));
});

test('entries that do not fit are left out by themselves, and pictures on strange hosts are none', () => {
  const { integrations, leftOut } = readCatalogueDocument(
    named('Mixed', [
      notes,
      { ...notes, picture: 'https://strange.example/track.png' },
      { ...notes, picture: 'data:image/svg+xml;base64,PHN2Zz4=' },
      { ...notes, configUrl: 'javascript:alert(1)' },
      { configUrl: notes.configUrl },
      7,
    ]),
  );
  assert.equal(integrations, [notes]);
  assert.equal(
    leftOut.map((line) => wordsOf(line).split(':', 2).join(':')),
    ['entry 2: picture', 'entry 3: picture', 'entry 4: configUrl', 'entry 5: name', 'entry 6: it'],
  );
  for (const text of ['', '[]', '{"name":"x"}', named('')]) assert.throws(() => readCatalogueDocument(text), text);
});

test('a broken catalogue gives its reason and spoils no other; the last good answer stays next to a later problem', () => {
  let asked = 0;
  return withReceiver(
    ({ path }, response) => {
      if (path === '/gone') response.writeHead(404).end();
      else if (path === '/moved') response.writeHead(302, { location: '/good' }).end();
      else if (path === '/long') response.writeHead(200).end(Buffer.alloc(4 * 1024 * 1024 + 1, ' '));
      else if (path === '/once' && asked++ > 0) response.writeHead(500).end();
      else response.writeHead(200).end(named(path, [notes]));
    },
    async ({ origin, received }) => {
      const { clock, read } = reader(['/good', '/gone', '/moved', '/long', '/once'].map((path) => origin + path));
      assert.equal(received.length, 0, 'nothing is asked before somebody looks');
      const first = await read();
      assert.equal(
        first.map(({ name, problem, integrations }) => [name, problem && wordsOf(problem), integrations.length]),
        [
          ['/good', undefined, 1],
          [new URL(origin).host, 'status 404', 0],
          [new URL(origin).host, 'status 302', 0],
          [new URL(origin).host, 'the answer is too long', 0],
          ['/once', undefined, 1],
        ],
      );
      const asks = received.length;
      await Promise.all([read(), read()]);
      assert.is(received.length, asks, 'answers are kept');
      clock.passes(61_000);
      await Promise.all([read(), read()]);
      assert.is(received.length, asks + 3, 'failures are tried again after a minute, once for all who ask');
      clock.passes(10 * 60_000);
      const [, , , , once] = await read();
      assert.equal(
        [once?.name, once?.problem && wordsOf(once.problem), once?.integrations],
        ['/once', 'status 500', [notes]],
      );
      for (const { headers } of received) assert.equal([headers.cookie, headers.authorization], [undefined, undefined]);
    },
  );
});

test('a file is a catalogue too; one that is missing, a folder or too long says so without its path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-catalogue-'));
  try {
    await writeFile(join(folder, 'own.json'), named('Own', [notes]));
    await writeFile(join(folder, 'long.json'), Buffer.alloc(4 * 1024 * 1024 + 9, ' '));
    const { read } = reader([join(folder, 'own.json'), join(folder, 'none.json'), join(folder, 'long.json'), folder]);
    const [own, none, long, dir] = await read();
    assert.equal([own?.from, own?.problem, own?.integrations], ['own.json', undefined, [notes]]);
    assert.equal(
      [none?.from, none?.problem && wordsOf(none.problem)],
      ['none.json', 'the file could not be read: ENOENT'],
    );
    assert.equal(long?.problem, reasonOf('document-too-long', { most: 4 }));
    assert.match(wordsOf(dir?.problem ?? []), /EISDIR/);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the setting names addresses and paths, and refuses what is neither without quoting it', () => {
  const of = (text?: string) => readSettings(text === undefined ? {} : { PAPERGATE_CATALOGUES: text });
  assert.equal(of().PAPERGATE_CATALOGUES, []);
  assert.equal(of('https://a.example/x.json?y=1, ./own.json').PAPERGATE_CATALOGUES, [
    'https://a.example/x.json?y=1',
    './own.json',
  ]);
  for (const wrong of ['ftp://a.example/x', 'https://u:secret@a.example/x', 'x.json,,y.json', 'https://']) {
    assert.throws(
      () => of(wrong),
      (error: Error) => /PAPERGATE_CATALOGUES: number \d/.test(error.message) && !error.message.includes('secret'),
      wrong,
    );
  }
});

test('anyone who is signed in reads what the catalogues list', () =>
  withHttp(
    async ({ call, patient }) => {
      const { status, json } = await call('GET', '/v1/integration-papers/catalogues', { as: patient });
      assert.equal([status, json.catalogues[0].integrations], [200, [notes]]);
      assert.equal(
        json.catalogues[0].leftOutProblems.map((problems: { code: string }[]) => problems.map(({ code }) => code)),
        [
          ['entry-left-out', 'field-missing'],
          ['entry-left-out', 'field-not-manifest-address'],
        ],
      );
      assert.equal(json.catalogues[0].leftOutProblems[1][0].parameters, { entry: 3 });
      assert.is((await call('GET', '/v1/integration-papers/catalogues')).status, 401);
    },
    {
      readCatalogues: async () => {
        const listed = [{ configUrl: notes.configUrl }, notes, { ...notes, configUrl: 'ftp://a.example/config.json' }];
        return [{ from: 'own.json', ...readCatalogueDocument(JSON.stringify({ name: 'Own', integrations: listed })) }];
      },
    },
  ));

test.run();
