/** One request as the firmware makes it: no redirect is followed, nothing is decoded, and the whole answer is kept. */
import http from 'node:http';
import https from 'node:https';

/** An answer; `problem` instead of one says why none came. */
export interface ServerAnswer {
  readonly url: string;
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  readonly problem?: string;
}

/** How long the firmware waits, milliseconds. */
const patienceMs = 15_000;
/** The most bytes that are read of an answer. */
const maxBytes = 4 * 1024 * 1024;

/** Makes a request, and resolves with whatever came of it. The certificate is not looked at, as on the frame. */
export function callServer(
  url: string,
  headers: Readonly<Record<string, string>>,
  sent: { readonly method?: 'GET' | 'POST'; readonly body?: string } = {},
): Promise<ServerAnswer> {
  const nothing = { url, status: 0, headers: {}, body: Buffer.alloc(0) };
  if (!URL.canParse(url) || !/^https?:/.test(url)) return Promise.resolve({ ...nothing, problem: 'no http address' });
  const options = { headers, method: sent.method ?? 'GET', timeout: patienceMs, agent: false } as const;
  return new Promise((resolve) => {
    const failed = (error: Error): void => resolve({ ...nothing, problem: error.message });
    const taken = (response: http.IncomingMessage): void => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > maxBytes) response.destroy(new Error('the answer is longer than any picture'));
        else parts.push(part);
      });
      response.on('error', failed);
      response.on('end', () => {
        const body = Buffer.concat(parts);
        resolve({ url, status: response.statusCode ?? 0, headers: response.headers, body });
      });
    };
    const request = url.startsWith('https:')
      ? https.request(url, { ...options, rejectUnauthorized: false }, taken)
      : http.request(url, options, taken);
    request.on('error', failed);
    request.on('timeout', () => request.destroy(new Error('no answer in 15 s')));
    request.end(sent.body);
  });
}
