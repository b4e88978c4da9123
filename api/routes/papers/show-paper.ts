/** Presents a paper as the HTTP contract does. */
import { z } from 'zod';
import { isoTime } from '../../../runtime/clock.ts';
import { mayDo, membershipIn, type Principal } from '../../access/principal.ts';
import { noDevice } from '../../devices/store.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { drawnKind } from '../../papers/kinds.ts';
import { paperTitle } from '../../papers/paper-title.ts';
import type { PaperRow } from '../../papers/store.ts';

const metaIsSeenBy =
  'Whole for those who may write the paper; others see title, name, orientation, language and timezone';

export const paperShown = z
  .object({
    id: z.string(),
    title: z.string(),
    author: z.string(),
    kind: z.union([drawnKind, z.string()]).describe('One that can be drawn, or a kind of a client’s own'),
    organization: z.string(),
    deviceId: z.string().nullable().describe('null when its device was removed'),
    name: z.string().optional(),
    draft: z.boolean(),
    devicePaperId: z.string().optional(),
    meta: z.unknown().describe(metaIsSeenBy),
    createdAt: z.string(),
    updatedAt: z.string(),
    imageUpdatedAt: z.string().optional(),
    sourcesAwaySince: z
      .string()
      .describe(
        'Since when a source that fills the album gives no list; absent while all do, and where one paper is answered',
      )
      .optional(),
    waitsForPicture: z
      .literal(true)
      .describe('Its device shows it from the first picture on that is sent to it; absent otherwise')
      .optional(),
    waitingMails: z
      .number()
      .describe('emails that wait for a yes of those who may write the paper; absent where none does')
      .optional(),
  })
  .meta({ id: 'Paper' });

export type PaperShown = z.input<typeof paperShown>;

/** A paper as its creation is answered: a device that shows another one goes on with that. */
export const paperCreated = paperShown
  .extend({
    deviceShows: z
      .string()
      .nullable()
      .describe('the id of the paper that its device shows now: the first one, until another is selected'),
    hint: z.string().describe('where the device shows another paper: what has it show this one').optional(),
  })
  .meta({ id: 'CreatedPaper' });

type PaperCreated = z.input<typeof paperCreated>;

/** The fields of a meta that readers see: the paper's name, how it hangs, and its language. */
const forReaders = ['title', 'name', 'orientation', 'language', 'timezone'] as const;

/**
 * Selects the part of a paper's meta that a role may see, here alone: those who may write the paper see all of
 * it, others the fields in `forReaders`. The rest may hold secrets: settings of integrations, addresses of calendars
 * and pages.
 */
function metaFor(row: PaperRow, viewer: Principal | undefined): unknown {
  if (viewer !== undefined && mayDo(membershipIn(viewer, row.organization_id), 'write')) return JSON.parse(row.meta);
  const stored = storedObject(row.meta);
  const plain = forReaders.filter((field) => ['string', 'number'].includes(typeof stored[field]));
  return Object.fromEntries(plain.map((field) => [field, stored[field]]));
}

/** Presents a paper to this person. Without a person it is presented as to anybody who was given an upload address. */
export function showPaper(row: PaperRow, viewer: Principal | undefined): PaperShown {
  return {
    id: row.id,
    title: paperTitle(row),
    author: row.author,
    kind: row.kind,
    organization: row.organization_id,
    deviceId: row.device_id === noDevice ? null : row.device_id,
    ...(row.name === null ? {} : { name: row.name }),
    draft: row.draft === 1,
    ...(row.device_paper_id === null ? {} : { devicePaperId: row.device_paper_id }),
    meta: metaFor(row, viewer),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    ...(row.selects_with_picture === 1 && { waitsForPicture: true }),
    ...(row.image_updated_at === null ? {} : { imageUpdatedAt: isoTime(row.image_updated_at) }),
  };
}

/** Presents a paper that was created, with what its device shows. */
export function showCreated(row: PaperRow, deviceShows: string | null, viewer: Principal): PaperCreated {
  const shown = { ...showPaper(row, viewer), deviceShows };
  if (deviceShows === row.id) return shown;
  const hint = `the device goes on showing another paper: POST /devices/${row.device_id} with {"paper":"${row.id}"} has it show this one`;
  return { ...shown, hint };
}
