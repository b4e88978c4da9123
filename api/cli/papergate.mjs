#!/usr/bin/env node
// One process, no build step: the sources run as they are, wherever the command is called from.
import { register } from 'tsx/esm/api';

register();
await import('./main.ts');
