/** A deadline as people write it. */
import { z } from 'zod';
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import { type Refusal, refuse } from '../../../reasons/refusals.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { membershipIn, type Principal } from '../../access/principal.ts';
import { channelPlace, maxPlaces } from '../../alerts/channel-places.ts';
import { playlistPapers } from '../../calendar/choose-entry.ts';
import { readDeadlineTime } from '../../deadlines/deadline-of-upload.ts';
import {
  type DeadlineRow,
  namedDevices,
  placesOfDeadline,
  ruleOf,
  stepsOfDeadline,
} from '../../deadlines/deadline-rows.ts';
import { askedGrades } from '../../deadlines/deadline-state.ts';
import { type DeadlineChoice, defaultDeadline } from '../../deadlines/deadline-store.ts';
import { deadlineRule } from '../../deadlines/deadline-times.ts';
import { maxDeadlineFrames } from '../../deadlines/open-occurrences.ts';
import { type DeadlineStep, deadlineStep, maxSteps } from '../../deadlines/steps.ts';
import { timedPictures } from '../../delivery-state/timed-rows.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { isTimezone, objectId, storedObject } from '../../http/field-shapes.ts';
import { wrongField } from '../../http/fit-schema.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { wordedLanguages } from '../../words/service-words.ts';

const zone = z.string().max(60).refine(isTimezone, wrongField('field-time-zone-unknown'));

/** The fields of a change; all of them may be left out. */
const changeable = {
  name: z.string().trim().max(200).describe('what people call it; the paper’s title where it is left out'),
  devices: z
    .array(objectId)
    .min(1)
    .max(maxDeadlineFrames)
    .nullable()
    .describe('the frames; null for those of `places`'),
  places: z
    .array(channelPlace)
    .min(1)
    .max(maxPlaces)
    .nullable()
    .describe('all frames that hang there, also those that come later; null, as `devices`: all that show it'),
  by: z.string().max(40).describe('the one time, in ISO 8601 with its offset'),
  rule: deadlineRule.describe('the weekdays and the time of day by which it is due again and again'),
  timeZone: zone.describe('of `rule`, and of the times in messages'),
  freshMinutes: z
    .int()
    .min(1)
    .max(100_000)
    .nullable()
    .describe('the picture has to be newer than this before its time; null for however old'),
  grade: z.enum(askedGrades).describe('how well it is to be proven'),
  steps: z
    .array(deadlineStep)
    .max(maxSteps)
    .describe('who is notified when; every channel of what cannot be kept, unless given'),
  language: z.enum(wordedLanguages).describe('of messages to people'),
};

/** The body of a change. */
export const changedDeadline = z.object(changeable).partial();
/** The body of a new deadline. */
export const newDeadline = changedDeadline.extend({
  organization: objectId.describe('that of the paper or picture where it is left out').optional(),
  paper: objectId.describe('whose picture is due').optional(),
  timedPicture: objectId.describe('a picture that is shown at a time').optional(),
  entry: objectId.describe('of a playlist: the paper of the entry that is due').optional(),
});

type ChangedFields = z.output<typeof changedDeadline>;
type NewFields = z.output<typeof newDeadline>;

const unfit = (message: Reason, hint: string): Refusal => refuse('invalid-request', { message, hint });
const elsewhere = (what: 'device' | 'channel' | 'person', message?: Reason): Refusal =>
  refuse('not-found', { ...(message && { message }), hint: `the organization has no ${what} with this id` });
const noTime = (): Refusal =>
  unfit(reasonOf('deadline-no-time'), 'give either by, with its offset, or rule with timeZone');
const noSubject = (): Refusal =>
  unfit(reasonOf('deadline-no-subject'), 'give paper, or timedPicture, or both where that picture is of this paper');

function timeOf({ by, rule }: Pick<ChangedFields, 'by' | 'rule'>): DeadlineChoice['by'] | undefined {
  if (by !== undefined && rule !== undefined) throw noTime();
  return rule ?? (by === undefined ? undefined : readDeadlineTime('by', by));
}

/** The choice that a stored deadline stands for. */
function choiceOf(row: DeadlineRow): DeadlineChoice {
  return {
    name: row.name,
    paperId: row.paper_id,
    timedId: row.timed_id,
    entryId: row.entry_id,
    revision: row.revision,
    devices: namedDevices(row) ?? null,
    places: placesOfDeadline(row),
    by: ruleOf(row) ?? row.by_at ?? 0,
    timeZone: row.time_zone,
    freshMinutes: row.fresh_minutes,
    grade: row.grade,
    steps: stepsOfDeadline(row),
    language: row.language as DeadlineChoice['language'],
  };
}

function withFields(
  before: Omit<DeadlineChoice, 'by'> & { readonly by?: DeadlineChoice['by'] },
  given: ChangedFields,
): DeadlineChoice {
  const by = timeOf(given) ?? before.by;
  if (by === undefined) throw noTime();
  const { name, devices, places, timeZone, freshMinutes, grade, steps, language } = given;
  return {
    ...before,
    by,
    ...(name !== undefined && { name }),
    ...(devices !== undefined && { devices }),
    ...(places !== undefined && { places }),
    ...(timeZone !== undefined && { timeZone }),
    ...(freshMinutes !== undefined && { freshMinutes }),
    ...(grade !== undefined && { grade }),
    ...(steps !== undefined && { steps }),
    ...(language !== undefined && { language }),
  };
}

