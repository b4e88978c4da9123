/** Requests as a hostile program sends them: on a connection of their own, from an address of its choice. */
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A request. */
export interface Sending {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer | string;
  /** This machine's address to come from. */
  readonly from?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends, and takes the whole answer. @returns its status and its body */
export function send(url: string, sending: Sending): Promise<{ readonly status: number; readonly text: string }> {
  const { method, path, headers = {}, body, from, timeoutMs = 120_000, signal } = sending;
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({
      hostname,
      port,
      method,
      path,
      headers,
      agent: false,
      ...(from !== undefined && { localAddress: from }),
      ...(signal !== undefined && { signal }),
    });
    const timer = setTimeout(() => asked.destroy(new Error('no answer in time')), timeoutMs);
    asked.once('close', () => clearTimeout(timer));
    asked.once('error', reject);
    asked.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.end(body);
  });
}

/** How a body is sent that never quite ends. */
export interface Holding {
  /** `POST /path`, and header lines without the length. */
  readonly head: readonly string[];
  readonly body: Buffer;
  /** Bytes that are dripped, one a second; all others are sent at once. */
  readonly drips: number;
  readonly from: string;
  readonly over: AbortSignal;
}

/** Sends all but the last bytes of a body, and those one a second. @returns the first line of the answer, or how it ended */
export async function holdBody(url: string, { head, body, drips, from, over }: Holding): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  let answer = '';
  const ended = new Promise<string>((resolve) => {
    socket.on('data', (data) => {
      answer ||= data.toString('latin1').split('\r\n')[0] ?? '';
      resolve(answer);
    });
    socket.once('error', (error) => resolve(answer || ('code' in error ? String(error.code) : 'error')));
    socket.once('close', () => resolve(answer || 'closed'));
  });
  const leave = (): void => void socket.destroy();
  over.addEventListener('abort', leave, { once: true });
  const [line = '', ...headers] = head;
  const kept = Math.min(drips, body.length);
  socket.write([`${line} HTTP/1.1`, 'Host: abuse', `Content-Length: ${body.length}`, ...headers, '', ''].join('\r\n'));
  socket.write(body.subarray(0, body.length - kept));
  await Promise.race([ended, drip(socket, body.subarray(body.length - kept))]);
  const outcome = await ended;
  over.removeEventListener('abort', leave);
  socket.destroy();
  return outcome;
}

async function drip(socket: Socket, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && socket.writable; at++) {
    await pause(1_000, undefined, { ref: false });
    socket.write(bytes.subarray(at, at + 1));
  }
}

/** A form as bytes, with its content type. */
export function formOf(fields: Readonly<Record<string, Buffer | string>>): { type: string; body: Buffer } {
  const boundary = '----abuse0123456789';
  const parts = Object.entries(fields).flatMap(([name, value]) => {
    const file = typeof value === 'string' ? '' : '; filename="a.png"\r\nContent-Type: image/png';
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name.split('#')[0]}"${file}\r\n\r\n`;
    return [Buffer.from(head), Buffer.from(value as string), Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
