/** The walk of docs/integrations.md, played as it stands there: its commands in a shell, its server, its receiver; and what the pages beside it list. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FrameState, frameStates } from '../../api/callbacks/callback-event.ts';
import { attemptsBeforeFailure, deliveryTransitions, requestStates, retryMs } from '../../api/delivery-state/states.ts';
import { describeRefusals } from '../../api/http/description/describe-refusals.ts';
import { statusOf } from '../../api/http/refusal-status.ts';
import { deliveryLevels } from '../../api/submissions/describe-delivery.ts';
import { type RefusalCode, refuse } from '../../reasons/refusals.ts';
import { assertDescribed, callbackProblem } from '../callbacks/described-callback.ts';
import { documentedPage, freePort, openShell, playedCheckout } from '../documents/documented-shell.ts';
import { withWorld } from '../integration/integration-world.ts';
import { longTest } from '../some-times.ts';
import { environmentOf, withFolder } from './world.ts';

const test = suite('documented integration');

const { text: walk, blocks: blocksOf } = documentedPage('docs/integrations.md');
const callbacks = documentedPage('docs/callbacks.md');
const page = [walk, callbacks.text, documentedPage('docs/integration-pages.md').text].join('\n');

longTest(test)(
  'the walk leads from an empty service to synced, and its receiver keeps strangers and repeats out',
  async () => {
    await withFolder(async (folder, rows) => {
      const [http, integration] = [await freePort(), await freePort()];
      const here = (text: string) =>
        text.replaceAll(':3000', `:${http}`).replaceAll(/(?<!\d)4000/g, String(integration));
      const { INTEGRATION_ALLOW_LOCALHOST: _, ...env } = environmentOf(join(folder, 'data'), rows);
      await playedCheckout(folder);
      const shell = openShell(folder, { ...env, PAPERGATE_HTTP_PORT: String(http) });
      const inNotes = (name: string) => readFile(join(folder, 'notes', name), 'utf8');
      const chapter = 'From an empty service to `synced`';
      try {
        const [start = '', pages = '', connect = '', grant = '', push = '', disconnect = '', end = ''] = blocksOf(
          'sh',
          chapter,
        );
        assert.match(end, /^kill/);
        await shell.run(here(start));
        await shell.run(here(pages));
        const [server = ''] = blocksOf('js', chapter);
        await writeFile(join(folder, 'notes/server.mjs'), here(server));
        await shell.run(here(connect));
        await shell.run(here(grant));
        const status: string = await shell.run(here(push));
        assert.match(status, /"state":"synced".*"level":"confirmed"|"state":"synced".*"level":"reported shown"/);
        const lines = (await inNotes('server.log')).trim().split('\n').sort();
        const told = lines.map((line) => line.replace(/ epd7-[0-9a-f]{12} /, ' a frame '));
        assert.equal(told, ['note-1 a frame prepared', 'note-1 a frame synced', 'note-1 the paper available']);

        const names = await readdir(join(folder, 'notes/events'));
        assert.is(names.length, 3);
        const bodies = await Promise.all(names.map((name) => inNotes(`events/${name}`)));
        for (const body of bodies) assertDescribed(body);

        const { callbackToken, connectionId, token } = JSON.parse(await inNotes('connection.json'));
        const [again = ''] = bodies;
        const post = async (body: string, bearer: string) => {
          const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
          const answer = await fetch(`http://127.0.0.1:${integration}/status`, { method: 'POST', headers, body });
          return answer.status;
        };
        const unseen = { ...JSON.parse(again), eventId: '0'.repeat(24) };
        assert.is(await post(again, callbackToken), 204, 'a repeat');
        assert.is(await post(JSON.stringify(unseen), token), 401, 'a stranger');
        assert.is(await post(JSON.stringify({ ...unseen, connectionId: '0'.repeat(24) }), callbackToken), 403);
        assert.is((await inNotes('server.log')).trim().split('\n').length, 3);
        assert.is(await post(JSON.stringify(unseen), callbackToken), 204, 'an event');
        assert.is((await inNotes('server.log')).trim().split('\n').length, 4);

        const [ask = ''] = callbacks.blocks('sh', 'Events that you missed');
        const listed = JSON.parse(await shell.run(ask)).events;
        assert.equal(listed.map((event: unknown) => JSON.stringify(event)).sort(), [...bodies].sort());
        await catchUp(join(folder, 'notes'), { url: `http://127.0.0.1:${http}`, bodies });

        await shell.run(here(disconnect));
        const path = `/v1/integration-papers/connections/${connectionId}/status`;
        const refused = await fetch(`http://127.0.0.1:${http}${path}`, {
          headers: { authorization: `Bearer ${token}` },
        });
        assert.is(refused.status, 401);
        await shell.run(here(end));
        assert.is(await shell.end(), 0);
      } finally {
        shell.kill();
      }
    });
  },
);

/** Runs the program that asks for missed events: after the receiver lost its disk, after a cursor that is no longer known, and again. */
async function catchUp(notes: string, { url, bodies }: { url: string; bodies: readonly string[] }): Promise<void> {
  const [program = '', ...more] = callbacks.blocks('js', 'Events that you missed');
  assert.equal(more, []);
  await writeFile(join(notes, 'catch-up.mjs'), program);
  const env = { PATH: process.env.PATH, URL: url };
  const run = () => promisify(execFile)(process.execPath, ['catch-up.mjs'], { cwd: notes, env, timeout: 60_000 });
  const stored = async () => {
    const names = await readdir(join(notes, 'events'));
    return (await Promise.all(names.map((name) => readFile(join(notes, 'events', name), 'utf8')))).sort();
  };
  const lostDisk = () => rm(join(notes, 'events'), { recursive: true });
  await lostDisk();
  const { stdout, stderr } = await run();
  assert.equal([stdout.trim().split('\n').length, stderr], [3, '']);
  assert.equal(await stored(), [...bodies].sort(), 'the bytes of the callbacks');
  assert.equal(await run(), { stdout: '', stderr: '' }, 'nothing happened since');
  await lostDisk();
  await writeFile(join(notes, 'cursor'), 'of another service');
  const again = await run();
  assert.match(again.stderr, /^This cursor is not known: .*: list without after/);
  assert.equal(await stored(), [...bodies].sort());
}

