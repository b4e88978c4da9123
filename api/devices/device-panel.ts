/** The panel of a device, and the sentence for one whose panel is not known. */

import { type Panel, panelOfDevice } from '../../firmware-protocol/panels.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { DeviceRow } from './store.ts';

/** The panel that a device is drawn for; undefined for kinds that are not known. */
export function panelOf({ kind, meta }: Pick<DeviceRow, 'kind' | 'meta'>): Panel | undefined {
  return panelOfDevice(kind, meta);
}

/** Why nothing can be drawn for a device, or for its frame. */
export function noPanelFor(whose: 'devices' | 'frames', kind: string | null | undefined): Reason {
  return reasonOf('no-panel-known', { whose, kind: kind ?? 'unknown' });
}
