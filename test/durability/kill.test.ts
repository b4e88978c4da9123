/** `kill -9` at every named line of a real service process, and a start over what it left (FAULT-01, FACT-03). */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Integration } from '../../cli/demo/integration.ts';
import { eventually, type Push, pushOver, withFolder } from '../journeys/world.ts';
import { longTest } from '../some-times.ts';
import { callbackPoints, intakePoints, writerPoints } from './failpoints.ts';
import { connectPaper, type Processes, withProcesses } from './serving.ts';
import { readRows, type StoredRows } from './stored-rows.ts';

const kill = suite('kill');
const test = longTest(kill);

interface Submission {
  readonly messageId: string;
  readonly text: string;
  readonly imageBase64: string;
}

async function submissionAt(point: string, index: number): Promise<Submission> {
  const background = { r: index * 9, g: 90, b: 40 };
  const image = await sharp({ create: { width: 12, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
  return { messageId: point, text: `killed at ${point}`, imageBase64: image.toString('base64') };
}

/** A killed process may or may not have answered. */
async function answerOf(push: Push, submission: Submission): Promise<string | undefined> {
  return await push.submit(submission).then(
    ({ requestId }) => requestId,
    () => undefined,
  );
}

/** INV-01, INV-03: rows name only files that are whole, and each message id names one request. */
function checkStored({ requests, contents, integrity }: StoredRows, dataFolder: string): void {
  assert.is(integrity, 'ok');
  for (const key of [...requests, ...contents].flatMap(({ image_key }) => image_key ?? [])) {
    const bytes = readFileSync(join(dataFolder, 'files', key));
    assert.is(createHash('sha256').update(bytes).digest('hex'), key, 'INV-03: no half-written file');
  }
  assert.is(new Set(requests.map(({ message_id }) => message_id)).size, requests.length, 'INV-05');
  const [source] = contents;
  const last = requests.filter(({ accepted_at }) => accepted_at !== null).at(-1);
  assert.is(source?.request_id, last?.id, 'INV-15: the source is the newest accepted request');
}

/** Brings a submission to a line, where it stays. Returns what becomes of its answer. */
async function holdAt(point: string, push: Push, armed: string, submission: Submission) {
  writeFileSync(join(armed, point), '');
  const answer = answerOf(push, submission);
  await eventually(`a work is at ${point}`, async () => existsSync(join(armed, `${point}.held`)));
  // What is held there may be the callback of an earlier one: this one must not come by the next line as well.
  if (callbackPoints.some((name) => name === point)) await answer;
  return { point, submission, answer };
}

/** The identical retry after the restart completes what the kill broke off, or gets what was promised. */
async function retry(push: Push, submission: Submission, answered: string | undefined, rows: StoredRows) {
  const { messageId } = submission;
  const left = rows.requests.find(({ message_id }) => message_id === messageId);
  if (answered !== undefined) assert.is(left?.id, answered, `INV-01: ${messageId}`);
  if (left !== undefined) {
    await push.submit({ ...submission, text: 'another' }).then(
      () => assert.unreachable(`INV-11: ${messageId}`),
      (error: { status?: number }) => assert.is(error.status, 409),
    );
  }
  const again = await push.submit(submission);
  if (left !== undefined) assert.is(again.requestId, left.id, `INV-05: ${messageId}`);
  // An intake that is completed after a newer one was accepted never was the source.
  const states = left === undefined || left.state === 'receiving' ? [again.state] : [];
  return { id: again.requestId, wasSource: !states.includes('superseded') };
}

/**
 * The lines, dealt out to rounds. In each one work is held that holds the writer too, and one beside it:
 * two of an organization are worked on at once (T-61).
 */
function rounds(): string[][] {
  const free = intakePoints.filter((point) => !writerPoints.some((name) => name === point));
  const pairs = writerPoints.map((last, round) => [
    ...callbackPoints.slice(round, round + 1),
    ...free.slice(round, round + 1),
    last,
  ]);
  return [...pairs, free.slice(writerPoints.length)];
}

const eventsOf = (integration: Integration, id: string): string[] =>
  [...integration.callbacks.values()].flatMap(({ body }) => (body.requestId === id ? (body.state ?? []) : [])).sort();

const withWorld = (run: (folder: string, processes: Processes) => Promise<void>): Promise<void> =>
  withFolder((folder) => withProcesses((processes) => run(folder, processes)));

test('INV-01, INV-10, INV-59: killed at each line, an answered submission stays and any other can be repeated', () =>
  withWorld(async (folder, { integration, serve }) => {
    const [dataFolder, armed] = [join(folder, 'data'), join(folder, 'armed')];
    mkdirSync(armed);
    let serving = await serve(dataFolder, { found: true, armed });
    let push = await connectPaper(serving, integration);
    const promised: { submission: Submission; id: string; wasSource: boolean }[] = [];
    const states: Record<string, string | undefined> = {};
    for (const [index, points] of rounds().entries()) {
      const held: Awaited<ReturnType<typeof holdAt>>[] = [];
      for (const point of points)
        held.push(await holdAt(point, push, armed, await submissionAt(point, promised.length + held.length)));
      assert.is(await serving.end('SIGKILL'), 'SIGKILL');
      const rows = readRows(dataFolder);
      checkStored(rows, dataFolder);
      // Two minutes later: what the dead process had claimed is free again.
      serving = await serve(dataFolder, { armed, laterMs: (index + 1) * 120_000 });
      push = pushOver(serving.http, push);
      for (const { point, submission, answer } of held) {
        states[point] = rows.requests.find(({ message_id }) => message_id === point)?.state;
        promised.push({ submission, ...(await retry(push, submission, await answer, rows)) });
      }
    }
    const last = await push.submit({ messageId: 'last', text: 'after all' });
    for (const { submission, id } of promised) assert.is((await push.submit(submission)).requestId, id, 'C1');
    for (const { submission, id, wasSource } of promised) {
      const isTold = async () => eventsOf(integration, id).length > (wasSource ? 1 : 0);
      await eventually(`${submission.text}: told`, isTold);
      // INV-22, INV-59: each event once, however often it was sent
      const wanted = wasSource ? ['available', 'superseded'] : ['superseded'];
      assert.equal(eventsOf(integration, id), wanted, submission.text);
    }
    await eventually('the last is told', async () => eventsOf(integration, last.requestId).includes('available'));
    assert.is(await serving.end('SIGTERM'), 0);
    const rows = readRows(dataFolder);
    checkStored(rows, dataFolder);
    assert.is(rows.requests.length, promised.length + 1);
    // Each work was where it was meant to be: before its row, received, or committed.
    const found = (state: string) => Object.keys(states).filter((point) => (states[point] ?? 'none') === state);
    assert.equal(found('none').sort(), ['intake.before-row', 'intake.checked', 'intake.row-written']);
    assert.equal(found('receiving').sort(), intakePoints.slice(3, -2).sort());
    assert.is(promised.length, intakePoints.length + callbackPoints.length);
  }));

kill.run();
