/** Presents pictures that people and guests sent, with how far each is, and makes small pictures of them. */
import { z } from 'zod';
import { panelOfDevice } from '../../../firmware-protocol/panels.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { bestShowing, pictureStates, progressOf } from '../../explanations/picture-progress.ts';
import { remarksOf } from '../../files/picture-notes.ts';
import { type RemarkShown, tellRemarks } from '../../files/tell-remark.ts';
import { drawPanelFile, drawQueued, toThumbnail } from '../../inks/renditions.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { isOfGuest, type SentPictureRow, sendingWays, sentPictures, wayOfSender } from '../../papers/sent-pictures.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import type { PaperDeps } from './paper-deps.ts';

/** A picture as its sender and members see it. */
export const pictureShown = z.object({
  id: z.string(),
  caption: z.string(),
  sentAt: z.string(),
  state: z
    .enum(pictureStates)
    .describe(
      '`accepted`: waits for its turn; `on-its-way`: was given to a frame; `on-glass`: proven to be there; `was-on-glass`: was, and others are shown now; `replaced`: another picture came first',
    ),
  since: z.string().nullable().describe('when it came to a glass last, which is proven; null when it never did'),
  nextWakeAt: z
    .string()
    .nullable()
    .describe('of a picture on its way: when its frame is expected to wake; in the past when it is late'),
});

/** A picture as members see it. */
export const memberPicture = pictureShown.extend({
  sender: z.object({ name: z.string(), isGuest: z.boolean(), way: z.enum(sendingWays) }),
  bytes: z.number(),
});

/** Returns the remark on the file of a picture that was just sent, wherever it is kept. */
export async function remarkOnSent({ db }: Pick<PaperDeps, 'db'>, row: SentPictureRow): Promise<RemarkShown> {
  if (row.picture_key !== null) return tellRemarks(await remarksOf(db, row.picture_key));
  const paper = await paperStore(db).find(row.paper_id);
  const isShown = row.revision !== null && row.revision === paper?.picture_revision;
  return tellRemarks(isShown ? await remarksOf(db, paper.picture_key) : []);
}

/** The answer with a temporary address. */
export const pictureAddress = z.object({ url: z.string() });

/** The progress of a picture about which nothing is known. */
const unknownProgress = { state: 'accepted', since: null, nextWakeAt: null } as const;

/** Presents pictures of one paper, in the order given. */
export async function showSentPictures(
  deps: PaperDeps,
  paper: PaperRow,
  rows: readonly SentPictureRow[],
): Promise<z.input<typeof memberPicture>[]> {
  const progress = await progressOf(deps, paper, rows);
  return rows.map((row) => {
    const { state, since, nextWakeAt } = progress.get(row.id) ?? unknownProgress;
    return {
      id: row.id,
      caption: row.caption,
      sentAt: isoTime(row.created_at),
      state,
      since: isoTimeOrNull(since),
      nextWakeAt: isoTimeOrNull(nextWakeAt),
      sender: { name: row.sender_name, isGuest: isOfGuest(row), way: wayOfSender(row) },
      bytes: row.bytes,
    };
  });
}

/**
 * Returns the temporary address of a small picture of what was sent; undefined when it is not kept: what replaced the
 * picture of a paper is that paper's.
 */
export async function thumbnailOf(
  { db, files, images }: PaperDeps,
  paper: PaperRow,
  row: SentPictureRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const source =
    row.picture_key ?? (row.revision !== null && row.revision === paper.picture_revision ? paper.picture_key : null);
  let key = row.thumbnail_key;
  if (key === null || !(await files.keep(key))) {
    const made = await drawQueued({ sharer: [paper.organization_id, paper.id], signal }, async () => {
      const bytes = source === null ? undefined : await files.get(source);
      return bytes && toThumbnail(bytes);
    });
    if (made === undefined) return undefined;
    key = await files.put(made);
    await sentPictures(db).keepThumbnail(row.id, key);
  }
  return images.sign(key, paper.id, 'jpg').url;
}

/** Returns the temporary address of a picture as a panel shows it; undefined while no frame was given it. */
export async function resultOf(
  { db, files, frames, images }: PaperDeps,
  paper: PaperRow,
  row: SentPictureRow,
  signal: AbortSignal,
): Promise<string | undefined> {
  const showing = await bestShowing(db, row);
  const offer = showing && (await frames.offeredPicture(showing.serial, showing.uploadId));
  const device = await db<DeviceRow>('devices')
    .where({ serial: showing?.serial ?? '' })
    .first();
  const panel = device && panelOfDevice(device.kind, device.meta);
  if (offer === undefined || device === undefined || panel === undefined) return undefined;
  const drawn = await drawQueued({ sharer: [paper.organization_id, paper.id], signal }, async () => {
    const file = await offer.read();
    return file && drawPanelFile(panel, orientationOf(paper.meta, device.meta), file);
  });
  return drawn && images.sign(await files.put(drawn), paper.id, 'png').url;
}
