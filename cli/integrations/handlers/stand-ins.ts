/**
 * Stands in for Node's own modules that reach the network, as far as handlers use them: each request becomes one that the
 * host makes. Names are not looked up here, because the host looks each up and checks every answer.
 */
import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';

/** The modules that a handler gets something else for, or nothing. */
export const heldModules: readonly string[] = [
  ...['http', 'https', 'net', 'dns', 'dns/promises', 'tls', 'http2', 'dgram', 'child_process', 'worker_threads'],
  ...['cluster', 'inspector', 'module'],
];

/** The options of a request, as far as they are read. */
interface RequestOptions {
  readonly protocol?: string;
  readonly hostname?: string;
  readonly host?: string;
  readonly port?: string | number | null;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number | readonly string[] | undefined>>;
}

type Heard = (response: Readable & { statusCode?: number; headers?: object }) => void;

/** A request as `node:http` makes one. */
class StandInRequest extends EventEmitter {
  readonly #chunks: Buffer[] = [];
  readonly #over = new AbortController();
  readonly #url: string;
  readonly #options: RequestOptions;

  constructor(url: string, options: RequestOptions) {
    super();
    this.#url = url;
    this.#options = options;
  }

  write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(Buffer.from(chunk as string));
    return true;
  }

  setTimeout(ms: number, late?: () => void): this {
    setTimeout(() => (late ?? (() => this.emit('timeout')))(), ms).unref();
    return this;
  }

  destroy(error?: Error): this {
    this.#over.abort();
    if (error !== undefined) queueMicrotask(() => this.emit('error', error));
    return this;
  }

  end(chunk?: string | Uint8Array): this {
    if (chunk !== undefined) this.write(chunk);
    void this.#send();
    return this;
  }

  async #send(): Promise<void> {
    const { method = 'GET', headers = {} } = this.#options;
    try {
      const given = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
      const body = this.#chunks.length === 0 ? {} : { body: new Uint8Array(Buffer.concat(this.#chunks)) };
      const { signal } = this.#over;
      const answer = await fetch(this.#url, { method, headers: given, redirect: 'manual', signal, ...body });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const response = Object.assign(Readable.from(bytes.length === 0 ? [] : [bytes]), {
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
      });
      this.emit('response', response);
    } catch (error) {
      if (!this.#over.signal.aborted) this.emit('error', error);
    }
  }
}

/** Returns `request` and `get` of a module that begins addresses with `scheme`. */
function requestsBy(scheme: string) {
  function request(where: string | URL | RequestOptions, ...more: readonly (RequestOptions | Heard | undefined)[]) {
    const heard = more.find((one): one is Heard => typeof one === 'function');
    const given = more.find((one): one is RequestOptions => typeof one === 'object') ?? {};
    const isAddress = typeof where === 'string' || where instanceof URL;
    const options = isAddress ? given : { ...where, ...given };
    const made = new StandInRequest(isAddress ? String(where) : addressOf(options), options);
    if (heard !== undefined) made.once('response', heard);
    return made;
  }
  function addressOf({ protocol = scheme, hostname, host, port, path = '/' }: RequestOptions): string {
    const name = hostname ?? host ?? '';
    const written = name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
    return `${protocol}//${written}${port === undefined || port === null || port === '' ? '' : `:${port}`}${path}`;
  }
  const get: typeof request = (...given) => request(...given).end();
  return { request, get };
}

/** A public address, for handlers that look at one before they ask: the host looks again, at the right one. */
const somewhere = { address: '1.1.1.1', family: 4 };
const lookup = async (_name: string, options: { readonly all?: boolean } = {}) =>
  options.all === true ? [somewhere] : somewhere;

/**
 * Returns what stands in for modules, by their names without `node:`.
 * @param kept what of `node:net` reaches nothing
 */
export const standIns = (kept: Readonly<Record<string, unknown>>): Readonly<Record<string, object>> => ({
  http: requestsBy('http:'),
  https: requestsBy('https:'),
  net: kept,
  'dns/promises': { lookup },
  dns: { promises: { lookup } },
});
