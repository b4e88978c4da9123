/** How Node reads this project: its sources as they are in a checkout, and what they were compiled to in a package. */
import { existsSync } from 'node:fs';

/** Whether these are the sources. A package holds them compiled, beside nothing that ends in `.ts`. */
export const isCheckout = existsSync(new URL('./clock.ts', import.meta.url));

/** Has Node read TypeScript in this thread from now on: by itself where it can, or else by tsx. A package needs neither. */
export async function readTypeScript() {
  if (!isCheckout || process.features.typescript) return;
  const { register } = await import('tsx/esm/api');
  register();
}
