/** Pictures rendered once per paper, revision, edition, panel and orientation, and shared by all frames that need that very one. */
import type { Panel } from '../../firmware-protocol/panels.ts';
import type { Transaction } from '../../gateway/runtime/database.ts';
import type { LineEdges, WantedPicture } from './line-edges.ts';

/** A rendered picture in the gateway's store, or why there is none. */
type StoredPicture =
  | { readonly ok: true; readonly sha256: string; readonly bytes: number; readonly format: Panel['packing'] }
  | { readonly ok: false; readonly reason: string };

/** The store of one delivery line. */
export interface PictureStore {
  picture(wanted: WantedPicture): Promise<StoredPicture>;
  /** Notes in the offer's transaction what the device was last offered. */
  remember(
    trx: Transaction,
    offered: { deviceId: string; paperId: string; revision: string; edition: number; turn?: number },
    now: number,
  ): Promise<void>;
}

/** Renderings kept at hand; the files themselves lie in the gateway's folder. */
const mostKept = 256;

/** Opens the store over a renderer. Failures are not kept: the next attempt renders anew. */
export function pictureStore(edges: Pick<LineEdges, 'render' | 'gateway'>): PictureStore {
  const kept = new Map<string, Promise<StoredPicture>>();

  async function renderAndStore(wanted: WantedPicture): Promise<StoredPicture> {
    const rendered = await edges.render(wanted);
    if (!rendered.ok) return rendered;
    const sha256 = await edges.gateway.storePicture(rendered.file);
    return { ok: true, sha256, bytes: rendered.file.length, format: wanted.panel.packing };
  }

  /** INV-04: a rendering kept for long may have lost its file, which nobody showed any more. */
  async function stillStored(picture: StoredPicture): Promise<boolean> {
    return !picture.ok || (await edges.gateway.keepPicture(picture.sha256));
  }

  return {
    async picture(wanted) {
      const content = [wanted.paperId, wanted.revision, wanted.edition, wanted.panel.name, wanted.orientation];
      const { ownPalette, turn } = wanted.panel;
      const key = [...content, ownPalette, turn[wanted.orientation], wanted.at, wanted.turn].join(' ');
      const known = kept.get(key);
      if (known !== undefined) {
        const picture = await known;
        if (await stillStored(picture)) return picture;
        if (kept.get(key) === known) kept.delete(key);
        return this.picture(wanted);
      }
      const coming = renderAndStore(wanted);
      kept.set(key, coming);
      if (kept.size > mostKept) kept.delete(kept.keys().next().value as string);
      const forget = () => kept.get(key) === coming && kept.delete(key);
      coming.then((picture) => (picture.ok ? undefined : forget()), forget);
      return coming;
    },
    async remember(trx, { deviceId, paperId, revision, edition, turn = 0 }, now) {
      const row = {
        ...{ paper_id: paperId, revision, edition, attempts: 0, due_at: now, problem: null, updated_at: now },
        // The next rendering goes on where this one was.
        ...{ render_due_at: null, turn: turn + 1 },
      };
      await trx('shown_pictures')
        .insert({ device_id: deviceId, ...row })
        .onConflict('device_id')
        .merge(row);
    },
  };
}

/** What a picture depends on besides its paper was changed: it is made again, and offered if a pixel became another. */
export async function drawAgain(trx: Transaction, deviceId: string): Promise<void> {
  await trx('shown_pictures').where({ device_id: deviceId }).update({ edition: noEdition });
}

/** Somebody wants the paper once more: one that could not be made is tried anew, and one that was stays as it is. */
export async function tryAnew(trx: Transaction, deviceId: string): Promise<void> {
  await trx('shown_pictures').where({ device_id: deviceId }).whereNotNull('problem').update({ edition: noEdition });
}

/** Somebody asked for the paper's next picture: slides go on, pages are drawn anew (C-49). */
export async function drawNext(trx: Transaction, paperId: string, now: number): Promise<void> {
  await trx('shown_pictures')
    .where({ paper_id: paperId })
    .whereNot({ revision: '' })
    .update({ render_due_at: now, attempts: 0 });
}

/** The edition of no paper. */
const noEdition = -1;

/** A frame showed something else than its paper meanwhile: what it was last offered of it is to be offered anew. */
export async function forgetShown(trx: Transaction, deviceId: string): Promise<void> {
  await trx('shown_pictures').where({ device_id: deviceId }).delete();
}
