#!/usr/bin/env node
// One process, no build step: the sources run as they are, wherever the command is called from.
import { register } from 'tsx/esm/api';

register();
const { followNpx } = await import('./follow-npx.ts');
followNpx();
await import('./main.ts');
