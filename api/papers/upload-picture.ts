/** Stores an uploaded picture for a paper (A-28, C-05 to C-08). */
import { z } from 'zod';
import { transact } from '../../gateway/runtime/database.ts';
import { Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import type { Principal } from '../directory/principal.ts';
import { storedObject } from '../http/field-shapes.ts';
import { readJson } from '../http/read-json.ts';
import type { UploadedFile } from '../http/route.ts';
import { lockPaper } from './lock-paper.ts';
import type { PaperEdges } from './paper-edges.ts';
import { requirePaper } from './require-paper.ts';
import { type PaperRow, paperStore } from './store.ts';

/** The text fields that count; others are ignored (C-08). */
export const uploadFields = z.object({
  settings: z.string().optional(),
  pictureEditable: z.string().optional(),
  pictureDevice: z.string().optional(),
});

export type UploadFields = z.output<typeof uploadFields>;

/** Kinds that draw themselves: a picture sent to one of them is not used (C-07, C-49). */
const drawnKinds = new Set(['website', 'plugin', 'calendar', 'slides', 'playlist']);

/** Takes an upload in. When this returns, picture and row are on the disk. */
export async function uploadPicture(
  edges: PaperEdges,
  principal: Principal,
  paperId: string,
  upload: { readonly fields: UploadFields; readonly files: readonly UploadedFile[] },
): Promise<PaperRow> {
  const settings = readSettings(upload.fields.settings);
  const sent = chooseFile(upload);
  const { kind } = await requirePaper(edges.database, principal, paperId, 'write');
  const isDrawn = drawnKinds.has(kind);
  if (sent === undefined && !isDrawn) throw refuse('invalid-request', { message: 'No image file uploaded' });
  // The file goes first: a crash in between leaves a spare file, never a row without its picture (INV-03).
  const key =
    sent === undefined || isDrawn ? undefined : await edges.pictures.put(await edges.normalizeImage(sent.bytes));
  return transact(edges.database, async (trx) => {
    const store = paperStore(trx);
    await lockPaper(trx, paperId);
    const paper = await requirePaper(trx, principal, paperId, 'write');
    const now = edges.clock.now();
    await store.change(paper, {
      ...(settings === undefined ? {} : { meta: JSON.stringify(merge(storedObject(paper.meta), settings)) }),
      ...(key === undefined ? {} : { picture_key: key, picture_revision: edges.random.id() }),
      // Clients take a changed time for the proof that their upload counted, so it never repeats.
      ...(key === undefined ? {} : { image_updated_at: Math.max(now, (paper.image_updated_at ?? 0) + 1) }),
      updated_at: now,
    });
    const changed = await store.find(paperId);
    if (changed === undefined) throw refuse('not-found');
    return changed;
  });
}

/** The source picture among the files: with two named `picture`, the second is the original (C-05). */
function chooseFile(upload: {
  readonly fields: UploadFields;
  readonly files: readonly UploadedFile[];
}): UploadedFile | undefined {
  const carried = new Set([...upload.files.map(({ field }) => field), ...Object.keys(upload.fields)]);
  for (const field of ['pictureDevice', 'pictureEditable']) {
    if (carried.has(field)) {
      throw refuse('invalid-request', { message: `${field} is not supported by this release`, hint: 'send picture' });
    }
  }
  const unknown = upload.files.find(({ field }) => field !== 'picture');
  if (unknown !== undefined) {
    throw refuse('invalid-request', { message: `Unexpected file field ${unknown.field}`, hint: 'send picture' });
  }
  if (upload.files.length > 2) throw refuse('invalid-request', { message: 'More than two pictures' });
  return upload.files.at(-1);
}

/** `settings` is JSON text: its `meta` object, or else the object itself, goes into the paper's meta. */
function readSettings(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined || text === '') return undefined;
  const read = readJson(Buffer.from(text));
  if (read instanceof Refusal || !isObject(read.value)) {
    throw refuse('invalid-json', { message: 'Invalid JSON in settings' });
  }
  return isObject(read.value.meta) ? read.value.meta : read.value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Merged without a prototype, so that no name can reach one (T-18). */
function merge(stored: Record<string, unknown>, given: Record<string, unknown>): Record<string, unknown> {
  return Object.assign(Object.create(null), stored, given);
}
