/** Plants a bug into a copy of the sources, and plays the simulation there until it finds the bug. */

import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

/** Copies the sources, applies the patch of a bug, and uses the folder of the copy. */
async function withCopy<Result>(bug: PlantedBug, use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'papergate-planted-'));
  try {
    for (const name of [...floors, 'package.json', 'tsconfig.json']) {
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
  return withCopy(bug, async (folder) => {
    const command = ['cli/papergate.mjs', 'simulate', '--offline', '--stop-at-first', '--json'];
    const output = await promisify(execFile)(
      process.execPath,
      [
        ...command,
        '--seed',
        seed,
        '--runs',
        String(maxSeeds),
        ...(bug.amongNodes === true ? ['--nodes', 'drawn'] : []),
        ...(bug.restores === true ? ['--restores'] : []),
      ],
      {
        cwd: folder,
        maxBuffer: 64 * 1024 * 1024,
      },
    ).catch((failed: { stdout: string; stderr: string }) => failed);
    const lines = output.stdout.split('\n').filter((line) => line.startsWith('{'));
    const events: { event: string; runs?: number; rule?: string; sentence?: string }[] = lines.map((line) =>
      JSON.parse(line),
    );
    const verdict = events.find(({ event }) => event === 'verdict');
    if (verdict?.runs === undefined) throw new Error(`${bug.name}: no verdict. ${output.stderr.slice(0, 2000)}`);
    const broken = events.find(({ event }) => event === 'broken');
    return { rule: broken?.rule, sentence: broken?.sentence, seeds: verdict.runs };
  });
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
