/** The picture of its paper that a device is to show. */

import type { Because, Reason, Reasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { noPanelFor, panelOf } from '../devices/device-panel.ts';
import type { WantedPicture } from '../drawing/wanted-picture.ts';
import { changingKinds, isAlbum, isSeries } from '../papers/kinds.ts';
import { orientationOf } from '../papers/orientation.ts';
import type { DuePicture } from './due-pictures.ts';

const minuteMs = 60_000;

/** Gives the picture to render, or the reason why nothing can be rendered for the frame. */
export function wantedOf(due: DuePicture, now: number): WantedPicture | Reason {
  const panel = panelOf({ kind: due.kind, meta: due.device_meta });
  if (panel === undefined) return noPanelFor('frames', due.kind);
  const { organization_id, paper_id: paperId, shown, edition, serial, position } = due;
  const orientation = orientationOf(due.paper_meta, due.device_meta);
  const picture = { sharer: [organization_id, paperId], paperId, shown, edition, panel, orientation, serial };
  if (!changingKinds.includes(due.paper_kind)) return picture;
  // The moment is cut to the minute, so that frames which wake together share one picture. It is seen when they wake.
  const at = Math.max(now, due.render_for ?? 0);
  return {
    ...picture,
    at: at - (at % minuteMs),
    ...(isSeries(due.paper_kind) && { position }),
    ...(isAlbum(due.paper_kind) && due.again && { isShown: true }),
  };
}

/** Gives a notice to render in the picture's place, with the reason why there is none. */
export function noticeOf(wanted: WantedPicture, reasons: Because | Reasons): WantedPicture {
  const notice = { title: 'Nothing to show yet', text: wordsOf(reasons) };
  return { ...wanted, shown: { kind: 'notice', id: wanted.paperId }, notice };
}
