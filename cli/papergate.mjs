#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=262144 node
// One process. In a checkout the sources run as they are, wherever the command is called from. The variables make
// glibc give the memory of pictures, and of the pieces of at most 64 KiB in which bodies come, back as soon as it is free,
// and keep no heap for each thread (docs/capacity.md).
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { isCheckout, readTypeScript } from '../runtime/typescript.mjs';
import { followStarter, isToStartAgain, startAgain } from './start-again.mjs';

if (isToStartAgain(process)) {
  startAgain();
} else {
  followStarter();
  // What Node compiled of the sources is kept for the next start, which takes two thirds of the processor time then.
  if (isCheckout) enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/papergate/compiled'));
  await readTypeScript();
  await import('./main.ts');
}
