/** Answers to frames that poll: always with a length, because old firmware crashes on answers in chunks. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Answers with a text, which is JSON, or with nothing. */
export function sayJson(response: ServerResponse, status: number, text: string, more: OutgoingHttpHeaders = {}): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...more };
  if (status === 204) response.writeHead(status, { 'cache-control': 'no-store' }).end();
  else response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Answers with a file. Firmware compares the whole type, so that nothing may stand behind it. */
export function sayFile(response: ServerResponse, type: 'image/png' | 'image/bmp', bytes: Uint8Array): void {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-transform', 'content-length': bytes.length });
  response.end(bytes);
}
