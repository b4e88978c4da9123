/**
 * The reasons that describe how an upload fares on its way to a frame, as the closed list of words that clients know.
 */
import { panelOfDevice } from '../../firmware-protocol/panels.ts';
import type { DeviceRow } from '../devices/store.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import type { PaperRow } from '../papers/store.ts';

/** Every reason that is given here. */
export const uploadReasons = [
  'device-frame-uploaded',
  'force-upload',
  'similarity-threshold-met',
  'iot-upload-url-missing',
  'iot-upload-failed',
  'upload-processing-failed',
  'upload-waits',
] as const;
export type UploadReason = (typeof uploadReasons)[number];

/** Equal pixels, in percent, from which on an upload is skipped. */
export const similarityThreshold = 100;

/**
 * Gives the reason why this device gets no picture of the paper; undefined when it gets one.
 * `iot-upload-url-missing`: the device has no frame, or shows something else. `iot-upload-failed`: nothing can be made
 * for its panel.
 */
export function whyNotUploaded(
  device: Pick<DeviceRow, 'serial' | 'kind' | 'meta' | 'paper_id'> | undefined,
  paper: Pick<PaperRow, 'id' | 'kind'>,
): UploadReason | undefined {
  if (whyNotRendered(paper.kind) !== undefined) return 'upload-processing-failed';
  if (device === undefined || device.serial === null || device.paper_id !== paper.id) return 'iot-upload-url-missing';
  return panelOfDevice(device.kind, device.meta) === undefined ? 'iot-upload-failed' : undefined;
}
