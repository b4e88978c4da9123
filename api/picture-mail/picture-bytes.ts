/** Recognises files by their first bytes. */
import { heifFormat } from '../images/heif-format.ts';

const beginnings: readonly (readonly [bytes: string, sort: 'picture' | 'winmail'])[] = [
  ['\xff\xd8\xff', 'picture'],
  ['\x89PNG\r\n\x1a\n', 'picture'],
  ['GIF8', 'picture'],
  ['II*\0', 'picture'],
  ['MM\0*', 'picture'],
  ['BM', 'picture'],
  ['\x78\x9f\x3e\x22', 'winmail'],
];

/** Returns whether bytes begin as a picture does, or as Outlook's own container. */
export function sortOfBytes(bytes: Buffer): 'picture' | 'winmail' | 'other' {
  const head = bytes.toString('latin1', 0, 16);
  if (heifFormat(bytes) !== undefined) return 'picture';
  if (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP') return 'picture';
  return beginnings.find(([beginning]) => head.startsWith(beginning))?.[1] ?? 'other';
}
