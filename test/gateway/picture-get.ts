/** One HTTP GET over a raw socket, as abruptly as a frame's client ends it. */
import { connect, type Socket } from 'node:net';

/** The manner in which the client treats the answer. */
export type Manner =
  /** Reads every byte, then closes. */
  | 'whole'
  /** Resets after the headers: the redirect probe. */
  | 'drop body'
  /** Resets once about half of the body was read. */
  | 'half'
  /** Reads on until the service ends, as clients do that ignore lengths, then closes. */
  | 'until end'
  /** Ends its side in the middle of the body, with nothing unread, and resets a moment later. */
  | 'give up'
  /** Reads every byte and the service's end, and stays until `served` was called. */
  | 'linger'
  /** Reads every byte, calls `served`, and closes when told through `letGo`. */
  | 'whole, later'
  /** Sends the request and never reads; resets when told through `letGo`. */
  | 'never read';

/** The response; undefined when the connection ended without a status line. */
export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Asks for an absolute `http://` URL on loopback. */
export function getPicture(
  url: string,
  manner: Manner = 'whole',
  more: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly letGo?: Promise<void>;
    readonly served?: () => void;
  } = {},
): Promise<Got | undefined> {
  const { hostname, port, host, pathname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('error', () => {});
    socket.once('close', () => resolve(parse(Buffer.concat(chunks))));
    const accept = 'Accept-Encoding: identity;q=1,chunked;q=0.1,*;q=0';
    const added = Object.entries(more.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `${more.method ?? 'GET'} ${pathname} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: ESP32HTTPClient\r\nConnection: keep-alive\r\n${accept}\r\n${added.join('')}\r\n`,
    );
    if (manner === 'never read') {
      socket.pause();
      more.letGo?.then(() => socket.resetAndDestroy());
      return;
    }
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const got = parse(Buffer.concat(chunks));
      endWhenDone(socket, got, manner);
      if (manner !== 'whole, later' || got === undefined || !isWhole(got)) return;
      more.served?.();
      more.letGo?.then(() => socket.end());
    });
    socket.on('end', () => {
      if (manner !== 'linger') return socket.end();
      more.served?.();
      return socket.destroy();
    });
  });
}

function endWhenDone(socket: Socket, got: Got | undefined, manner: Manner): void {
  if (got === undefined || socket.destroyed) return;
  const length = Number(got.headers['content-length'] ?? 0);
  if (manner === 'drop body') socket.resetAndDestroy();
  else if (manner === 'half' && got.body.length >= length / 2) socket.resetAndDestroy();
  else if (manner === 'whole' && got.body.length >= length) socket.end();
  else if (manner === 'give up' && got.body.length >= length / 2 && !socket.isPaused()) {
    socket.pause();
    socket.end();
    setTimeout(() => socket.resetAndDestroy(), 50);
  }
}

function isWhole({ headers, body }: Got): boolean {
  return body.length >= Number(headers['content-length'] ?? 0);
}

function parse(bytes: Buffer): Got | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { status: Number(statusLine.split(' ')[1]), headers, body: bytes.subarray(end + 4) };
}
