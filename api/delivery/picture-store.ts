/** Pictures rendered once per paper, revision, edition, panel and orientation, shared by all frames that need them. */

import type { MadePicture } from '../../gateway/pictures/upload-row.ts';
import type { Because } from '../../reasons/reason.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { sourcesText } from '../devices/data-sources.ts';
import { revisionOf } from '../devices/shown-item.ts';
import type { RenderedPicture, WantedPicture } from '../drawing/wanted-picture.ts';
import type { LineDeps } from './line-deps.ts';
import type { PictureClaims } from './picture-claims.ts';

/**
 * A rendered picture in the gateway's store, with what is known of it besides; or the reason why there is none.
 */
export type StoredPicture =
  | ({ readonly ok: true; readonly made: MadePicture } & Pick<Rendered, 'remarks' | 'sentPicture' | 'passed'>)
  | { readonly ok: false; readonly reason: Because };

type Rendered = RenderedPicture & { readonly ok: true };

/** The store of one delivery line. */
export interface PictureStore {
  picture(wanted: WantedPicture): Promise<StoredPicture>;
}

/** Renderings kept at hand; the files themselves lie in the gateway's folder. */
const maxKept = 256;

/**
 * Opens the store over a renderer. Failures are not kept: the next attempt renders again.
 * @param claims have each picture made by one node, where there are several
 */
export function pictureStore(
  deps: Pick<LineDeps, 'render' | 'gateway' | 'whileMaking'>,
  claims: PictureClaims,
): PictureStore {
  const { whileMaking = (_serial, work) => work } = deps;
  const kept = new BoundedMap<string, Promise<StoredPicture>>(maxKept);

  async function renderAndStore(wanted: WantedPicture): Promise<StoredPicture> {
    const rendered = await deps.render(wanted);
    if (!rendered.ok) return rendered;
    const sha256 = await deps.gateway.storePicture(rendered.file);
    const { packing: format, name: panel } = wanted.panel;
    const { remarks, sources, sentPicture, passed } = rendered;
    const madeOf = sourcesText(sources);
    const made = { sha256, bytes: rendered.file.length, format, panel, ...(madeOf !== undefined && { madeOf }) };
    return { ok: true, made, remarks, sentPicture, passed };
  }

  /** INV-04: a rendering kept for long may have lost its file, which nobody showed any longer. */
  async function stillStored(picture: StoredPicture): Promise<boolean> {
    return !picture.ok || (await deps.gateway.keepPicture(picture.made.sha256));
  }

  async function picture(wanted: WantedPicture): Promise<StoredPicture> {
    const revision = revisionOf(wanted.shown);
    const content = [wanted.paperId, revision, wanted.edition, wanted.panel.name, wanted.orientation];
    const { ownPalette, rotation } = wanted.panel;
    const moment = [wanted.at, wanted.position, wanted.isShown, wanted.notice?.text];
    const key = [...content, ownPalette, rotation[wanted.orientation], ...moment].join(' ');
    const known = kept.get(key);
    if (known !== undefined) {
      const before = await known;
      if (await stillStored(before)) return before;
      if (kept.get(key) === known) kept.delete(key);
      return picture(wanted);
    }
    const make = (): Promise<StoredPicture> => renderAndStore(wanted);
    const coming = claims.once(key, make, stillStored);
    kept.set(key, coming);
    const forget = () => kept.get(key) === coming && kept.delete(key);
    coming.then(({ ok }) => (ok ? undefined : forget()), forget);
    return coming;
  }

  return { picture: (wanted) => whileMaking(wanted.serial, picture(wanted)) };
}
