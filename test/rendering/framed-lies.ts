/** Messages of programs of tests that play a process of the service which somebody else took over. */
import { Socket } from 'node:net';

/** Returns a message as it goes over the pipe; with a head as text, and a length that it announces, it may be a wrong one. */
export function framed(head: unknown, bytes = Buffer.alloc(0), announced = bytes.length): Buffer {
  const text = Buffer.from(typeof head === 'string' ? head : JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(announced, 4);
  return Buffer.concat([lengths, text, bytes]);
}

/** Lies that any process can tell, by their names. */
export const framedLies: Readonly<Record<string, () => Buffer>> = {
  'no message': () => Buffer.alloc(4_096, 0xff),
  'a head that is not JSON': () => framed('{"number":0,'),
  'a head that is null': () => framed('null'),
  'ready twice': () => framed('"ready"'),
  'a head of a gigabyte': () => Buffer.from('3b9aca0000000000', 'hex'),
};

/** An order as it came. */
export interface HeardOrder {
  readonly number: number;
  readonly order: unknown;
  readonly bytes: Buffer;
}

/** Says that it is ready, and answers each order by `answer`; what is not answered stays open. */
export function playProcess(answer: (heard: HeardOrder, service: Socket) => Buffer | undefined): void {
  const service = new Socket({ fd: 3, readable: true, writable: true });
  service.on('error', () => process.exit(1)).on('close', () => process.exit());
  let received = Buffer.alloc(0);
  service.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 8) {
      const [headLength, bytesLength] = [received.readUInt32BE(0), received.readUInt32BE(4)];
      const end = 8 + headLength + bytesLength;
      if (received.length < end) return;
      const { number, order } = JSON.parse(received.subarray(8, 8 + headLength).toString());
      const bytes = received.subarray(8 + headLength, end);
      received = received.subarray(end);
      const said = answer({ number, order, bytes }, service);
      if (said !== undefined) service.write(said);
    }
  });
  service.write(framed('"ready"'));
}
