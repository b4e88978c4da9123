/** The inputs that are kept of each target, in one file each: small, and as readable as they can be. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Coverage } from './coverage.ts';
import { runInput } from './explore.ts';
import type { FuzzTarget } from './target.ts';
import type { TargetName } from './targets.ts';

/** The most bytes of a corpus as its inputs count. */
export const maxCorpusBytes = 60_000;

type Kept = string | { readonly base64: string };

const fileOf = (name: TargetName): string => join(import.meta.dirname, 'corpora', `${name}.json`);

/** Reads the inputs of a target. */
export function readCorpus(name: TargetName): Buffer[] {
  if (!existsSync(fileOf(name))) return [];
  const kept = JSON.parse(readFileSync(fileOf(name), 'utf8')) as Kept[];
  return kept.map((one) => (typeof one === 'string' ? Buffer.from(one) : Buffer.from(one.base64, 'base64')));
}

/** Writes them. */
export function writeCorpus(name: TargetName, inputs: readonly Buffer[]): void {
  const kept = inputs.map((input): Kept => {
    const text = input.toString();
    const isText = Buffer.from(text).equals(input) && !/[^\t\r\n -~\u00a0-\ud7ff]/.test(text);
    return isText ? text : { base64: input.toString('base64') };
  });
  writeFileSync(
    fileOf(name),
    `[\n${kept.map((one) => `  ${JSON.stringify(one).replace('{"base64":', '{ "base64": ').replace(/"\}$/, '" }')}`).join(',\n')}\n]\n`,
  );
}

/** Chooses of inputs those that together reach what all of them reach, the shortest first, up to the bound. */
export async function smallest(target: FuzzTarget, coverage: Coverage, inputs: readonly Buffer[]): Promise<Buffer[]> {
  const reached = new Set<string>();
  const kept: Buffer[] = [];
  let bytes = 0;
  const once = async (input: Buffer): Promise<Set<string>> => {
    coverage.take();
    await runInput(target, input);
    return coverage.take();
  };
  for (const input of inputs.slice(0, 1)) await once(input);
  for (const input of [...inputs].sort((a, b) => a.length - b.length || Buffer.compare(a, b))) {
    const blocks = [...(await once(input))].map((block) => block.slice(0, block.lastIndexOf('x')));
    if (bytes + input.length > maxCorpusBytes || blocks.every((block) => reached.has(block))) continue;
    for (const block of blocks) reached.add(block);
    kept.push(input);
    bytes += input.length;
  }
  return kept;
}