test('the callback that the page shows is one, and as long as it says', () => {
  const [request = ''] = callbacks.blocks('', 'Callbacks');
  const [head = '', body = ''] = request.trim().split('\n\n');
  assertDescribed(body);
  assert.match(head, new RegExp(`^content-length: ${Buffer.byteLength(body)}$`, 'm'));
  const event = JSON.parse(body);
  for (const wrong of [
    { ...event, state: 'available' },
    { ...event, state: 'pending' },
    { ...event, deviceId: undefined },
    { ...event, eventId: 'epd7-0' },
    { ...event, occurredAt: 'yesterday' },
    { ...event, serial: 'epd7-0' },
  ]) {
    assert.ok(callbackProblem(JSON.stringify(wrong)), JSON.stringify(wrong));
  }
});

/** The rows of the table with this head, each as its cells. */
function tableOf(head: string): string[][] {
  const table =
    page
      .slice(page.indexOf(`\n${head}\n`))
      .trim()
      .split('\n\n')[0] ?? '';
  const [, , ...rows] = table.split('\n');
  assert.ok(rows.length > 3, head);
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const wordsIn = (cell: string): string[] => [...cell.matchAll(/`([a-z ]+)`/g)].map(([, word = '']) => word);

test('the tables name every field and state of a callback, and what may follow it', () => {
  const fields = tableOf('| Field | Type | Means |').map(([name = '']) => name.replaceAll('`', ''));
  const event = JSON.parse(/^\{"eventId.*$/m.exec(page)?.[0] ?? '');
  assert.equal(fields, Object.keys(event));
  const rows = tableOf('| `state` | Of | Means | What may follow |');
  const states = (of: string) => rows.filter((row) => row[1] === of).map(([state = '']) => wordsIn(state)[0]);
  assert.equal(states('a frame').sort(), [...frameStates].sort());
  for (const state of ['available', 'superseded', 'unconfirmed'] as const) {
    const { deviceId: _, frameName: __, grade: ___, dataAt: ____, ...ofPaper } = event;
    assert.is(callbackProblem(JSON.stringify({ ...ofPaper, state })), undefined);
    assert.ok(states('the paper').includes(state), state);
  }
  for (const [state = '', of, , follows = ''] of rows.filter((row) => row[1] === 'a frame')) {
    const [name] = wordsIn(state);
    const next = deliveryTransitions[name as FrameState];
    assert.equal(wordsIn(follows).sort(), [...next].sort(), `${of}: ${name}`);
  }
  const requests = tableOf('| `state` | Means | May become |').map(([state = '']) => wordsIn(state)[0]);
  assert.equal(requests, ['empty', ...requestStates]);
  const levels = /^\| `evidence.level` \|(.*)\|$/m.exec(page)?.[1] ?? '';
  assert.equal(wordsIn(levels), [...deliveryLevels]);
  const pauses = /after (\d+), (\d+) and (\d+) seconds, and after the fourth failure/.exec(page.replaceAll('\n', ' '));
  assert.equal(
    pauses?.slice(1).map(Number),
    retryMs.map((ms) => ms / 1_000),
  );
  assert.is(attemptsBeforeFailure, 4);
});

test('every refusal is named with its status and its sentence, and none is left out', () =>
  withWorld(async ({ routes }) => {
    const rows = tableOf('| Status and `code` | `message` | When | What to do |');
    const named = new Map(
      rows.map(([status = '', message = '']) => {
        const [, number, code = ''] = /^(\d{3}) `([a-z-]+)`$/.exec(status) ?? [];
        return [code, `${number} ${message}`];
      }),
    );
    for (const [code, said] of named) {
      assert.is(said, `${statusOf(code as RefusalCode)} ${refuse(code as RefusalCode).message}`);
    }
    const calls = routes.filter(({ path }) =>
      /integration-papers\/(connections|exchange|papers.*(grants|connection$))/.test(path),
    );
    assert.is(calls.length, 7);
    const responses: Record<string, unknown> = {};
    const codes = new Set<string>();
    for (const call of calls) describeRefusals(call, responses);
    for (const name of Object.keys(responses)) for (const code of name.split('.')) codes.add(code);
    assert.ok(codes.size > 12);
    assert.equal(
      [...codes].filter((code) => !named.has(code)),
      [],
    );
  }));

test.run();
