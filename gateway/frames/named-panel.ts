/** The panel of a frame, and the alert about a frame that names another panel than its kind has. */

import { type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { recordFrameEvent } from './event-log.ts';
import type { FrameRow } from './registry.ts';

/** The panel of a frame as far as it is known: the panel that the frame names, else the panel of its kind. */
export function panelOfFrame({ kind, panel }: Pick<FrameRow, 'kind' | 'panel'>): Panel | undefined {
  return panelOfKind(panel ?? '') ?? panelOfKind(kind);
}

/**
 * The panel that a frame names by its pixels alone. They do not determine its inks, so the owner chooses among the
 * kinds of the same size.
 * @param said a panel of the size that the frame reports; undefined where it reports none
 * @returns the field of a wake report
 */
export function panelBySize({ kind }: Pick<FrameRow, 'kind'>, said: Panel | undefined): { readonly panel?: string } {
  const own = panelOfKind(kind);
  if (own === undefined || said === undefined) return {};
  const isSame =
    Math.max(own.width, own.height) === Math.max(said.width, said.height) &&
    Math.min(own.width, own.height) === Math.min(said.width, said.height);
  return { panel: isSame ? own.name : said.name };
}

/**
 * The reason why a frame cannot draw a picture that is made for a panel, as a sentence; undefined when none is known.
 * @param drawnFor the panel's name; null where it was not stored
 */
export function whyNotDrawn(frame: Pick<FrameRow, 'kind' | 'panel'>, drawnFor: string | null): string | undefined {
  const panel = panelOfFrame(frame);
  if (panel === undefined || drawnFor === null || panel.name === drawnFor) return undefined;
  return `the frame has panel ${panel.name} and cannot draw what is made for ${drawnFor}`;
}

/**
 * The contradiction between a frame's kind and the panel that it names; undefined when there is none. A
 * kind whose panel is not known here contradicts no panel.
 */
export function panelTrouble(kind: string | null, named: string | null | undefined): Reason | undefined {
  const panel = panelOfKind(kind ?? '');
  if (panel === undefined || !named || (panelOfKind(named)?.name ?? named) === panel.name) return undefined;
  return reasonOf('names-other-panel', { panel: named, kind: kind ?? '' });
}

/**
 * Records an alert when a frame newly names a wrong panel, and not again at each wake.
 * @param frame its row as it was before this wake
 */
export async function notePanel(
  db: Database,
  frame: FrameRow,
  named: string | undefined,
  { now, random }: Moment,
): Promise<void> {
  const problem = panelTrouble(frame.kind, named);
  if (problem === undefined || named === frame.panel) return;
  const remedy = reasonOf('remedy-other-panel');
  await recordFrameEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload: { problem, remedy } });
}
