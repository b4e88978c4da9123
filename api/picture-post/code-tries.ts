/** Bounds the codes that nobody has: of one chat, and of all together. */
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Clock } from '../../runtime/clock.ts';

const hourMs = 3_600_000;
const limits = { ofChat: 5, ofAll: 1_000 } as const;
const rememberedChats = 10_000;

interface CodeTries {
  /** Whether a chat may try another code now. */
  may(chat: string): boolean;
  /** Notes a wrong code. */
  note(chat: string): void;
}

/** Begins to count. A code has 60 random bits: a thousand tries an hour find none. */
export function codeTries(clock: Pick<Clock, 'now'>): CodeTries {
  const ofChats = new BoundedMap<string, readonly number[]>(rememberedChats);
  let ofAll: readonly number[] = [];
  const recent = (tries: readonly number[]): readonly number[] => tries.filter((at) => clock.now() - at < hourMs);
  return {
    may: (chat) => recent(ofChats.get(chat) ?? []).length < limits.ofChat && recent(ofAll).length < limits.ofAll,
    note(chat) {
      const now = clock.now();
      ofChats.set(chat, [...recent(ofChats.get(chat) ?? []), now]);
      ofAll = [...recent(ofAll), now];
    },
  };
}
