/**
 * Prints the folder of loops, compiled to WebAssembly, in Base64. A program of its own without tsx, which would take longer
 * to read the compiler than the compiler takes.
 */
import { readFileSync } from 'node:fs';
import { main } from 'assemblyscript/asc';

const entry = new URL('../../api/inks/dithering/loops/index.ts', import.meta.url);
const options = ['--outFile', 'loops.wasm', '-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd'];

const { error, stderr } = await main(['index.ts', ...options], {
  // The compiler puts an ending to every import; those of this project have theirs.
  readFile: (name) => {
    try {
      return readFileSync(new URL(name.replace(/(\.ts)+$/, '.ts'), entry), 'utf8');
    } catch {
      return null;
    }
  },
  writeFile: (_name, content) => {
    process.stdout.write(Buffer.from(content).toString('base64'));
  },
  listFiles: () => [],
});
if (error !== null) throw new Error(`the loops do not compile: ${stderr}`);
