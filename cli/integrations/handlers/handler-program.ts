/**
 * Runs the handlers of one integration, in a process of its own that has no network: each request that a handler makes is
 * made by the host, which checks the address. Handlers are imported once.
 */
import module from 'node:module';
import { BlockList, isIP, isIPv4, isIPv6, Socket } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cutFrames, framePieces } from '../../../runtime/child-process/framed-messages.ts';
import { type HandlerRequest, type HostMessage, handlerBounds } from './handler-messages.ts';
import { heldModules, standIns } from './stand-ins.ts';

const [, , folder = '', root = ''] = process.argv;
const host = new Socket({ fd: 3, readable: true, writable: true });

type Handler = (given: { readonly query: unknown; readonly request: unknown }) => unknown;
type Answered = Exclude<HostMessage, { call: number }>;

const handlers = new Map<string, Promise<unknown>>();
const asked = new Map<number, (answer: Answered, bytes: Buffer) => void>();
let asks = 0;

function tell(head: unknown, bytes?: Uint8Array): void {
  for (const piece of framePieces(head, bytes)) host.write(piece);
}

/** Stands in for `fetch`. */
async function askHost(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  const ask = asks++;
  const { method, url, redirect, signal } = request;
  return new Promise<Response>((resolve, reject) => {
    const leave = (): void => {
      asked.delete(ask);
      tell({ leave: ask });
      reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    asked.set(ask, (answer, bytes) => {
      asked.delete(ask);
      signal.removeEventListener('abort', leave);
      if ('failed' in answer) return reject(new TypeError('fetch failed', { cause: new Error(answer.failed) }));
      resolve(responseOf(answer, bytes));
    });
    tell({ ask, method, url, redirect, headers: [...request.headers] }, body);
  });
}

const withoutBody: readonly number[] = [204, 205, 304];

function responseOf(answer: Exclude<Answered, { failed: string }>, bytes: Buffer): Response {
  const { status, url, redirected, headers } = answer;
  const body = withoutBody.includes(status) ? null : new Uint8Array(bytes);
  const response = new Response(body, { status, headers: headers.map(([name, value]) => [name, value]) });
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
}

/** Returns a request with what handlers read of one of Express. */
function requestLike(request: HandlerRequest, query: unknown) {
  const url = new URL(request.url, 'http://host');
  const get = (name: string): string | undefined => request.headers[name.toLowerCase()];
  return {
    ...request,
    originalUrl: request.url,
    path: url.pathname,
    query,
    get,
    header: get,
    protocol: get('x-forwarded-proto') ?? 'http',
    hostname: (get('host') ?? '').replace(/:\d+$/, ''),
  };
}

async function answerCall({ call, name, query, request }: Extract<HostMessage, { call: number }>): Promise<void> {
  const fail = (why: string, words = ''): void => tell({ call, why, words: words.slice(0, 1_000) });
  try {
    if (!handlers.has(name)) handlers.set(name, import(pathToFileURL(join(folder, 'api', `${name}.js`)).href));
    const { default: handle } = (await handlers.get(name)) as { readonly default?: unknown };
    if (typeof handle !== 'function') return fail('no-handler');
    const answer = await (handle as Handler)({ query, request: requestLike(request, query) });
    const text = JSON.stringify(answer);
    if (text === undefined) return fail('not-json');
    const bytes = Buffer.from(text);
    if (bytes.length > handlerBounds.bytes) return fail('too-long');
    tell({ call, done: true }, bytes);
  } catch (error) {
    fail('failed', error instanceof Error ? error.message : String(error));
  }
}

/** The address of a module that stands in for one of Node's. */
const standInScheme = 'papergate:';
const heldPlace = Symbol.for('papergate.stand-ins');

/**
 * Has modules that reach the network replaced. Packages of the checkout are found also before somebody installed them: those
 * that its package.json has as folders.
 */
function holdModules(): void {
  const { dependencies = {} } = readPackage(root);
  const replaced = standIns({ BlockList, isIP, isIPv4, isIPv6 });
  Object.assign(globalThis, { [heldPlace]: replaced });
  module.registerHooks?.({
    resolve(specifier, context, next) {
      const plain = specifier.replace(/^node:/, '');
      if (heldModules.includes(plain) && module.isBuiltin(specifier)) {
        if (!Object.hasOwn(replaced, plain))
          throw new Error(`handlers make requests with fetch, not with ${specifier}`);
        return { url: `${standInScheme}${plain}`, format: 'module', shortCircuit: true };
      }
      const named = Object.entries(dependencies).find(
        ([name]) => specifier === name || specifier.startsWith(`${name}/`),
      );
      const [, place] = /^file:(.+)$/.exec(String(named?.[1] ?? '')) ?? [];
      if (named === undefined || place === undefined) return next(specifier, context);
      // The package is resolved as from within: its own name leads to what it exports.
      const parentURL = pathToFileURL(join(root, place, 'package.json')).href;
      return next(specifier, { ...context, parentURL });
    },
    load(url, context, next) {
      if (!url.startsWith(standInScheme)) return next(url, context);
      const name = url.slice(standInScheme.length);
      const all = `globalThis[Symbol.for('papergate.stand-ins')][${JSON.stringify(name)}]`;
      const names = Object.keys(replaced[name] ?? {}).join(', ');
      return {
        format: 'module',
        shortCircuit: true,
        source: `export const { ${names} } = ${all}; export default ${all};`,
      };
    },
  });
}

function readPackage(of: string): { readonly dependencies?: Readonly<Record<string, unknown>> } {
  try {
    return module.createRequire(join(of, 'package.json'))('./package.json');
  } catch {
    return {};
  }
}

holdModules();
globalThis.fetch = askHost;
for (const way of ['WebSocket', 'EventSource']) Reflect.deleteProperty(globalThis, way);
for (const way of ['getBuiltinModule', 'binding', 'kill']) Reflect.deleteProperty(process, way);
host.on(
  'data',
  cutFrames({ headBytes: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }, ({ head, bytes }) => {
    const message = head as HostMessage;
    if ('call' in message) answerCall(message).catch(() => process.exit(1));
    else asked.get(message.ask)?.(message, bytes);
  }),
);
host.on('error', () => process.exit(1));
host.on('close', () => process.exit());
process.chdir(folder);
tell('ready');
