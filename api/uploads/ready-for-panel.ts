/** A picture that its sender calls ready for the panel, of a paper or of the device's own. */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { noPanelFor, panelOf } from '../devices/device-panel.ts';
import type { DeviceRow } from '../devices/store.ts';
import { acceptPicture, type NormalizeImage } from '../files/accept-picture.ts';
import type { UploadedFile } from '../http/uploaded-file.ts';
import type { QueuePlace } from '../images/normalize-image.ts';
import { type ReadyOptions, readyPicture } from '../inks/ready-picture.ts';
import { drawQueued } from '../inks/renditions.ts';

/** A picture as it was sent, and its device; `device` is undefined for a paper whose device is gone. */
export interface ReadyUpload {
  readonly file: UploadedFile;
  readonly device: Pick<DeviceRow, 'kind' | 'meta'> | undefined;
  readonly known: Omit<ReadyOptions, 'panel'>;
  /** True when a picture that is not ready after all is refused. */
  readonly required: boolean;
  /** The advice to the sender of such a picture. */
  readonly hint: string;
}

/**
 * The picture as a person sees it; undefined when it does not have the size of the panel, or no panel is known.
 * @throws Refusal `invalid-request` for a required one, and as `acceptPicture`
 */
export async function readyForPanel(
  normalizeImage: NormalizeImage,
  { file, device, known, required, hint }: ReadyUpload,
  queuePlace: QueuePlace,
): Promise<Buffer | undefined> {
  const { bytes: image } = await acceptPicture(normalizeImage, file, queuePlace);
  const panel = device && panelOf(device);
  const ready = panel && (await drawQueued(queuePlace, () => readyPicture(image, { ...known, panel })));
  if (ready !== undefined || !required) return ready;
  throw refuse('invalid-request', {
    message:
      panel === undefined
        ? reasonOf('field-because', { field: file.field, because: noPanelFor('devices', device?.kind) })
        : `${file.field} does not have the size of the panel, ${panel.width}x${panel.height}`,
    hint,
  });
}
