/** Process entry: plays one abuse. Its parent sends where (`scene`), when to begin (`go`) and when to end (`stop`). */
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { abuses } from './abuses.ts';
import type { Scene } from './stage.ts';

/** The outcomes of an abuse, by word. */
export type Outcomes = Readonly<Record<string, number>>;

const counts: Record<string, number> = {};
const over = new AbortController();
// Hundreds of requests listen to its end.
setMaxListeners(0, over.signal);
process.on('uncaughtException', (error) => tally(`uncaught ${error.message.slice(0, 60)}`));

function tally(word: string | number): void {
  counts[word] = (counts[word] ?? 0) + 1;
}

const abuse = abuses[process.argv[2] ?? ''];
if (abuse === undefined) throw new Error(`no abuse ${process.argv[2]}`);
const { attack } = abuse;

/** @returns the plan, ready to be played */
const ready = new Promise<(signal: AbortSignal) => Promise<unknown>>((resolve, reject) => {
  process.once('message', ({ scene }: { scene: Scene }) => void attack(scene, tally).then(resolve, reject));
});
const play = await ready;
process.on('message', (told) => {
  if (told === 'go') void play(over.signal);
  if (told === 'stop') void end();
});
process.send?.('ready');

async function end(): Promise<void> {
  over.abort();
  await pause(200);
  process.send?.(counts, () => process.exit(0));
}
