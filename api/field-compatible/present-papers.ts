/** Presents papers as clients in the field use them: a paper that is written is shown on its device. */
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';
import type { UploadReason } from '../delivery-state/upload-reasons.ts';
import type { Call } from '../http/route.ts';
import { paperBody, paperChange } from '../routes/papers/write-paper.ts';
import { type Ask, type Presentation, type Shown, withShortNames } from './presentation.ts';

const record = z.looseObject({ id: z.string() });
const paper = 'GET /papers/:paperId';

/** Makes a device show a paper that was written or got a picture (C-43). */
async function selected(shown: Shown, call: Call, ask: Ask): Promise<Shown> {
  const params = { deviceId: shown.deviceId };
  try {
    const device = await ask('GET /devices/:deviceId', call, { params });
    if (device.paper !== shown.id) await ask('POST /devices/:deviceId', call, { params, body: { paper: shown.id } });
  } catch (error) {
    // A device that is gone, or whose settings the caller may not change, goes on showing its paper; the paper is
    // written.
    if (!(error instanceof Refusal)) throw error;
  }
  return shown;
}

/**
 * Completes the answer to an upload: selecting the paper may have led to the attempt that the upload lacked, and the
 * log of its device has it.
 */
async function uploadedAndSelected(upload: Shown, call: Call, ask: Ask): Promise<Shown> {
  await selected(upload, call, ask);
  if (upload.reason !== nobodyShows) return upload;
  try {
    const more = { params: { deviceId: upload.deviceId }, query: { limit: 10 } };
    const { results } = await ask('GET /devices/upload-logs/:deviceId', call, more);
    const logged = results.find(({ attemptId }: Shown) => attemptId === upload.uploadAttemptId);
    return logged === undefined ? upload : { ...upload, reason: logged.reason };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return upload;
  }
}

const nobodyShows: UploadReason = 'iot-upload-url-missing';

/** Gives the paper its device's organization, whatever a client sends (C-43). */
async function inItsOrganization(body: Shown, call: Call, ask: Ask, kept?: string): Promise<Shown> {
  if (body.deviceId === null) return { ...body, organization: kept };
  const device = await ask('GET /devices/:deviceId', call, { params: { deviceId: body.deviceId } });
  return { ...body, organization: device.organization };
}

/** The presentations by plain route. */
export const paperPresentations: Readonly<Record<string, Presentation>> = {
  'POST /papers/': {
    body: paperBody.extend({ organization: z.unknown().optional() }),
    output: record,
    async show(call, own, ask) {
      const created = await own({ body: withShortNames(await inItsOrganization(call.body, call, ask)) });
      // The device shows the new paper here, so `deviceShows` is left out.
      const { deviceShows: _, hint: __, ...shown } = created;
      return selected(shown, call, ask);
    },
  },
  'POST /papers/:paperId': {
    body: paperChange.extend({ organization: z.unknown().optional() }).partial(),
    output: record,
    async show(call, own, ask) {
      const stored = await ask(paper, call, {});
      const { deviceId, kind, organization } = stored;
      const whole = await inItsOrganization({ deviceId, kind, ...call.body }, call, ask, organization);
      const body = withShortNames(whole, stored);
      // Clients send one paper to several frames in this way: the device before goes on showing it (C-43).
      return selected(await own({ body }), call, ask);
    },
  },
  'POST /papers/image/:paperId': {
    output: z.unknown(),
    async show(_call, own) {
      const { signedUrl, expiresAt, json } = await own();
      if (json !== undefined) return json;
      if (signedUrl === undefined) throw refuse('not-found', { message: reasonOf('paper-image-none') });
      return { signedUrl, expiresAt };
    },
  },
  'POST /papers/uploadSingleImage/:paperId': {
    output: record,
    show: async (call, own, ask) => uploadedAndSelected(await own(), call, ask),
  },
};
