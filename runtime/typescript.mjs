/** How Node reads this project: its sources as they are in a checkout, and what they were compiled to in a package. */
import { existsSync } from 'node:fs';

/** Whether these are the sources. A package holds them compiled, and nothing that ends in `.ts`. */
export const isCheckout = existsSync(new URL('./clock.ts', import.meta.url));

/** Whether tsx reads the sources: Node 22.14 to 22.17 does not do it by itself, and a package needs neither. */
const needsLoader = isCheckout && !process.features.typescript;

/** Has Node read TypeScript in this thread from now on. */
export async function readTypeScript() {
  if (!needsLoader) return;
  const { register } = await import('tsx/esm/api');
  register();
}

/**
 * The arguments with which a thread or a process of ours is started, so that it reads TypeScript. `--import tsx` does
 * nothing in threads.
 * @type {readonly string[]}
 */
export const typescriptArgs = needsLoader ? ['--import', registration()] : [];

/** Returns a module that has tsx read the sources. */
function registration() {
  const code = `import { register } from '${import.meta.resolve('tsx/esm/api')}'; register();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/**
 * Returns the address of a module that a thread or a process begins with. In a package it is the compiled one.
 * @param {URL} source
 */
export const startedModule = (source) => (isCheckout ? source : new URL(source.href.replace(/\.ts$/, '.js')));
