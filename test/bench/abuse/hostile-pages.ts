/** Pages that talk, grow and never end, and the server that hands them out. */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { hostileAddress, silentZone } from './own-network.ts';

const big = "const big = 'x'.repeat(1e6);";
/** Lets the page load and be photographed, were it not for what comes then. */
const soon = (script: string): string => `<script>setTimeout(() => { ${script} }, 50)</script>`;

/** Pages by path. */
const pages: Readonly<Record<string, string>> = {
  console: soon(`${big} for (let i = 0; ; i++) console.log(i + big)`),
  'console-steady': soon(
    `${big} setInterval(() => { for (let i = 0; i < 20; i++) console.error(Math.random() + big) }, 1)`,
  ),
  'console-objects': soon(
    'const o = {}; for (let i = 0; i < 1e4; i++) o["k" + i] = "v".repeat(100); for (;;) console.log(o, [o], o)',
  ),
  'console-kinds': soon(
    `${big} for (let i = 0; ; i++) { console.table([[i]]); console.trace(i + big); console.group(big); console.assert(false, big) }`,
  ),
  'console-small': soon('for (let i = 0; ; i++) console.log(i, "small words")'),
  'console-10k': soon('const b = "y".repeat(1e4); for (let i = 0; ; i++) console.log(i + b)'),
  'console-100k': soon('const b = "y".repeat(1e5); for (let i = 0; ; i++) console.log(i + b)'),
  'console-now': '<script>const b = "y".repeat(1e4); for (let i = 0; ; i++) console.log(i + b)</script>',
  'errors-small': soon(
    'setInterval(() => { for (let i = 0; i < 1000; i++) setTimeout(() => { throw new Error(Math.random() + "z".repeat(1000)) }) }, 0)',
  ),
  errors: soon(
    `${big} setInterval(() => { for (let i = 0; i < 50; i++) setTimeout(() => { throw new Error(Math.random() + big) }) }, 1)`,
  ),
  rejections: soon(
    `${big} setInterval(() => { for (let i = 0; i < 50; i++) Promise.reject(new Error(Math.random() + big)) }, 1)`,
  ),
  reports: soon(
    `setInterval(() => { for (let i = 0; i < 200; i++) reportError(new Error('y'.repeat(1e5) + Math.random())) }, 1)`,
  ),
  windows: soon(
    "setInterval(() => { for (let i = 0; i < 50; i++) window.open('/plain?' + Math.random(), '_blank') }, 1)",
  ),
  dialogs: soon("for (;;) { alert('x'.repeat(1e6)); confirm('x'.repeat(1e6)); prompt('x'.repeat(1e6)) }"),
  moves: soon(
    "setInterval(() => history.pushState({ s: 'x'.repeat(1e5) }, '', '?' + Math.random()), 0); setInterval(() => { location.hash = Math.random() }, 0)",
  ),
  frames: soon(
    "setInterval(() => { const f = document.createElement('iframe'); f.srcdoc = '<p>' + 'x'.repeat(1e5); document.body.append(f) }, 1)",
  ),
  requests: soon(
    "setInterval(() => { for (let i = 0; i < 200; i++) fetch('/plain?' + Math.random()).catch(() => {}) }, 1)",
  ),
  beacons: soon(
    "setInterval(() => { for (let i = 0; i < 200; i++) { new Image().src = '/plain?' + Math.random(); navigator.sendBeacon('/plain', 'x') } }, 1)",
  ),
  sockets: soon(
    "setInterval(() => { for (let i = 0; i < 100; i++) new WebSocket('ws://' + location.host + '/' + Math.random()) }, 1)",
  ),
  data: soon(
    "setInterval(() => { for (let i = 0; i < 100; i++) fetch('data:text/plain,' + 'x'.repeat(1e5) + Math.random()) }, 1)",
  ),
  mutations: soon(
    "setInterval(() => { for (let i = 0; i < 1e4; i++) { const d = document.createElement('div'); d.textContent = Math.random(); document.body.append(d) } }, 1)",
  ),
  workers: soon(
    'const u = URL.createObjectURL(new Blob([\'const a = []; setInterval(() => { a.push(new Uint8Array(1e6).fill(1)); console.log("x".repeat(1e6)) }, 1)\'])); setInterval(() => new Worker(u), 5)',
  ),
  canvas: soon(
    "const all = []; setInterval(() => { const c = document.createElement('canvas'); c.width = c.height = 4000; const x = c.getContext('2d'); x.fillStyle = '#' + (0x100000 + all.length); x.fillRect(0, 0, 4000, 4000); x.getImageData(0, 0, 1, 1); all.push(c) }, 1)",
  ),
  buffers: soon('const all = []; setInterval(() => all.push(new Uint8Array(5e7).fill(all.length)), 1)'),
  wasm: soon(
    'const all = []; setInterval(() => { const m = new WebAssembly.Memory({ initial: 800 }); new Uint8Array(m.buffer).fill(1); all.push(m) }, 1)',
  ),
  blobs: soon('const all = []; setInterval(() => all.push(new Blob([new Uint8Array(2e7).fill(all.length)])), 1)'),
  strings: soon(
    "let s = 'x'; const all = []; setInterval(() => { for (let i = 0; i < 1000; i++) all.push({ a: Math.random() + 'x'.repeat(1000) }) }, 1)",
  ),
  images: soon(
    "setInterval(() => { const i = new Image(); i.src = '/picture.svg?' + Math.random(); document.body.append(i) }, 1)",
  ),
};

