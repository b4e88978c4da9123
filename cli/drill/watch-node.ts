/** Watches how the other nodes take over when one is killed. The drill kills nothing by itself. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { deadAfterMs } from '../../cluster/nodes/node-life.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { RowReader } from '../deep/invariant.ts';
import { printWarning } from '../ground/print.ts';
import type { StepFindings } from './drill-steps.ts';

/** How long a person has to kill it, and the others to take over. */
const killWithinMs = 300_000;
const takeOverWithinMs = 120_000;
const lookMs = 1_000;
/** A frame that was heard from so long ago, and did not go to sleep, is awake. */
const awakeMs = 600_000;

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
 * Has the node killed, and waits until it counts as dead, other nodes have its single tasks, and frames are heard from again.
 * Where no frame is due within the time, that is said, and is not a failure.
 * @param killWith a command of the operator's; without it they are asked to do it, on stderr
 */
export async function watchKill(rows: RowReader, name: string, killWith: string | undefined): Promise<StepFindings> {
  const node = (await nodesOf(rows)).find((one) => one.name === name);
  if (node === undefined) throw new Error(`node ${name} has gone by itself`);
  const tasks = (await leasesOf(rows)).filter(({ holder }) => holder === node.id).map((lease) => lease.name);
  if (killWith === undefined) {
    printWarning(
      `Kill node ${name} now: kill -9 its process, or switch off its machine. Waiting for its heartbeat to end …`,
    );
  } else await runShell(killWith);
  const killed = { node, tasks, lastBeat: await waitForSilence(rows, node) };
  const ends = (await rows.now()) + takeOverWithinMs;
  const due = await countFrames(rows, dueSql(killed.lastBeat, ends));
  for (;;) {
    const seen = await lookAfter(rows, killed);
    if (seen.waitFor === undefined && (seen.heard > 0 || due === 0)) return judgeTakenOver(killed, seen);
    if (seen.now > ends) {
      const why = seen.waitFor ?? `none of the ${due} frames that were due was heard from`;
      return { result: 'fail', findings: [`Node ${name} was killed, and two minutes later ${why}.`] };
    }
    await pause(lookMs);
  }
}

interface KilledNode {
  readonly node: NodeRow;
  /** The names of the leases that it had. */
  readonly tasks: readonly string[];
  /** The time of its last heartbeat. */
  readonly lastBeat: number;
}

interface SeenAfter {
  readonly now: number;
  /** The nodes that have its tasks. */
  readonly heirs: readonly string[];
  /** Says in words that something is not taken over yet; undefined when all is. */
  readonly waitFor: string | undefined;
  /** Frames that were heard from since the node counts as dead: none of them was served by it. */
  readonly heard: number;
  /** Whether a process with its name lives again. */
  readonly isBack: boolean;
}

async function lookAfter(rows: RowReader, { node, tasks, lastBeat }: KilledNode): Promise<SeenAfter> {
  const [leases, nodes] = [await leasesOf(rows), await nodesOf(rows)];
  const holders = tasks.map((task) => {
    const holder = leases.find((lease) => lease.name === task)?.holder;
    return holder === node.id ? undefined : nodes.find(({ id }) => id === holder)?.name;
  });
  const open = tasks.filter((_, at) => holders[at] === undefined);
  return {
    now: await rows.now(),
    heirs: [...new Set(holders.filter((holder) => holder !== undefined))],
    waitFor: open.length === 0 ? undefined : `no other node had its tasks (${open.join(', ')})`,
    heard: await countFrames(rows, `last_contact_at > ${lastBeat + deadAfterMs}`),
    isBack: nodes.some(({ id, name }) => name === node.name && id !== node.id),
  };
}

function judgeTakenOver({ node, lastBeat }: KilledNode, { now, heirs, heard, isBack }: SeenAfter): StepFindings {
  const seconds = Math.round((now - lastBeat) / 1_000);
  const took = `${seconds} s after its last heartbeat`;
  const findings = [
    `Node ${node.name} was killed.`,
    heirs.length === 0
      ? 'It had none of the tasks that one node does for all.'
      : `${took} its tasks were those of node ${heirs.join(', ')}.`,
    heard === 0
      ? `No frame was due in the two minutes after it: look later whether they were heard from, by papergate frames list.`
      : `${took} ${heard} frames had been heard from by other nodes.`,
    isBack ? 'It has been started again already.' : 'Start it again: nothing of it is needed.',
  ];
  return { result: heard === 0 ? 'warn' : 'ok', findings };
}

const leasesOf = async (rows: RowReader): Promise<readonly { readonly name: string; readonly holder: string }[]> =>
  rows.all(`select name, holder from leases where until_at > ${await rows.now()}`);

async function countFrames(rows: RowReader, where: string): Promise<number> {
  const [counted] = await rows.all<{ n: number | string }>(`select count(*) as n from frames where ${where}`);
  return Number(counted?.n);
}

/** Frames that were awake shortly before, or are to wake until then. */
const dueSql = (since: number, until: number): string =>
  `asleep_until between ${since} and ${until} or (asleep_until is null and last_contact_at > ${since - awakeMs})`;

/** Waits until the heartbeat has been still for as long as makes a node dead. @returns the time of the last one */
async function waitForSilence(rows: RowReader, { id, heartbeat_at }: NodeRow): Promise<number> {
  const deadline = Date.now() + killWithinMs;
  let last = Number(heartbeat_at);
  for (;;) {
    // Its row goes when it ends by itself, and when it is started again.
    const row = (await nodesOf(rows)).find((one) => one.id === id);
    last = Number(row?.heartbeat_at ?? last);
    if ((await rows.now()) - last > deadAfterMs) return last;
    if (Date.now() > deadline) throw new Error('the node was not killed within five minutes');
    await pause(lookMs);
  }
}

async function runShell(command: string): Promise<void> {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`--kill-with ended with ${code}: ${command}`);
}
