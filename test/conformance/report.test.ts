/** The pages of the conformance kit: of frames that were played, and of servers. */
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { storiesOf } from '../../testbed/conformance/check-frame.ts';
import { clauseResults } from '../../testbed/conformance/clause-results.ts';
import type { StepResult } from '../../testbed/conformance/play-stories.ts';
import { type FrameTrial, frameReport } from '../../testbed/conformance/report/frame-report.ts';
import { readable, withoutSecrets } from '../../testbed/conformance/transcript.ts';
import { papergate } from '../cli/papergate.ts';
import { longTest } from '../some-times.ts';
import { type PlayedStories, playedSerial, playFrame, told } from './played-frame.ts';

const test = suite('reports of conformance');

function pageOf(
  { summary, results, notes }: PlayedStories,
  dialect: 'native' | 'classic',
  more: Partial<FrameTrial> = {},
) {
  const stories = storiesOf(dialect);
  const clauses = clauseResults(dialect, stories, results);
  const page = frameReport({
    serial: playedSerial,
    panel: 'epd7',
    dialect,
    startedAt: Date.UTC(2026, 10, 28, 1),
    endedAt: Date.UTC(2026, 10, 28, 1, 20),
    release: '1.2.3',
    firmware: [...notes.firmware],
    steps: notes.steps,
    command: './papergate conformance --serial x',
    stories,
    summary,
    clauses,
    ...more,
  });
  return { page, clauses };
}

test('an honest frame tries every clause of its dialect, and the page names its version and every story', async () => {
  const played = await playFrame('native');
  const { page, clauses } = pageOf(played, 'native');
  assert.equal([...new Set(clauses.map(({ outcome }) => outcome))], ['kept'], told(played.results));
  assert.ok(clauses.length > 15);
  // The table of what tries which clause is right: a story that judged a clause is one that was to try it.
  for (const { clause, sentence } of clauses) {
    const judging = played.results.find(({ clauses: found }) => found.some((finding) => finding.clause === clause));
    assert.ok(page.includes(clause) && page.includes(sentence.split('`')[0] ?? ''), clause);
    if (judging === undefined) continue;
    const skipped: StepResult[] = storiesOf('native').map(({ name, why }) => ({
      story: name,
      step: 1,
      why,
      outcome: 'skipped',
      clauses: [],
      detail: `left ${name}`,
    }));
    const found = clauseResults('native', storiesOf('native'), skipped).find((each) => each.clause === clause);
    assert.is(found?.outcome, 'not tried');
    assert.match(found?.why ?? '', /: left /, clause);
  }
  assert.match(page, /<code>1\.0\.0<\/code>/);
  assert.match(page, /2026-11-28 01:00 UTC, 20 min/);
  assert.not.match(page, /What was broken/);
  for (const { name } of storiesOf('native')) assert.ok(page.includes(`<strong>${name}</strong>`), name);
});

longTest(test)('an honest classic frame tries every clause of its dialect too', async () => {
  const played = await playFrame('classic');
  const { clauses } = pageOf(played, 'classic');
  assert.equal([...new Set(clauses.map(({ outcome }) => outcome))], ['kept'], told(played.results));
});

longTest(test)(
  'a classic frame that draws half a file: what was expected, what came, and what was said, without an address',
  async () => {
    const { page, clauses } = pageOf(await playFrame('classic', 'half-download'), 'classic');
    assert.is(clauses.find(({ clause }) => clause === 'takes-every-byte')?.outcome, 'broken');
    assert.match(page, /What was broken/);
    assert.match(page, /Expected<\/dt><dd>a GET of the picture, of which the frame takes every byte/);
    assert.match(page, /broken off by the frame/);
    assert.match(page, /&quot;url&quot;:&quot;[^&]*…/);
    assert.not.match(page, /\/f\/[\w-]{4,}/);
  },
);

