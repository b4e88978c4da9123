/** Puts texts that wait for a moment together into as few notifications as hold them. */
import { maxSealedBytes } from './sealed-texts.ts';

/** A text for one node, or for all. */
export interface WaitingText {
  readonly to: string | undefined;
  readonly text: string;
}

/**
 * Puts texts for one receiver together into notifications, in their order; a text holds no line break. The same text
 * twice is sent once.
 */
export function inNotifications(
  waiting: readonly WaitingText[],
  channelTo: (to: string | undefined) => string,
): { readonly channel: string; readonly texts: readonly string[] }[] {
  const gathered = new Map<string, { texts: string[]; bytes: number }[]>();
  for (const { to, text } of waiting) {
    const channel = channelTo(to);
    const parts = gathered.get(channel) ?? [];
    gathered.set(channel, parts);
    const last = parts.at(-1);
    if (last?.texts.at(-1) === text) continue;
    const bytes = Buffer.byteLength(text) + 1;
    if (last === undefined || last.bytes + bytes > maxSealedBytes) parts.push({ texts: [text], bytes });
    else {
      last.texts.push(text);
      last.bytes += bytes;
    }
  }
  return [...gathered].flatMap(([channel, parts]) => parts.map(({ texts }) => ({ channel, texts })));
}
