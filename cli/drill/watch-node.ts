/** Watches how the other nodes take over when one is killed. The drill kills nothing by itself. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { deadAfterMs } from '../../cluster/nodes/node-life.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { RowReader } from '../deep/invariant.ts';
import { printLine } from '../ground/print.ts';
import type { StepFindings } from './drill-steps.ts';

/** How long a person has to kill it, and the others to take over. */
const killWithinMs = 300_000;
const takeOverWithinMs = 120_000;
const lookMs = 1_000;

interface NodeRow {
  readonly name: string;
  readonly id: string;
  readonly heartbeat_at: number | string;
}

const nodesOf = (rows: RowReader): Promise<readonly NodeRow[]> =>
  rows.all<NodeRow>('select name, id, heartbeat_at from nodes');

/** Lists the names of the nodes that live. */
async function livingNodes(rows: RowReader): Promise<readonly string[]> {
  const now = await rows.now();
  return (await nodesOf(rows))
    .filter(({ heartbeat_at }) => now - Number(heartbeat_at) <= deadAfterMs)
    .map(({ name }) => name);
}

/**
 * Makes sure that the node lives, and that another one does.
 * @throws Refusal `bad-configuration`
 */
export async function requireKillable(rows: RowReader, name: string): Promise<void> {
  const living = await livingNodes(rows);
  if (living.includes(name) && living.length > 1) return;
  const message = living.includes(name)
    ? `--kill-node: ${name} is the only node that lives: its frames would have nobody`
    : `--kill-node: no living node is named ${name}`;
  throw refuse('bad-configuration', { message, hint: 'papergate nodes list shows all nodes' });
}

/**
 * Has the node killed, and waits until it counts as dead, its single tasks are another's, and frames are heard from again.
 * @param killWith a command of the operator's; without it they are asked to do it
 */
export async function watchKill(rows: RowReader, name: string, killWith: string | undefined): Promise<StepFindings> {
  const node = (await nodesOf(rows)).find((one) => one.name === name);
  if (killWith === undefined) {
    printLine(
      `Kill node ${name} now: kill -9 its process, or switch off its machine. Waiting for its heartbeat to end …`,
    );
  } else await runShell(killWith);
  const lastBeat = await waitForSilence(rows, node?.id ?? '');
  const deadline = Date.now() + takeOverWithinMs;
  for (;;) {
    const now = await rows.now();
    const held = await rows.all<{ name: string }>(
      `select name from leases where holder = '${node?.id}' and until_at > ${now}`,
    );
    const [heard] = await rows.all<{ n: number | string }>(
      `select count(*) as n from frames where last_contact_at > ${lastBeat}`,
    );
    if (held.length === 0 && Number(heard?.n) > 0) {
      const seconds = Math.round((now - lastBeat) / 1_000);
      const took = `${seconds} s after its last heartbeat its tasks were another node's, and ${Number(heard?.n)} frames had been heard from.`;
      return { result: 'ok', findings: [`Node ${name} was killed.`, took, `Start it again: nothing of it is needed.`] };
    }
    if (Date.now() > deadline) {
      const why =
        held.length > 0 ? `it still holds ${held.map((one) => one.name).join(', ')}` : 'no frame was heard from';
      return { result: 'fail', findings: [`Node ${name} was killed, and two minutes later ${why}.`] };
    }
    await pause(lookMs);
  }
}

/** Waits until the heartbeat has been still for as long as makes a node dead. @returns the time of the last one */
async function waitForSilence(rows: RowReader, id: string): Promise<number> {
  const deadline = Date.now() + killWithinMs;
  let last = 0;
  for (;;) {
    const row = (await nodesOf(rows)).find((one) => one.id === id);
    last = Number(row?.heartbeat_at ?? last);
    if (row === undefined || (await rows.now()) - last > deadAfterMs) return last;
    if (Date.now() > deadline) throw new Error('the node was not killed within five minutes');
    await pause(lookMs);
  }
}

async function runShell(command: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`--kill-with ended with ${code}: ${command}`);
}
