/** A checkout of three integrations, as a vendor's repository has them, and a host of it. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import type { Network } from '../../api/outgoing/network.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { defaultHandlerLimits, type HandlerLimits } from '../../cli/integrations/handler-pool.ts';
import { type RunningHost, type ServeFolderOptions, startHost } from '../../cli/integrations/serve-folder.ts';
import { systemClock } from '../../runtime/clock.ts';

/** A picture that no encoder makes small: every pixel has its own colour. */
export async function largeIcon(side: number): Promise<Buffer> {
  const pixels = Buffer.alloc(side * side * 3);
  for (let at = 0, state = 7; at < pixels.length; at++) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    pixels[at] = state >>> 16;
  }
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
}

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({
    name,
    description: `${name} on paper`,
    renderPage: './render.html',
    icon: './assets/icon.png',
    ...more,
  });

const texts: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ type: 'module', dependencies: { 'tide-tables': 'file:packages/tables' } }),
  'packages/tables/package.json': JSON.stringify({
    name: 'tide-tables',
    type: 'module',
    exports: { './low': './low.js' },
  }),
  'packages/tables/low.js': 'export const low = 3;\n',
  'public/shared.css': 'body { margin: 0 }\n',
  'applications/_shared/words.js': 'export const word = "shared";\n',
  'applications/clock/config.json': manifest('Clock', { language: ['en', 'de'] }),
  'applications/clock/render.html': '<!doctype html><title>Clock</title>\n',
  'applications/clock/languages/de.json': '{"hour":"Stunde"}\n',
  'applications/clock/data/faces.json': '["round"]\n',
  'applications/clock/notes.md': 'not for others\n',
  'applications/tides/config.json': manifest('Tides', { settingsPage: './settings.html' }),
  'applications/tides/render.html': '<!doctype html><title>Tides</title>\n',
  'applications/tides/settings.html': '<!doctype html><title>Settings</title>\n',
  'applications/tides/api/data.js': `import { low } from 'tide-tables/low';
import { word } from '../../_shared/words.js';
let loaded = 0;
loaded++;
let calls = 0;
export default async ({ query, request }) => ({ query, low, word, loaded, calls: ++calls, host: request.get('host') });
`,
  'applications/tides/api/env.js':
    'export default async () => ({ seen: Object.keys(process.env).sort(), key: process.env.TIDE_KEY });\n',
  'applications/tides/api/throws.js': 'export default async () => { throw new Error("no tide today"); };\n',
  'applications/tides/api/nothing.js': 'export const other = 1;\n',
  'applications/tides/api/ask.js': `export default async ({ query }) => {
  const answer = await fetch(query.at, { method: query.method ?? 'GET', headers: { authorization: 'Bearer t' }, redirect: query.redirect });
  return { status: answer.status, url: answer.url, type: answer.headers.get('content-type'), text: await answer.text() };
};
`,
  'applications/tides/api/older.js': `import { request } from 'node:https';
import { lookup } from 'node:dns/promises';
export default async ({ query }) => {
  const found = await lookup('tide.example', { all: true });
  return new Promise((resolve, reject) => {
    const asked = request({ protocol: 'http:', hostname: query.name, path: '/older', method: 'REPORT' }, (answer) => {
      let text = '';
      answer.on('data', (piece) => { text += piece; });
      answer.on('end', () => resolve({ status: answer.statusCode, text, found: found.length }));
    });
    asked.on('error', reject);
    asked.end('<asks/>');
  });
};
`,
  // Each of them would be a fault of a stranger's program.
  'applications/wild/config.json': manifest('Wild', { icon: './assets/none.png' }),
  'applications/wild/render.html': '<!doctype html><title>Wild</title>\n',
  'applications/wild/api/loop.js': 'export default () => { for (;;); };\n',
  'applications/wild/api/waits.js': 'export default () => new Promise(() => {});\n',
  'applications/wild/api/crash.js': 'export default () => new Promise(() => process.exit(3));\n',
  'applications/wild/api/fills.js':
    'export default () => { const all = []; for (;;) all.push(new Array(1e6).fill(all.length)); };\n',
  'applications/wild/api/buffers.js':
    'export default async () => { const all = []; for (;;) { all.push(Buffer.alloc(3e7, 1)); await new Promise((go) => setTimeout(go, 20)); } };\n',
  'applications/wild/api/long.js': 'export default () => "x".repeat(3e7);\n',
  'applications/wild/api/reads.js':
    'import { readFileSync } from "node:fs"; export default () => readFileSync("/etc/hostname", "utf8");\n',
  'applications/wild/api/writes.js':
    'import { writeFileSync } from "node:fs"; export default () => writeFileSync("here", "x");\n',
  'applications/wild/api/starts.js':
    'import { execSync } from "node:child_process"; export default () => String(execSync("id"));\n',
  'applications/wild/api/fine.js': 'export default () => ({ fine: true });\n',
};

/** Writes the checkout into a folder that is removed afterwards. */
export async function withCheckout(run: (folder: string) => Promise<void>): Promise<void> {
  const outside = await mkdtemp(join(tmpdir(), 'papergate-checkout-'));
  const folder = join(outside, 'vendor');
  const icon = await largeIcon(400);
  try {
    const files = Object.entries({
      ...texts,
      'applications/clock/assets/icon.png': icon,
      'applications/tides/assets/icon.png': icon,
      '../secret.json': '{"secret":true}',
    });
    for (const [name, content] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    }
    await symlink(join(outside, 'secret.json'), join(folder, 'applications/clock/data/linked.json'));
    await run(folder);
  } finally {
    await rm(outside, { recursive: true });
  }
}

/** The host of a checkout, its folder, and how it is asked. */
export interface HostWorld {
  readonly folder: string;
  readonly host: RunningHost;
  get(
    path: string,
    init?: RequestInit,
  ): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }>;
}

/** The surroundings of a host in a test. */
interface HostGiven {
  readonly network: Network;
  readonly options?: Partial<ServeFolderOptions>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<HandlerLimits>;
}

/** Hosts the checkout at a free port. */
export function withHost(given: HostGiven, run: (world: HostWorld) => Promise<void>): Promise<void> {
  const { network, options = {}, environment = {}, limits = {} } = given;
  return withCheckout(async (folder) => {
    const wayOut = openWayOut({ network, clock: systemClock });
    const host = await startHost(
      folder,
      { port: '0', host: '127.0.0.1', ...options },
      { environment, wayOut, limits: { ...defaultHandlerLimits, ...limits } },
    );
    try {
      await run({
        folder,
        host,
        async get(path, init) {
          const answer = await fetch(`http://127.0.0.1:${host.port}${path}`, { redirect: 'manual', ...init });
          return { status: answer.status, text: await answer.text(), headers: answer.headers };
        },
      });
    } finally {
      await host.stop();
    }
  });
}
