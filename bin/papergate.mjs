#!/usr/bin/env -S MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=262144 node
// The command of the package, which holds compiled sources, and of a checkout, which runs them as they are.
import { existsSync } from 'node:fs';

const sources = new URL('../cli/papergate.mjs', import.meta.url);
await import(existsSync(sources) ? sources : new URL('../dist/cli/papergate.mjs', import.meta.url));
