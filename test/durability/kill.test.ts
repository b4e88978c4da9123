/** `kill -9` at every named line of a real service process, and a start over what it left (FI-01, F3). */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Integration, startIntegration } from '../../api/cli/demo/integration.ts';
import { eventually, type Push, pushOver, withFolder } from '../journeys/world.ts';
import { callbackPoints, intakePoints } from './failpoints.ts';
import { connectPaper, type Serving, serve } from './serving.ts';
import { readRows, type StoredRows } from './stored-rows.ts';

const test = suite('kill');

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

async function killAt(point: string, serving: Serving, push: Push, armed: string, submission: Submission) {
  writeFileSync(armed, point);
  const answered = await answerOf(push, submission);
  assert.is(await serving.ended, 'SIGKILL', point);
  rmSync(armed);
  return answered;
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
  return again.requestId;
}

async function told(integration: Integration, requestId: string, state: string): Promise<void> {
  const events = () =>
    [...integration.callbacks.values()].filter(({ body }) => body.requestId === requestId && body.state === state);
  await eventually(`${requestId} told ${state}`, async () => events().length > 0);
  assert.is(events().length, 1, 'INV-59: one event, however often it is sent');
}

test('INV-01, INV-10, INV-59: killed at each line, an answered submission stays and any other can be repeated', () =>
  withFolder(async (folder) => {
    const [dataFolder, armed] = [join(folder, 'data'), join(folder, 'armed')];
    const integration = await startIntegration();
    let serving = await serve(dataFolder, { found: true, armed });
    let push = await connectPaper(serving, integration);
    const { requestId } = await push.submit({ messageId: 'before', text: 'before all' });
    const promised: [Submission | { messageId: string; text: string }, string][] = [
      [{ messageId: 'before', text: 'before all' }, requestId],
    ];
    const states: Record<string, string | undefined> = {};
    for (const [index, point] of [...intakePoints, ...callbackPoints].entries()) {
      const submission = await submissionAt(point, index);
      const answered = await killAt(point, serving, push, armed, submission);
      const rows = readRows(dataFolder);
      checkStored(rows, dataFolder);
      states[point] = rows.requests.find(({ message_id }) => message_id === point)?.state;
      // Two minutes later: what the dead process had claimed is free again.
      serving = await serve(dataFolder, { armed, laterMs: (index + 1) * 120_000 });
      push = pushOver(serving.http, push);
      const id = await retry(push, submission, answered, rows);
      await told(integration, id, 'available');
      await told(integration, promised.at(-1)?.[1] ?? '', 'superseded');
      promised.push([submission, id]);
    }
    for (const [submission, id] of promised) assert.is((await push.submit(submission)).requestId, id, 'C1');
    assert.is(await serving.end('SIGTERM'), 0);
    await integration.stop();
    const rows = readRows(dataFolder);
    checkStored(rows, dataFolder);
    assert.equal(
      rows.requests.map(({ message_id }) => message_id),
      promised.map(([{ messageId }]) => messageId),
    );
    // Each kill was where it was meant to be: before the row, while it was received, after the commit.
    const found = (state: string | undefined) => Object.keys(states).filter((point) => states[point] === state);
    assert.equal(found(undefined), ['intake.checked', 'intake.before-row', 'intake.row-written']);
    assert.equal(found('receiving'), intakePoints.slice(3, -2));
    assert.not.ok(existsSync(armed));
  }));

test.run();
