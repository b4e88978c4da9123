/** A name server on loopback that answers as a test says, or not at all. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/** A question to the name server. */
export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
}

/** Addresses, after an alias where there is one; a code of failure; or silence. */
export type Reply =
  | readonly string[]
  | { readonly alias: string; readonly to: readonly string[] }
  | 'NXDOMAIN'
  | 'silence';

export interface NameServer {
  /** As a resolver takes it. */
  readonly address: string;
  readonly asked: readonly Question[];
  /** Resolves when so many questions have come. */
  arrived(count: number): Promise<void>;
}

/** Answers questions while `run` runs. */
export async function withNameServer<T>(
  answer: (question: Question) => Reply,
  run: (server: NameServer) => Promise<T>,
): Promise<T> {
  const socket = createSocket('udp4');
  const asked: Question[] = [];
  let waiting: { count: number; tell: () => void }[] = [];
  socket.on('message', (query, { port, address }) => {
    const question = readQuestion(query);
    asked.push(question);
    const reply = answer(question);
    if (reply !== 'silence') socket.send(replyTo(query, question, reply), port, address);
    for (const { count, tell } of waiting) if (asked.length >= count) tell();
    waiting = waiting.filter(({ count }) => asked.length < count);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  try {
    return await run({
      address: `127.0.0.1:${socket.address().port}`,
      asked,
      arrived: (count) =>
        new Promise((resolve) => {
          if (asked.length >= count) resolve();
          else waiting.push({ count, tell: resolve });
        }),
    });
  } finally {
    socket.close();
  }
}

const headBytes = 12;

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = headBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1) === 1 ? 'A' : 'AAAA' };
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.of(0)]);
}

function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail = ''] = address.split('::');
  const words = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
  const [left, right] = [words(head), words(tail)];
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 255]));
}

function record(owner: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(owner), fixed, data]);
}

function replyTo(query: Buffer, { name, type }: Question, reply: Exclude<Reply, 'silence'>): Buffer {
  const isNone = reply === 'NXDOMAIN';
  const alias = isNone || !('alias' in reply) ? undefined : reply.alias;
  const addresses = isNone ? [] : 'alias' in reply ? reply.to : reply;
  const code = type === 'A' ? 1 : 28;
  const records = addresses.map((address) => record(alias ?? name, code, addressBytes(address)));
  if (alias !== undefined) records.unshift(record(name, 5, nameBytes(alias)));
  const head = Buffer.alloc(headBytes);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (isNone ? 3 : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  const question = query.subarray(headBytes, headBytes + nameBytes(name).length + 4);
  return Buffer.concat([head, question, ...records]);
}
