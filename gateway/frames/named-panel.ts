/** A frame that names another panel than its kind has: it is sent pictures it cannot draw, and somebody has to know. */
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import type { FrameRow } from './registry.ts';

/**
 * What is wrong with the panel that a frame names, in words; undefined when nothing is. A kind without a panel known here
 * is not contradicted by any.
 */
export function panelTrouble(kind: string | null, named: string | null | undefined): string | undefined {
  const panel = panelOfKind(kind ?? '');
  if (panel === undefined || !named || (panelOfKind(named)?.name ?? named) === panel.name) return undefined;
  return `names panel ${named}, but is of kind ${kind}`;
}

/**
 * Says it when it is news: not at each wake.
 * @param frame its row as it was before this wake
 */
export async function notePanel(
  db: Database,
  frame: FrameRow,
  named: string | undefined,
  now: number,
  random: Random,
): Promise<void> {
  const problem = panelTrouble(frame.kind, named);
  if (problem === undefined || named === frame.panel) return;
  const remedy =
    'if it has that panel: papergate frames provision SERIAL --kind PANEL --out DIR; else mend its firmware';
  await recordEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload: { problem, remedy } });
}
