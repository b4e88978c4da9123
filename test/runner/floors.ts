/** The floors of the product, its top folders with code (docs/architecture.md): what is compiled, and the console. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { include }: { include: string[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../tsconfig.json'), 'utf8'),
);

export const floors: readonly string[] = [...include, 'console'];
