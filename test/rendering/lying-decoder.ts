/**
 * Plays a process that decodes images and was taken over by one: it says over its pipe what nobody asked it. The image's own
 * text says which lie comes.
 */
import { Socket } from 'node:net';

const service = new Socket({ fd: 3, readable: true, writable: true });
service.on('error', () => process.exit(1)).on('close', () => process.exit());

function framed(head: unknown, bytes = Buffer.alloc(0), announced = bytes.length): Buffer {
  const text = Buffer.from(typeof head === 'string' ? head : JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(text.length, 0);
  lengths.writeUInt32BE(announced, 4);
  return Buffer.concat([lengths, text, bytes]);
}

const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const good = (number: unknown, bytes = png): Buffer => framed({ number, outcome: { ok: true, notes: [] } }, bytes);

const lies: Readonly<Record<string, (number: number) => Buffer>> = {
  'no message': () => Buffer.alloc(4_096, 0xff),
  'a head that is not JSON': () => framed('{"number":0,'),
  'a head that is null': () => framed('null'),
  'ready twice': () => framed('"ready"'),
  'a number that nobody asked': () => good(999),
  'a number that is none': () => good('__proto__'),
  'the same answer twice': (number) => Buffer.concat([good(number), good(number)]),
  'no picture': (number) => good(number, Buffer.from('<script>')),
  'a picture that is missing': (number) => good(number, Buffer.alloc(0)),
  'a word that is unknown': (number) => framed({ number, outcome: { ok: false, problem: 'bribed' } }),
  'a field too much': (number) => framed({ number, outcome: { ok: true, notes: [], path: '/etc/passwd' } }, png),
  'more bytes than any picture': (number) => framed({ number, outcome: { ok: true, notes: [] } }, png, 4_000_000_000),
  'a head of a gigabyte': () => Buffer.from('3b9aca0000000000', 'hex'),
  'half of an answer, and its end': (number) => good(number).subarray(0, 60),
};

let received = Buffer.alloc(0);
service.on('data', (chunk) => {
  received = Buffer.concat([received, chunk]);
  while (received.length >= 8) {
    const [headLength, bytesLength] = [received.readUInt32BE(0), received.readUInt32BE(4)];
    const end = 8 + headLength + bytesLength;
    if (received.length < end) return;
    const { number } = JSON.parse(received.subarray(8, 8 + headLength).toString());
    const image = received.subarray(8 + headLength, end).toString();
    received = received.subarray(end);
    if (image === 'crash') process.kill(process.pid, 'SIGSEGV');
    const lie = lies[image];
    if (lie === undefined) service.write(good(number));
    else service.write(lie(number), () => image.includes('its end') && process.exit(7));
  }
});
service.write(framed('"ready"'));
