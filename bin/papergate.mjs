#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=262144 node
// The command of the package, which holds compiled sources, and of a checkout, which runs them as they are and calls this
// by the link at its top.
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const sources = new URL('../cli/papergate.mjs', import.meta.url);
const isCheckout = existsSync(sources);
// The Node that `make setup` brought, where this machine's is older.
const ownNode = fileURLToPath(new URL('../.node/bin/node', import.meta.url));
if (isCheckout && existsSync(ownNode) && realpathSync(ownNode) !== process.execPath) {
  const { startAgain } = await import('../cli/start-again.mjs');
  startAgain(ownNode);
} else {
  await import('./supported-node.mjs');
  // npm writes this file when all packages are there.
  if (isCheckout && !existsSync(new URL('../node_modules/.package-lock.json', import.meta.url))) {
    process.stderr.write('The packages of this checkout are not installed, or only in part.\n  make setup\n');
    process.exit(1);
  }
  await import(isCheckout ? sources : new URL('../dist/cli/papergate.mjs', import.meta.url));
}
