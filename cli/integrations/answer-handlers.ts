/** Handlers of a checkout as a host answers them: the call is read, made in a process, and answered, whatever comes of it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isRecord } from '../../runtime/plain-record.ts';
import { type Checkout, fileWithin } from './checkout.ts';
import type { HandlerPool } from './handler-pool.ts';
import type { HandlerAnswer } from './handler-process.ts';

/** A failure of a call, answered with its status and a sentence. */
export class CallRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const maxBodyBytes = 64 * 1024;

/** Calls a handler and answers with what it returned. */
export async function answerHandler(
  { checkout, pool }: { readonly checkout: Checkout; readonly pool: HandlerPool },
  { slug, name, url }: { readonly slug: string; readonly name: string; readonly url: URL },
  [request, response]: readonly [IncomingMessage, ServerResponse],
): Promise<void> {
  const folder = join(checkout.applications, slug);
  const isThere = /^[a-z0-9-]{1,100}$/.test(name) && (await fileWithin(checkout, [folder, 'api'], [`${name}.js`]));
  if (!isThere) throw new CallRefused(404, `${slug} has no handler ${name.slice(0, 100)}`);
  const body = request.method === 'POST' ? await readJson(request) : undefined;
  const left = new AbortController();
  response.once('close', () => left.abort());
  const query = { ...queryOf(url), ...body };
  const answer = await pool.call(
    slug,
    folder,
    {
      name,
      query,
      request: { method: request.method ?? '', url: request.url ?? '', headers: plainHeaders(request), body },
    },
    left.signal,
  );
  const json = jsonOf(slug, answer);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }).end(json);
}

/** Returns what a handler answered. */
function jsonOf(slug: string, answer: HandlerAnswer): Buffer {
  if ('json' in answer) return answer.json;
  const { failed } = answer;
  if (failed === 'late') throw new CallRefused(504, `the handler of ${slug} took too long, and was ended: try again`);
  if (failed === 'ended')
    throw new CallRefused(502, `the process of ${slug} ended, by a fault of its own or for want of memory: try again`);
  if (failed.why === 'failed') throw new CallRefused(500, failed.words);
  const said = {
    'no-handler': 'exports no handler as default',
    'not-json': 'answered no JSON',
    'too-long': 'answered too much',
  };
  throw new CallRefused(502, `${slug} ${said[failed.why]}`);
}

/** Returns the query; a name that comes several times has a list. */
function queryOf({ searchParams }: URL): Record<string, string | string[]> {
  const names = [...new Set(searchParams.keys())].filter((name) => name !== '__proto__');
  return Object.fromEntries(
    names.map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

const plainHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));

/** Reads the body of a POST: an object of JSON. */
async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new CallRefused(413, 'the body is larger than 64 KiB');
    chunks.push(chunk);
  }
  let body: unknown;
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  } catch {
    throw new CallRefused(400, 'the body is not JSON');
  }
  if (!isRecord(body) || Array.isArray(body)) throw new CallRefused(400, 'the body is not an object of JSON');
  return body;
}
