/** The picture of its paper that a device is to show. */

import { type Because, listOf, type Reason, type Reasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { noPanelFor, panelOf } from '../devices/device-panel.ts';
import type { WantedPicture } from '../drawing/wanted-picture.ts';
import { isTimezone, storedObject } from '../http/field-shapes.ts';
import { changingKinds, isAlbum, isSeries } from '../papers/kinds.ts';
import { beginOfPlaylist, whatToSetUp } from '../papers/not-set-up.ts';
import { orientationOf } from '../papers/orientation.ts';
import { serviceText, type WordedLanguage, wordedLanguage, writtenTime } from '../words/service-words.ts';
import type { DuePicture } from './due-pictures.ts';

const minuteMs = 60_000;

/** When a picture that is made now is seen: at the wake that it is made for, epoch milliseconds. */
export const whenSeen = ({ render_for }: Pick<DuePicture, 'render_for'>, now: number): number =>
  Math.max(now, render_for ?? 0);

/** Gives the picture to render, or the reason why nothing can be rendered for the frame. */
export function wantedOf(due: DuePicture, now: number): WantedPicture | Reason {
  const panel = panelOf({ kind: due.kind, meta: due.device_meta });
  if (panel === undefined) return noPanelFor('frames', due.kind);
  const { organization_id, paper_id: paperId, shown, edition, serial, position } = due;
  const orientation = orientationOf(due.paper_meta, due.device_meta);
  const picture = { sharer: [organization_id, paperId], paperId, shown, edition, panel, orientation, serial };
  if (!changingKinds.includes(due.paper_kind)) return picture;
  // The moment is cut to the minute, so that frames which wake together share one picture. It is seen when they wake.
  const at = whenSeen(due, now);
  return {
    ...picture,
    at: at - (at % minuteMs),
    ...(isSeries(due.paper_kind) && { position }),
    ...(isAlbum(due.paper_kind) && due.again && { isShown: true }),
  };
}

/** Gives a notice to render in the picture's place, with the reason why there is none, in the language of the paper. */
export function noticeOf(wanted: WantedPicture, because: Because | Reasons, paperMeta: string): WantedPicture {
  const meta = storedObject(paperMeta);
  const language = wordedLanguage(meta.language);
  const notice = {
    title: serviceText(language, 'glass.nothing'),
    text: noticeText(listOf(because), language, meta),
    language,
  };
  return { ...wanted, shown: { kind: 'notice', id: wanted.paperId }, notice };
}

/** The exact reason has words in English alone; in other languages it is given in short, and the console has the rest. */
function noticeText(
  reasons: Reasons,
  language: WordedLanguage,
  { timezone }: Readonly<Record<string, unknown>>,
): string {
  const begin = beginOfPlaylist(reasons);
  if (begin !== undefined) {
    const zone = typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
    return serviceText(language, 'glass.begins', { time: writtenTime(begin, language, zone) });
  }
  if (language === 'en') return wordsOf(reasons);
  return serviceText(language, whatToSetUp(reasons) === undefined ? 'glass.failed' : 'glass.notSetUp');
}
