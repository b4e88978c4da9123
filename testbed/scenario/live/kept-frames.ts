/** Reads what a service keeps of its frames, without anything that names them. */
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import { wakeReasons } from '../../../firmware-protocol/sleep.ts';
import type { EventType } from '../../../gateway/frames/event-log.ts';
import { type FrameEvent, readEvents } from '../../../gateway/frames/read-events.ts';
import type { FrameRow } from '../../../gateway/frames/registry.ts';
import { offersBetween } from '../../../gateway/pictures/offer-picture.ts';
import type { UploadRow } from '../../../gateway/pictures/upload-row.ts';
import type { Database } from '../../../runtime/database/database.ts';
import type { KeptContact, KeptFrame, KeptOffer } from '../tell-frame.ts';

/** The span of time of a record, epoch milliseconds. */
export interface RecordedSpan {
  readonly from: number;
  readonly until: number;
}

/** The records of the frames that can be played, and the number of the others. */
export interface KeptFrames {
  readonly frames: readonly KeptFrame[];
  /** They said nothing, and were offered nothing. */
  readonly silent: number;
  /** They speak what no simulated frame speaks. */
  readonly unplayed: number;
  /** They have panels that frames of scenarios do not have. */
  readonly otherPanels: number;
}

const types: readonly EventType[] = ['hello', 'connect', 'disconnect', 'picture', 'settings'];
/** More events of one frame than it can have in the longest record. */
const maxEvents = 1_000_000;

const panels = { native: ['epd7', 'epd13'], classic: ['epd7', 'epd13'], trmnl: ['trmnl4', 'trmnl2'] } as const;
type Dialect = keyof typeof panels;

/** Reads it, frame by frame. Frames that belong to nobody are left out. */
export async function readKeptFrames(db: Database, rows: readonly FrameRow[], span: RecordedSpan): Promise<KeptFrames> {
  const frames: KeptFrame[] = [];
  const counts = { silent: 0, unplayed: 0, otherPanels: 0 };
  for (const row of rows.filter(({ activation }) => activation === 'activated')) {
    const range = { from: span.from, before: span.until };
    const events = await readEvents(db, row.serial, { ...range, types, limit: maxEvents });
    const offers = await offersBetween(db, row.serial, range);
    const contacts = events.flatMap(contactIn);
    const dialect = (row.dialect ?? '') as Dialect;
    if (contacts.length === 0 && offers.length === 0) counts.silent++;
    else if (panels[dialect] === undefined) counts.unplayed++;
    else {
      const kind = panels[dialect].find((name) => panelOfKind(name) === panelOfKind(row.kind));
      if (kind === undefined) counts.otherPanels++;
      frames.push({
        dialect,
        kind: kind ?? panels[dialect][0],
        sleepSeconds: Math.min(86_400, Math.max(60, row.sleep_seconds)),
        contacts,
        ...otherEvents(events),
        offers: offers.map(offerOf),
        hadOtherSleeps: isToldOthers(row, events),
      });
    }
  }
  return { frames, ...counts };
}

/** A wake that was in no doubt. */
function contactIn({ type, at, payload }: FrameEvent): KeptContact[] {
  if (type !== 'hello' || payload.suspect === true || payload.superseded === true) return [];
  const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
  const batteryMv = number(payload.batteryMv) ?? 0;
  return [
    {
      at,
      wake: wakeReasons.find((reason) => reason === payload.wake) ?? 'timer',
      batteryMv: batteryMv > 0 ? batteryMv : undefined,
      orientation: number(payload.orientation),
      boot: number(payload.boot),
    },
  ];
}

function otherEvents(events: readonly FrameEvent[]): Pick<KeptFrame, 'connects' | 'disconnects' | 'failures'> {
  const timesOf = (type: EventType, stage?: string): number[] =>
    events.filter((event) => event.type === type && event.payload.stage === stage).map(({ at }) => at);
  return {
    connects: timesOf('connect'),
    disconnects: timesOf('disconnect'),
    failures: timesOf('picture', 'failed'),
  };
}

/** A page that is drawn again goes on under its name. */
function offerOf({ offered_at, revision, picture_sha256, fetched_at, shown_at, replaced_at }: UploadRow): KeptOffer {
  // EV-05: a claim from before the download proves nothing.
  const isShown = fetched_at !== null && shown_at !== null && shown_at >= fetched_at;
  const isInTime = isShown && shown_at <= (replaced_at ?? shown_at);
  return {
    at: offered_at,
    content: revision.startsWith('page:') ? `${revision} ${picture_sha256}` : revision,
    shownAt: isInTime ? shown_at : undefined,
  };
}

function isToldOthers({ update_schedule, prove_soon }: FrameRow, events: readonly FrameEvent[]): boolean {
  const isChanged = events.some(({ type, payload }) => type === 'settings' && payload.stage === 'wished');
  return update_schedule !== null || prove_soon === 1 || isChanged;
}
