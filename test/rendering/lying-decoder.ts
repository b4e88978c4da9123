/**
 * Plays a process that decodes images and was taken over by one: it says over its pipe what nobody asked it. The image's own
 * text says which lie comes.
 */
import { framed, framedLies, playProcess } from './framed-lies.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const good = (number: unknown, bytes = png): Buffer => framed({ number, outcome: { ok: true, notes: [] } }, bytes);

const lies: Readonly<Record<string, (number: number) => Buffer>> = {
  ...framedLies,
  'a number that nobody asked': () => good(999),
  'a number that is none': () => good('__proto__'),
  'the same answer twice': (number) => Buffer.concat([good(number), good(number)]),
  'no picture': (number) => good(number, Buffer.from('<script>')),
  'a picture that is missing': (number) => good(number, Buffer.alloc(0)),
  'a word that is unknown': (number) => framed({ number, outcome: { ok: false, problem: 'bribed' } }),
  'a field too much': (number) => framed({ number, outcome: { ok: true, notes: [], path: '/etc/passwd' } }, png),
  'more bytes than any picture': (number) => framed({ number, outcome: { ok: true, notes: [] } }, png, 4_000_000_000),
};

playProcess(({ number, bytes }, service) => {
  const image = bytes.toString();
  if (image === 'crash') process.kill(process.pid, 'SIGSEGV');
  if (image === 'half of an answer, and its end') {
    service.write(good(number).subarray(0, 60), () => process.exit(7));
    return undefined;
  }
  return (lies[image] ?? good)(number);
});
