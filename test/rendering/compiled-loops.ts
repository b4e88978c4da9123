/** The loops of dithering, compiled anew: what `api/rendering/dithering/compiled-loops.ts` should be. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const folder = new URL('../../api/rendering/dithering/loops/index.ts', import.meta.url);

/** Compiles the folder of loops. Takes two seconds. */
async function compileLoops(): Promise<Uint8Array> {
  const { main } = await import('assemblyscript/asc');
  const written: Uint8Array[] = [];
  const { error, stderr } = await main(
    ['index.ts', '--outFile', 'loops.wasm', '-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd'],
    {
      // The compiler puts an ending to every import, the imports of this project have theirs.
      readFile: (name) => {
        try {
          return readFileSync(new URL(name.replace(/(\.ts)+$/, '.ts'), folder), 'utf8');
        } catch {
          return null;
        }
      },
      writeFile: (_name, content) => {
        written.push(content as Uint8Array);
      },
      listFiles: () => [],
    },
  );
  const [bytes] = written;
  if (error !== null || bytes === undefined) throw new Error(`the loops do not compile: ${stderr}`);
  return bytes;
}

/** Every generated file: path below the root, content. */
export async function loopFiles(): Promise<readonly (readonly [path: string, content: string])[]> {
  const bytes = Buffer.from(await compileLoops()).toString('base64');
  const lines = bytes.replaceAll(/.{1,110}/g, (line) => `  '${line}' +\n`).replace(/ \+\n$/, '');
  const content = `/** The folder \`loops\`, compiled to WebAssembly, in Base64: \`node --import tsx test/accept.ts loops\` writes it. */\nexport const compiledLoops =\n${lines};\n`;
  return [['api/rendering/dithering/compiled-loops.ts', content]];
}

/** What the file says now. */
export const readAccepted = (path: string): string => readFileSync(join(root, path), 'utf8');
