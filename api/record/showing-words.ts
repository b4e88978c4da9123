/** The words of what a frame shows: the title of the paper, and who sent the picture. */
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { readRevision } from '../devices/shown-item.ts';
import { titleSql } from '../papers/store.ts';

/** An offer of which the words are looked for. */
interface NamedOffer {
  readonly id: string;
  readonly revision: string;
}

/** The words of an offer, as they are now. Null where nothing is known. */
export interface ShowingWords {
  readonly paperId: string | null;
  readonly title: string | null;
  readonly sender: string | null;
}

/** The most characters that are kept of each. */
const maxCharacters = 200;

interface FoundPaper {
  readonly upload_id: string;
  readonly paper_id: string | null;
  readonly sender: string | null;
}

/** Cuts words to what is kept, as text that can be hashed: without halves of characters. */
export const keptWords = (text: string | null | undefined): string | null =>
  text === null || text === undefined || text === '' ? null : text.slice(0, maxCharacters).toWellFormed();

/** Finds the words of some offers, by their ids. */
export async function wordsOfShowings(
  db: Database,
  offers: readonly NamedOffer[],
): Promise<ReadonlyMap<string, ShowingWords>> {
  const attempts = await attemptsOf(db, offers);
  const pushed = await pushedBy(db, offers);
  const sent = await sentBy(db, offers);
  const paperOf = (offer: NamedOffer): string | null => {
    const { kind, id } = readRevision(offer.revision);
    const known = attempts.get(offer.id)?.paper_id ?? pushed.get(id)?.paper_id ?? sent.get(offer.id)?.paper_id ?? null;
    return known ?? (kind === 'page' ? id : null);
  };
  const titles = await titlesOf(db, [...new Set(offers.flatMap((offer) => paperOf(offer) ?? []))]);
  const words = new Map<string, ShowingWords>();
  for (const offer of offers) {
    const { id } = readRevision(offer.revision);
    const paperId = paperOf(offer);
    const guest = sent.get(offer.id);
    const sender = guest?.sender_name ?? pushed.get(id)?.name ?? attempts.get(offer.id)?.sender;
    const title = paperId === null ? undefined : titles.get(paperId);
    const caption = guest?.caption === undefined || guest.caption === '' ? [] : [guest.caption];
    words.set(offer.id, {
      paperId,
      title: keptWords([...(title === undefined ? [] : [title]), ...caption].join(': ')),
      sender: keptWords(sender),
    });
  }
  return words;
}

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

async function attemptsOf(db: Database, offers: readonly NamedOffer[]): Promise<ReadonlyMap<string, FoundPaper>> {
  const ids = offers.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const sql = `select upload_id, paper_id, sender from upload_attempts where upload_id in (${marks(ids)})`;
  return new Map((await allRows<FoundPaper>(db, sql, ids)).map((row) => [row.upload_id, row]));
}

/** Finds the integrations that pushed contents, by the requests' ids. */
async function pushedBy(
  db: Database,
  offers: readonly NamedOffer[],
): Promise<ReadonlyMap<string, { readonly paper_id: string; readonly name: string }>> {
  const ids = offers
    .map(({ revision }) => readRevision(revision))
    .flatMap(({ kind, id }) => (kind === 'content' ? id : []));
  if (ids.length === 0) return new Map();
  const rows = await allRows<{ id: string; paper_id: string; name: string }>(
    db,
    `select content_requests.id, content_requests.paper_id, connections.name from content_requests
       join connections on connections.id = content_requests.connection_id where content_requests.id in (${marks(ids)})`,
    ids,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

interface SentRow {
  readonly upload_id: string;
  readonly paper_id: string;
  readonly sender_name: string;
  readonly caption: string;
}

/** Finds what members and guests sent to albums and by links, by the offers' ids. */
async function sentBy(db: Database, offers: readonly NamedOffer[]): Promise<ReadonlyMap<string, SentRow>> {
  const ids = offers.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const rows = await allRows<SentRow>(
    db,
    `select picture_showings.upload_id, sent_pictures.paper_id, sent_pictures.sender_name, sent_pictures.caption
     from picture_showings join sent_pictures on sent_pictures.id = picture_showings.picture_id
     where picture_showings.upload_id in (${marks(ids)})`,
    ids,
  );
  return new Map(rows.map((row) => [row.upload_id, row]));
}

async function titlesOf(db: Database, paperIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows: { id: string; title: unknown }[] = await db('papers')
    .whereIn('id', paperIds)
    .select('id', db.raw(`${titleSql(db)} as title`));
  return new Map(rows.map(({ id, title }) => [id, String(title)]));
}
