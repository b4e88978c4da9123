/** Writes finds down as files, and says how each is tried again. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundFault } from './explore.ts';
import type { TargetName } from './targets.ts';

/** Keeps the inputs of finds where a test run removes nothing, and returns what to print. */
export function tellFaults(name: TargetName, faults: readonly FoundFault[]): string {
  const folder = join(import.meta.dirname, '../../node_modules/.cache/papergate/finds');
  mkdirSync(folder, { recursive: true });
  return faults
    .map(({ input, sign, stack }) => {
      const file = join(folder, `${name}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`);
      writeFileSync(file, input);
      const again = `node --import tsx test/fuzz/fuzz.ts ${name} --replay ${file}`;
      return `${name}: ${sign}\n  ${input.length} bytes: ${JSON.stringify(Buffer.from(input).toString('latin1').slice(0, 300))}\n  again: ${again}\n${stack}`;
    })
    .join('\n');
}
