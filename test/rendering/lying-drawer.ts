/**
 * Plays a process that draws pages and was taken over by one of them: it says over its pipe what nobody asked it, or nothing
 * at all. The language of the page says which lie comes.
 */
import { framed, framedLies, playProcess } from './framed-lies.ts';

const rgb = Buffer.alloc(2 * 2 * 3, 0xff);
const good = (number: unknown, bytes = rgb): Buffer => framed({ number, outcome: { missing: '' } }, bytes);

const lies: Readonly<Record<string, (number: number) => Buffer | undefined>> = {
  ...framedLies,
  'a number that nobody asked': () => good(999),
  'a pixel too few': (number) => good(number, rgb.subarray(3)),
  'no pixels': (number) => good(number, Buffer.alloc(0)),
  'pixels of all panels': (number) => framed({ number, outcome: { missing: '' } }, rgb, 4_000_000_000),
  'a field too much': (number) => framed({ number, outcome: { missing: '', path: '/etc/passwd' } }, rgb),
  'a book of missing characters': (number) => framed({ number, outcome: { missing: 'x'.repeat(20_000) } }, rgb),
  'no outcome': (number) => framed({ number }, rgb),
  silence: () => undefined,
};

playProcess(({ number, order }) => {
  const { language } = order as { readonly language: string };
  if (language === 'crash') process.kill(process.pid, 'SIGSEGV');
  return (lies[language] ?? good)(number);
});