/**
 * Finds the organization of a new deadline: the one that is named, or that of what the deadline is about.
 * @throws Refusal `invalid-request` where it is about nothing, `not-found`, `access-denied`
 */
export async function organizationOfNew(db: Database, principal: Principal, body: NewFields): Promise<string> {
  const { organization, paper, timedPicture } = body;
  if (organization !== undefined) return organization;
  if (paper !== undefined) return (await requirePaper(db, principal, paper, 'write')).organization_id;
  if (timedPicture === undefined) throw noSubject();
  const timed = await timedPictures(db).find(timedPicture);
  if (timed === undefined || membershipIn(principal, timed.organization_id) === undefined) throw refuse('not-found');
  return timed.organization_id;
}

/**
 * Reads a new deadline of an organization, and checks that the caller may write all that it names.
 * @throws Refusal `invalid-request`, `not-found`, `access-denied`
 */
export async function readNewDeadline(
  db: Database,
  principal: Principal,
  body: NewFields,
  organization: string,
): Promise<DeadlineChoice> {
  const { paper, timedPicture, entry } = body;
  if (paper === undefined && timedPicture === undefined) throw noSubject();
  if (paper !== undefined) await requirePaperIn(db, principal, { paper, entry }, organization);
  const ofTimed = timedPicture === undefined ? paper : await paperOfTimed(db, principal, timedPicture, organization);
  if (timedPicture !== undefined && paper !== undefined && ofTimed !== undefined && ofTimed !== paper)
    throw noSubject();
  const subject = {
    paperId: ofTimed ?? null,
    timedId: timedPicture ?? null,
    entryId: timedPicture === undefined ? (entry ?? null) : null,
  };
  const choice = withFields({ ...defaultDeadline, ...subject }, body);
  await requireNamedBy(db, principal, choice, organization);
  return choice;
}

/** Reads a change of a deadline, with the checks of a new one. */
export async function readChangedDeadline(
  db: Database,
  principal: Principal,
  row: DeadlineRow,
  body: ChangedFields,
): Promise<DeadlineChoice> {
  if (row.paper_id !== null) await requirePaper(db, principal, row.paper_id, 'write');
  const choice = withFields(choiceOf(row), body);
  await requireNamedBy(db, principal, choice, row.organization_id);
  return choice;
}

async function requirePaperIn(
  db: Database,
  principal: Principal,
  { paper, entry }: { readonly paper: string; readonly entry: string | undefined },
  organization: string,
): Promise<void> {
  const row = await requirePaper(db, principal, paper, 'write');
  if (row.organization_id !== organization) throw refuse('not-found');
  const isEntry = entry === undefined || playlistPapers(storedObject(row.meta)).includes(entry);
  if (!isEntry)
    throw unfit(reasonOf('deadline-no-entry'), 'entry is the id of a paper that an entry of the playlist shows');
}

/** Finds the paper of a picture with a time of its own; undefined for one of a device's own. */
async function paperOfTimed(
  db: Database,
  principal: Principal,
  id: string,
  organization: string,
): Promise<string | undefined> {
  const timed = await timedPictures(db).find(id);
  if (timed === undefined || timed.organization_id !== organization) throw refuse('not-found');
  if (timed.paper_id !== null) await requirePaper(db, principal, timed.paper_id, 'write');
  else await requireDevice(db, principal, timed.device_id ?? '', 'write');
  return timed.paper_id ?? undefined;
}

/** Checks that devices, channels and people belong to the organization. @throws Refusal `not-found`, `invalid-request` */
async function requireNamedBy(
  db: Database,
  principal: Principal,
  { devices, steps, paperId }: DeadlineChoice,
  organization: string,
): Promise<void> {
  for (const id of devices ?? []) await requireDeviceIn(db, principal, id, organization);
  const [first] = steps;
  if (first !== undefined && 'minutesLater' in first.when) {
    throw unfit(reasonOf('deadline-step-order'), 'give it state, minutesBefore or minutesAfter');
  }
  for (const [at, { to }] of steps.entries()) {
    await requireReceiverIn(db, principal, { to, at, paperId }, organization);
  }
}

async function requireDeviceIn(db: Database, principal: Principal, id: string, organization: string): Promise<void> {
  const device = await requireDevice(db, principal, id, 'write');
  if (device.organization_id !== organization) throw elsewhere('device');
}

async function requireReceiverIn(
  db: Database,
  principal: Principal,
  { to, at, paperId }: { readonly to: DeadlineStep['to']; readonly at: number; readonly paperId: string | null },
  organization: string,
): Promise<void> {
  const isIn = async (table: 'alert_channels' | 'users', id: string): Promise<boolean> =>
    (await db(table).where({ id, organization_id: organization }).first('id')) !== undefined;
  if ('device' in to) {
    if (paperId === null)
      throw unfit(reasonOf('deadline-step-frame'), 'send the picture to a paper, or leave this step out');
    await requireDeviceIn(db, principal, to.device, organization);
  }
  const unknown = (what: 'channel' | 'person') =>
    elsewhere(what, reasonOf('deadline-receiver-unknown', { field: `steps[${at}].to.${what}` }));
  if ('channel' in to && !(await isIn('alert_channels', to.channel))) throw unknown('channel');
  if ('person' in to && !(await isIn('users', to.person))) throw unknown('person');
}