test('what a frame says becomes no markup, and a frame that never came is reported as one', () => {
  const attack = '"><script>alert(1)</script>';
  const stories = storiesOf('native');
  const [story] = stories;
  assert.ok(story);
  const said = { at: 1, from: 'frame', what: attack, said: attack } as const;
  const finding = { clause: 'well-formed', kept: false, detail: attack, sentence: attack } as const;
  const broken: StepResult = { story: story.name, step: 1, why: attack, outcome: 'broken', clauses: [finding] };
  const detail = 'the frame did not wake within 900 s';
  const skipped = stories
    .slice(1)
    .map(({ name, why }): StepResult => ({ story: name, step: 1, why, outcome: 'skipped', clauses: [], detail }));
  const trial = (results: readonly StepResult[], counts: Partial<PlayedStories['summary']>) =>
    pageOf(
      {
        summary: { kept: 0, broken: 0, skipped: 0, brokenClauses: [], ...counts },
        results,
        skipped: [],
        notes: {
          steps: results.map((result) => ({ result, exchanges: [said] })),
          firmware: new Set([attack]),
          heard: () => {},
          tell: () => {},
        },
      },
      'native',
      { serial: attack, panel: attack, command: attack, release: attack },
    ).page;
  const page = trial([broken, ...skipped], { broken: 1, brokenClauses: ['well-formed'] });
  assert.not.match(page, /<script/);
  assert.ok(page.split('&lt;script&gt;').length > 8);
  const nobody = trial(skipped, { skipped: stories.length });
  assert.match(nobody, /No story could be played/);
  assert.ok(nobody.split(detail).length > stories.length);
});

test('nothing that opens something is left in what is written down', () => {
  const secrets = ['s3cret-of-the-frame'];
  const texts = [
    ['{"password":"hunter2","api_key": "abc\\"def","boot":3}', '{"password":"…","api_key": "…","boot":3}'],
    ['at https://ann:pw@host:8443/a/b?token=12&x#y now', 'at https://…@host:8443/a/b?… now'],
    ['"url":"http://127.0.0.1:1/f/AbC-123_x"', '"url":"http://127.0.0.1:1/f/…"'],
    ['"url":"/f/AbC-123_x"', '"url":"/f/…"'],
    ['http://host/pictures/0123456789abcdef0123/name.png', 'http://host/pictures/…/name.png'],
    ['/picture.png?signature=ab%20&expires=1 and', '/picture.png?… and'],
    ['log: s3cret-of-the-frame', 'log: …'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----', '…'],
    ['is it so? yes', 'is it so? yes'],
  ] as const;
  for (const [text, safe] of texts) assert.is(withoutSecrets(text, secrets), safe);
  assert.match(readable('x'.repeat(2000)), /^x{800}… \(2000 characters in all\)$/);
});

async function withServer(answer: RequestListener, use: (base: string) => Promise<void>): Promise<void> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test('a server that is wrong and means harm: one page, without its key, and nothing of it runs', () =>
  withServer(
    (request, response) => {
      const attack = '<script>alert(1)</script>';
      const image_url = `http://${request.headers.host}/${attack}?signature=sig-1`;
      const body =
        request.url === '/api/setup'
          ? { status: 200, api_key: 'key-of-1', friendly_id: attack }
          : { status: 0, refresh_rate: 0, filename: attack, image_url };
      response.setHeader('X-Attack', attack).setHeader('Set-Cookie', 'session=cookie-1').end(JSON.stringify(body));
    },
    async (base) => {
      const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
      try {
        const file = join(folder, 'report.html');
        const { code, stdout } = await papergate(
          {},
          'conformance',
          '--server',
          base,
          '--report',
          file,
          '--key',
          'key-of-2',
        );
        assert.is(code, 1);
        assert.match(stdout, /Report: .*report\.html/);
        assert.match(stdout, /not tried setup: the frame had its key already/);
        assert.equal(await readdir(folder), ['report.html']);
        const page = await readFile(file, 'utf8');
        assert.not.match(page, /<script|key-of-|sig-1|cookie-1/);
        assert.match(page, /&lt;script&gt;alert\(1\)/);
        assert.match(page, /display: sleep <span class="badge bad">broken/);
        assert.match(page, /more than 0, which is an endless loop of wakes/);
        assert.match(page, /papergate conformance --server http:\/\/127\.0\.0\.1:\d+ .*--key KEY/);
        for (const form of [[], ['--json']]) {
          const again = await papergate({}, 'conformance', '--server', base, ...form);
          assert.match(again.stdout, /friendly_id/);
          assert.not.match(again.stdout, /key-of-|sig-1/);
        }
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  ));

test('a page that could not be written is refused before anything is tried', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-conformance-'));
  let calls = 0;
  try {
    await withServer(
      (_, response) => {
        calls++;
        response.end();
      },
      async (base) => {
        for (const more of [
          ['--server', base],
          ['--serial', playedSerial, '--credentials', join(folder, 'made')],
        ]) {
          const { code, stderr } = await papergate(
            {},
            'conformance',
            ...more,
            '--report',
            join(folder, 'none', 'a.html'),
          );
          assert.is(code, 1);
          assert.match(stderr, /^--report: \S+\/none\/a\.html is not there, and cannot be made\n/);
        }
      },
    );
    assert.is(calls, 0);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();
