/** A frame that polls one address, written from docs/plain-polling.md: it keeps a tag, and draws what it is sent. */
import { request as ask } from 'node:http';
import type { GatewayWorld } from './world.ts';

/** An answer as it came. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Record<string, string | undefined>;
  readonly body: Buffer;
  readonly json: Record<string, unknown>;
}

export interface PlainFrame {
  readonly serial: string;
  readonly key: string;
  /** The tag that it keeps, and what its glass shows. */
  held: string | undefined;
  glass: Buffer | undefined;
  /** Polls, keeps the tag and draws; says nothing of it. */
  poll(more?: Record<string, string | undefined>): Promise<PlainAnswer>;
  report(body?: unknown, more?: Record<string, string | undefined>): Promise<PlainAnswer>;
}

/** Sends a request with exactly these headers, and reads the answer to its end. */
export function askPlain(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string | undefined>; body?: string } = {},
): Promise<PlainAnswer> {
  return new Promise((resolve, reject) => {
    const said = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const sent = ask(url, {
      method,
      headers: { connection: 'close', ...said } as Record<string, string>,
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        const isJson = response.headers['content-type'] === 'application/json' && bytes.length > 0;
        const answered = response.headers as Record<string, string | undefined>;
        const json = isJson ? JSON.parse(bytes.toString()) : {};
        resolve({ status: response.statusCode ?? 0, headers: answered, body: bytes, json });
      });
    });
    sent.end(body);
  });
}

/** Hangs a frame that has its key. */
export async function plainFrame(
  world: GatewayWorld,
  { serial = 'plain-kitchen', kind = 'epd7' }: { serial?: string; kind?: string } = {},
): Promise<PlainFrame> {
  const { password: key = '' } = await world.provision(serial, { withPassword: true, kind });
  await world.activate(serial);
  const url = `${world.url}/plain/${serial}`;
  const authorization = `Bearer ${key}`;
  const frame: PlainFrame = {
    serial,
    key,
    held: undefined,
    glass: undefined,
    async poll(more = {}) {
      const answer = await askPlain(url, { headers: { authorization, 'if-none-match': frame.held, ...more } });
      await world.downloadsSettled();
      if (answer.status === 200) {
        frame.held = answer.headers.etag;
        frame.glass = answer.body;
      }
      return answer;
    },
    report: (body = { etag: frame.held }, more = {}) =>
      askPlain(`${url}/report`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...more },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
  return frame;
}
