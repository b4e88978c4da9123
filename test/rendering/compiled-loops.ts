/** The loops of dithering, compiled again: what `api/inks/dithering/compiled-loops.ts` should be. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { typescriptArgs } from '../../runtime/typescript.mjs';

const compiler = fileURLToPath(new URL('./compile-loops.ts', import.meta.url));

/** Every generated file: path below the root, content. Takes two seconds. */
export async function loopFiles(): Promise<readonly (readonly [path: string, content: string])[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [...typescriptArgs, compiler]);
  const lines = stdout.match(/.{1,110}/g) ?? [];
  const content = [
    '/** The folder `loops`, compiled to WebAssembly, in Base64: `node --import tsx test/accept.ts loops` writes it. */',
    'export const compiledLoops =',
    `${lines.map((line) => `  '${line}'`).join(' +\n')};`,
    '',
  ].join('\n');
  return [['api/inks/dithering/compiled-loops.ts', content]];
}
