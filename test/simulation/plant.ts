/** Plants a bug into a copy of the sources, and plays the simulation there until it finds the bug. */

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Callback } from 'uvu';
import * as assert from 'uvu/assert';
import { floors } from '../runner/floors.ts';
import type { PlantedBug } from './planted-bug.ts';
import { plantedBugs } from './planted-bugs.ts';

const root = resolve(import.meta.dirname, '../..');

/** The result of the simulation of a copy. */
export interface SearchResult {
  /** The rule that was broken first; undefined when nothing was found. */
  readonly rule: string | undefined;
  readonly sentence: string | undefined;
  /** The number of seeds that were played. */
  readonly seeds: number;
}

/** Copies the sources and some folders more, applies the patch of a bug, and uses the folder of the copy. */
export async function withCopy<Result>(
  bug: Pick<PlantedBug, 'name' | 'edits'>,
  more: readonly string[],
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-planted-'));
  try {
    for (const name of [...floors, 'package.json', 'tsconfig.json', ...more]) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { file, find, replace } of bug.edits) {
      const path = join(folder, file);
      const parts = readFileSync(path, 'utf8').split(find);
      if (parts.length !== 2) throw new Error(`${bug.name}: found ${parts.length - 1} times in ${file}: ${find}`);
      writeFileSync(path, parts.join(replace));
    }
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Plays seeds of a copy with this bug until one of them breaks a promise. */
export function findBug(bug: PlantedBug, seed: string, maxSeeds: number): Promise<SearchResult> {
  return withCopy(bug, [], async (folder) => {
    const options = ['--stop-at-first', '--seed', seed, '--runs', String(maxSeeds), ...optionsOf(bug)];
    const { events, stderr } = await simulateIn(folder, options);
    const verdict = events.find(({ event }) => event === 'verdict');
    if (verdict?.runs === undefined) throw new Error(`${bug.name}: no verdict. ${stderr.slice(0, 2000)}`);
    const broken = events.find(({ event }) => event === 'broken');
    return { rule: broken?.rule, sentence: broken?.sentence, seeds: verdict.runs };
  });
}

/** Returns the options with which a bug is played. */
function optionsOf({ amongNodes, restores, archives, offlineFrames, deadlines }: PlantedBug): string[] {
  return [
    ...(amongNodes === true ? ['--nodes', 'drawn'] : []),
    ...(restores === true ? ['--restores'] : []),
    ...(archives === true ? ['--archives'] : []),
    ...(offlineFrames === true ? ['--offline-frames', '2'] : []),
    ...(deadlines === true ? ['--deadlines', '6'] : []),
  ];
}

/** Shrinks the first seed that finds this bug on a copy that has it; returns the file. */
export function shrinkBug(bug: PlantedBug, seed: string, maxSeeds: number): Promise<string> {
  return withCopy(bug, [], async (folder) => {
    const options = ['--seed', seed, '--runs', String(maxSeeds), '--stop-at-first', ...optionsOf(bug)];
    const found = (await simulateIn(folder, options)).events.find(({ event }) => event === 'broken');
    if (found?.seed === undefined) throw new Error(`${bug.name}: not found by ${maxSeeds} seeds`);
    const { events, stderr } = await simulateIn(folder, ['--seed', found.seed, '--shrink', ...optionsOf(bug)]);
    const text = events.find(({ event }) => event === 'shrunk')?.text;
    if (text === undefined) throw new Error(`${bug.name}: not shrunk. ${stderr.slice(0, 2000)}`);
    return text;
  });
}

/** Replays a seed that was shrunk on a copy with this bug; returns the rule that it breaks there. */
export async function replayBug(bug: PlantedBug, file: string): Promise<string | undefined> {
  const { events, stderr } = await withCopy(bug, [], (folder) => simulateIn(folder, ['--replay', file]));
  const replayed = events.find(({ event }) => event === 'replayed');
  if (replayed === undefined) throw new Error(`${bug.name}: not replayed. ${stderr.slice(0, 2000)}`);
  return replayed.broken?.rule;
}

/** A night of a copy that has a bug: its exit code, what it found, its page, and the files next to that. */
export function playNightOf(bug: PlantedBug, options: readonly string[]) {
  return withCopy(bug, [], async (folder) => {
    const night = ['--nightly', '--report', 'night.html', ...options];
    const { events, code } = await simulateIn(folder, night);
    const page = readFileSync(join(folder, 'night.html'), 'utf8');
    const found = events.filter(({ event }) => event === 'found');
    return { code, found, page, files: readdirSync(folder).filter((name) => name.startsWith('night')) };
  });
}

/** A line that the command prints. */
interface Printed {
  readonly event: string;
  readonly seed?: string;
  readonly text?: string;
  readonly runs?: number;
  readonly rule?: string;
  readonly sentence?: string;
  readonly command?: string;
  readonly broken?: { readonly rule: string };
}

/** Runs the simulation of a copy. */
async function simulateIn(
  folder: string,
  options: readonly string[],
): Promise<{ readonly events: readonly Printed[]; readonly stderr: string; readonly code: number }> {
  const output = await promisify(execFile)(
    process.execPath,
    ['cli/papergate.mjs', 'simulate', '--offline', '--json', ...options],
    { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
  ).catch((failed: { stdout: string; stderr: string; code: number }) => failed);
  const lines = output.stdout.split('\n').filter((line) => line.startsWith('{'));
  const code = 'code' in output ? output.code : 0;
  return { events: lines.map((line) => JSON.parse(line)), stderr: output.stderr, code };
}

/** Registers a test for each of these bugs: at most 300 seeds find it, by a rule that it breaks. */
export function testFound(names: readonly string[], test: (name: string, run: Callback) => unknown): void {
  for (const name of names) {
    test(`found: ${name}`, async () => {
      const bug = plantedBugs.find((one) => one.name === name);
      assert.ok(bug);
      const { rule, seeds } = await findBug(bug, 'control', 300);
      assert.ok(rule !== undefined && bug.breaks.includes(rule), `${rule} after ${seeds} seeds`);
    });
  }
}
