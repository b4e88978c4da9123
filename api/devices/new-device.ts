/** Builds the row of a new device, made by a person or for a frame that is registered. */

import type { Orientation } from '../../firmware-protocol/panels.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { newRow } from '../../runtime/database/table.ts';
import { type DeviceRow, deviceName } from './store.ts';
import { devicesTables } from './tables.ts';

export type NewDeviceDeps = Pick<CommonDeps, 'clock' | 'random'>;

/** The owner of a new device, and the records that it is linked to. */
export interface Registration {
  readonly organization: string;
  readonly patient?: string | null | undefined;
  readonly paper?: string | null | undefined;
  /** The orientation of a frame while nobody has stated it; portrait when left out. */
  readonly orientation?: Orientation | undefined;
}

export function newDevice(
  deps: NewDeviceDeps,
  from: Registration & { readonly serial?: string; readonly kind?: string | undefined },
): DeviceRow {
  const now = deps.clock.now();
  const serial = from.serial ?? null;
  const known = {
    serial,
    kind: from.kind ?? null,
    meta: JSON.stringify(from.orientation === undefined ? {} : { orientation: from.orientation }),
  };
  return newRow(devicesTables, 'devices', {
    ...known,
    name: deviceName(known),
    id: deps.random.id(),
    organization_id: from.organization,
    patient: from.patient ?? null,
    paper_id: from.paper ?? null,
    assignment: 1,
    details: '{}',
    created_at: now,
    updated_at: now,
  });
}
