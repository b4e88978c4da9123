/** Judges statements about a device's panel: they must not contradict its frame's, and the panel must be drawable. */

import { panelOfKind, withOwnPalette, withOwnRotation } from '../../firmware-protocol/panels.ts';
import { panelOfFrame } from '../../gateway/frames/named-panel.ts';
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { noPanelFor } from './device-panel.ts';

/** The fields of `meta` that describe the panel, each with the schema that judges it. */
const ofThePanel = { palette: withOwnPalette, landscapeTurn: withOwnRotation } as const;

/**
 * Refuses, when it is saved, a value that cannot be drawn with (PANEL-09).
 * @throws Refusal `invalid-request`
 */
export function requireDrawable(kind: string | null, meta: Readonly<Record<string, unknown>> | undefined): void {
  const panel = panelOfKind(kind ?? '');
  for (const [field, apply] of Object.entries(ofThePanel)) {
    const options = meta?.[field];
    if (options === undefined) continue;
    const own = panel && apply(panel, options);
    const problem = own ?? noPanelFor('devices', kind);
    if (typeof problem === 'string' || 'code' in problem) {
      throw refuse('invalid-request', {
        hint: reasonOf('field-because', { field: `meta.${field}`, because: problem }),
      });
    }
  }
}

/**
 * Requires the kind of the frame's panel for a device with a frame, as far as that is known.
 * @throws Refusal `other-panel`
 */
export async function requireKindOfFrame(trx: Transaction, serial: string, kind: string): Promise<void> {
  const frame = await frameRegistry(trx).find(serial);
  const panel = frame && panelOfFrame(frame);
  if (panel === undefined || panelOfKind(kind)?.name === panel.name) return;
  throw refuse('other-panel', { message: reasonOf('device-other-panel', { panel: panel.name, kind }) });
}
