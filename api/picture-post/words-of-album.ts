/** The words that a receipt needs of an album: its title, its language and its time zone. */
import type { Database } from '../../runtime/database/database.ts';
import { isTimezone, storedObject } from '../http/field-shapes.ts';
import { paperTitle } from '../papers/paper-title.ts';
import type { PaperRow } from '../papers/store.ts';
import type { ReceiptFacts } from '../picture-mail/receipt-words.ts';
import { wordedLanguage } from '../words/service-words.ts';

/** Returns them; the time zone of an album without one is that of the members. */
export async function wordsOfAlbum(
  db: Database,
  album: PaperRow,
): Promise<Pick<ReceiptFacts, 'language' | 'timeZone' | 'place'>> {
  const { language, timezone } = storedObject(album.meta);
  const zones: (string | null)[] = await db('users')
    .where({ organization_id: album.organization_id })
    .whereNotNull('timezone')
    .orderBy('created_at')
    .limit(5)
    .pluck('timezone');
  const timeZone = [timezone, ...zones].find((one) => typeof one === 'string' && isTimezone(one));
  return { language: wordedLanguage(language), timeZone: String(timeZone ?? 'UTC'), place: paperTitle(album) };
}