/** All pages whose names are given answer after one another under `/a,b,c`. */
function pageOf(path: string): string {
  const [name = ''] = path.slice(1).split('?');
  const names = /^silent-(\d+)/.exec(name);
  const inside = names === null ? (pages[name] ?? '') : silent(Number(names[1]));
  return `<!doctype html><html><body><h1>${name}</h1><p>Some text of a page</p>${inside}</body></html>`;
}

/** Asks for things from so many names that nobody answers. */
function silent(count: number): string {
  const stamp = Math.random().toString(36).slice(2);
  return Array.from({ length: count }, (_, at) => {
    const url = `//x${at}-${stamp}.${silentZone}/`;
    if (at % 4 === 1) return `<link rel="stylesheet" href="${url}">`;
    if (at % 4 === 2) return `<script>fetch('http:${url}').catch(() => {})</script>`;
    return `<img src="http:${url}">`;
  }).join('\n');
}

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><rect width="4000" height="4000" fill="red"/></svg>';

async function dripFor(response: ServerResponse, head: string): Promise<void> {
  response.write(head);
  while (!response.destroyed) {
    await pause(500, undefined, { ref: false });
    response.write(' ');
  }
}

/**
 * The hostile servers' part that hands out pages. `more` answers the requests that it knows, and returns whether it
 * did.
 */
export async function servePages(more: (path: string, response: ServerResponse) => boolean = () => false) {
  const server = createServer((request, response) => {
    response.on('error', () => {});
    const path = request.url ?? '/';
    if (more(path, response)) return;
    if (path.startsWith('/picture.svg')) {
      response.setHeader('content-type', 'image/svg+xml');
      response.end(svg);
      return;
    }
    response.setHeader('content-type', 'text/html');
    if (path.startsWith('/drip-page')) void dripFor(response, '<!doctype html><html><body><p>Slowly');
    else if (path.startsWith('/drip-head')) void pause(600_000, undefined, { ref: false });
    else if (path.startsWith('/drip-thing'))
      response.end('<html><body><p>Text<img src="/drip-page?1"><script src="/drip-page?2"></script>');
    else response.end(pageOf(path));
  });
  await new Promise<void>((resolve) => server.listen(80, hostileAddress, resolve));
  return `http://${hostileAddress}`;
}
