/** Starts such processes, alone or under a tracer, and walks a first paper to its integration. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Integration, startIntegration } from '../../cli/demo/integration.ts';
import type { DatabaseAddress } from '../../runtime/database/database.ts';
import { callApi } from '../call-api.ts';
import { connectIntegration, environmentOf, type Push, postcardMeta } from '../journeys/world.ts';
import type { OptimizeOptions, Ready } from './served.ts';

/** A running process. */
export interface Serving extends Ready {
  /** Returns its log so far. */
  log(): string;
  /** Resolves with the signal or the code it ended with. */
  readonly ended: Promise<NodeJS.Signals | number>;
  /** Sends it a signal and waits for its end. */
  end(signal: NodeJS.Signals): Promise<NodeJS.Signals | number>;
}

const served = join(import.meta.dirname, 'served.ts');

/** An integration and the processes that a test starts; what is left of them ends with it. */
export interface Processes {
  readonly integration: Integration;
  /** `rows` is where they lie: in the data folder unless it is given. */
  serve(
    dataFolder: string,
    optimizeOptions: OptimizeOptions,
    tracer?: readonly string[],
    rows?: DatabaseAddress,
  ): Promise<Serving>;
}

/** Runs a test with such processes. */
export async function withProcesses(run: (processes: Processes) => Promise<void>): Promise<void> {
  const living = new Set<Serving>();
  const integration = await startIntegration();
  try {
    await run({
      integration,
      async serve(dataFolder, optimizeOptions, tracer = [], rows = { file: join(dataFolder, 'papergate.sqlite') }) {
        const serving = await serve(dataFolder, optimizeOptions, tracer, rows);
        living.add(serving);
        void serving.ended.then(() => living.delete(serving));
        return serving;
      },
    });
  } finally {
    for (const serving of living) await serving.end('SIGKILL');
    await integration.stop();
  }
}

/** Starts a service process over a data folder. Pages are not drawn: no browser is started. */
async function serve(
  dataFolder: string,
  optimizeOptions: OptimizeOptions,
  tracer: readonly string[],
  rows: DatabaseAddress,
): Promise<Serving> {
  const [command = '', ...args] = [
    ...tracer,
    process.execPath,
    '--import',
    'tsx',
    served,
    JSON.stringify(optimizeOptions),
  ];
  const child = spawn(command, args, {
    cwd: join(import.meta.dirname, '../..'),
    // io_uring would pass by a tracer of system calls.
    env: {
      ...environmentOf(dataFolder, rows),
      PAPERGATE_BROWSER: '/nowhere/chromium',
      UV_USE_IO_URING: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let words = '';
  child.stderr.on('data', (chunk) => {
    words += chunk;
  });
  const ended = new Promise<NodeJS.Signals | number>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('error', reject);
    ended.then((how) => reject(new Error(`ended with ${how}: ${words.slice(-800)}`)));
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
  });
  return {
    ...ready,
    log: () => words,
    ended,
    end(signal) {
      process.kill(ready.pid, signal);
      return ended;
    },
  };
}

/** Makes a paper of the integration's in a service that founded its organization, and connects the integration. */
export async function connectPaper(serving: Serving, integration: Integration): Promise<Push> {
  const person = { url: serving.http, apiKey: serving.apiKey };
  const device = await callApi<{ id: string }>(person, 'POST', '/devices/', { organization: serving.organizationId });
  const paper = await callApi<{ id: string }>(person, 'POST', '/papers/', {
    deviceId: device.id,
    kind: 'plugin',
    organization: serving.organizationId,
    meta: { orientation: 'landscape', ...postcardMeta(integration) },
  });
  return connectIntegration(person, integration, paper.id);
}
