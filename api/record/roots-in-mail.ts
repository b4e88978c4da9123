/** The roots of days in the emails of digests: there they are out of reach of anybody who has the machine of the service. */
import type { Database } from '../../runtime/database/database.ts';
import { serviceText, type WordedLanguage } from '../words/service-words.ts';
import { nameOfDay, type RootRow } from './day-roots.ts';

/** A channel of alerts, as far as it matters here. Times are epoch milliseconds. */
interface DigestChannel {
  readonly organization_id: string | null;
  readonly kind: string;
  readonly digest: string;
  readonly language: WordedLanguage;
  readonly last_sent_at: number | null;
}

/** The most days of one email: one that comes seldom has the last of them, which stand for all before. */
const maxDays = 31;

/**
 * Returns the lines that the email of a digest takes along: the roots that were signed since the email before, each as
 * `papergate verify --root` reads it. None for other channels, and none where nothing was signed.
 */
export async function rootsInMail(db: Database, channel: DigestChannel): Promise<readonly string[]> {
  const { organization_id, kind, digest, language, last_sent_at } = channel;
  if (organization_id === null || kind !== 'mail' || digest === 'immediately') return [];
  const roots: RootRow[] = await db('wall_roots')
    .where({ organization_id })
    .where('written_at', '>', last_sent_at ?? 0)
    .orderBy('day', 'desc')
    .limit(maxDays);
  if (roots.length === 0) return [];
  const lines = roots.reverse().map(({ day, line }) => {
    const { root } = JSON.parse(line) as { readonly root: { readonly head: string } };
    return `${nameOfDay(day)}=${root.head}`;
  });
  return [serviceText(language, 'record.roots'), ...lines];
}
