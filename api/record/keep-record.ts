/**
 * Keeps the wall's record: writes down what frames were proven to show since the last look, and ends what is no longer
 * certain. It reads the upload log by time and costs a wake nothing.
 */
import { gradeOf, type UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { changeFact, readFact } from '../../runtime/database/service-facts.ts';
import { readRevision } from '../devices/shown-item.ts';
import { endUncertain } from './end-uncertain.ts';
import { type IntervalRow, lastIntervals } from './intervals.ts';
import { receiptChain } from './receipts.ts';
import { keptWords, type ShowingWords, wordsOfShowings } from './showing-words.ts';
import { beginInterval, blindOf, endInterval, type KeepRecordDeps } from './write-interval.ts';

/** How far a look reaches back behind the last one: a report may be committed some time after its moment. */
const overlapMs = 120_000;
/** The most showings that one transaction writes down. */
const portion = 100;

/** A picture that a frame was proven to show. */
export type Showing = Pick<
  UploadRow,
  'id' | 'serial' | 'revision' | 'picture_sha256' | 'fetched_at' | 'grade' | 'ownership'
> & {
  readonly shown_at: number;
  readonly device_id: string;
  readonly organization_id: string;
  readonly name: string;
};

const newShowings = `select uploads.id, uploads.serial, uploads.revision, uploads.picture_sha256, uploads.fetched_at,
    uploads.shown_at, uploads.grade, uploads.ownership, devices.id as device_id, devices.organization_id, devices.name
  from uploads join frames on frames.serial = uploads.serial and frames.ownership = uploads.ownership
    join devices on devices.serial = uploads.serial
  where uploads.shown_at is not null and uploads.fetched_at is not null and uploads.shown_at >= uploads.fetched_at
    and uploads.shown_at >= ? and (uploads.shown_at > ? or uploads.id > ?)
    and not exists (select 1 from wall_intervals where wall_intervals.serial = uploads.serial
      and wall_intervals.since >= uploads.shown_at)
  order by uploads.shown_at, uploads.id limit ${portion}`;

/**
 * Writes down everything since the last look. A process that is killed in between does it again.
 * @returns how many intervals began
 */
export async function recordWall(deps: KeepRecordDeps): Promise<number> {
  const { db, clock, single } = deps;
  const startedAt = clock.now();
  const last = Number((await readFact(db, 'wall recorded')) ?? 0);
  const since = Math.max(0, last - overlapMs);
  let [began, at, id] = [0, since, ''];
  for (;;) {
    const showings = await allRows<Showing>(db, newShowings, [at, at, id]);
    const [end] = showings.slice(-1);
    if (end === undefined) break;
    const words = await wordsOfShowings(db, showings);
    began += await single.transact(db, (trx) => writeShowings(trx, deps, showings, words));
    if (showings.length < portion) break;
    [at, id] = [end.shown_at, end.id];
  }
  await endUncertain(deps, since);
  await changeFact(db, 'wall recorded', String(startedAt));
  return began;
}

async function writeShowings(
  trx: Transaction,
  { clock, random }: Pick<KeepRecordDeps, 'clock' | 'random'>,
  showings: readonly Showing[],
  words: ReadonlyMap<string, ShowingWords>,
): Promise<number> {
  const now = clock.now();
  const chain = receiptChain(trx, now);
  const lasts = await lastIntervals(trx, [...new Set(showings.map(({ serial }) => serial))]);
  let began = 0;
  for (const showing of showings) {
    const last = lasts.get(showing.serial);
    if (last !== undefined && (last.since >= showing.shown_at || goesOn(last, showing))) continue;
    const since = Math.max(showing.shown_at, last?.until ?? 0);
    if (last?.until === null) await endInterval(trx, chain, last, { until: since, ended: endedBy(last, showing) });
    const interval = newInterval(
      showing,
      { id: random.id(), blind: blindOf(random.secret(16)), since },
      words.get(showing.id),
    );
    await beginInterval(trx, chain, interval);
    lasts.set(showing.serial, interval);
    began++;
  }
  await chain.write();
  return began;
}

/** A frame that proves the same picture once more has shown it all the time. */
const goesOn = (last: IntervalRow, showing: Showing): boolean =>
  last.until === null &&
  last.organization_id === showing.organization_id &&
  last.revision === showing.revision &&
  last.picture_sha256 === showing.picture_sha256;

const endedBy = (last: IntervalRow, showing: Showing): 'replaced' | 'left' =>
  last.organization_id === showing.organization_id && last.ownership === showing.ownership ? 'replaced' : 'left';

function newInterval(
  showing: Showing,
  { id, blind, since }: { readonly id: string; readonly blind: string; readonly since: number },
  words: ShowingWords | undefined,
): IntervalRow {
  const { serial, revision, picture_sha256, ownership, device_id, organization_id } = showing;
  return {
    id,
    organization_id,
    serial,
    ownership,
    device_id,
    frame_name: keptWords(showing.name) ?? serial,
    title: words?.title ?? null,
    sender: words?.sender ?? null,
    blind,
    shows: readRevision(revision).kind,
    paper_id: words?.paperId ?? null,
    upload_id: showing.id,
    revision,
    picture_sha256,
    grade: gradeOf(showing),
    since,
    until: null,
    ended: null,
  };
}
