/** Papers as clients in the field use them: what is written is shown on its device (C-09, C-28, C-43, C-46, C-56). */
import { z } from 'zod';
import { Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import type { Call } from '../http/route.ts';
import type { UploadReason } from '../papers/hand-over.ts';
import { paperBody } from '../papers/write-paper.ts';
import type { Ask, Presentation, Shown } from './presentation.ts';

const record = z.looseObject({ id: z.string() });
const paper = 'GET /papers/:paperId';

/** C-43: a paper that was written or got a picture is the one its device shows. */
async function selected(shown: Shown, call: Call, ask: Ask): Promise<Shown> {
  const params = { deviceId: shown.deviceId };
  try {
    const device = await ask('GET /devices/:deviceId', call, { params });
    if (device.paper !== shown.id) await ask('POST /devices/:deviceId', call, { params, body: { paper: shown.id } });
  } catch (error) {
    // A device that is gone, or whose settings are not the caller's to change, shows what it showed; the paper is written.
    if (!(error instanceof Refusal)) throw error;
  }
  return shown;
}

/** C-43: a paper that moves to another device is not left on the one it comes from. Others that show it do so still (C-45). */
async function letGo(deviceId: string, { id }: Shown, call: Call, ask: Ask): Promise<void> {
  const params = { deviceId };
  try {
    const device = await ask('GET /devices/:deviceId', call, { params });
    if (device.paper === id) await ask('POST /devices/:deviceId', call, { params, body: { paper: null } });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

/** Selecting the paper may have made up what the upload lacked: the log of its device knows. */
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

/** The paper's organization is its device's, whatever a client says (C-43). */
async function inItsOrganization(body: Shown, call: Call, ask: Ask): Promise<Shown> {
  const device = await ask('GET /devices/:deviceId', call, { params: { deviceId: body.deviceId } });
  return { ...body, organization: device.organization };
}

/** By plain route. */
export const paperPresentations: Readonly<Record<string, Presentation>> = {
  'POST /papers/': {
    body: paperBody.extend({ organization: z.unknown().optional() }),
    output: record,
    show: async (call, own, ask) =>
      selected(await own({ body: await inItsOrganization(call.body, call, ask) }), call, ask),
  },
  'POST /papers/:paperId': {
    body: paperBody.extend({ organization: z.unknown().optional() }).partial(),
    output: record,
    async show(call, own, ask) {
      const { deviceId, kind } = await ask(paper, call, {});
      const body = await inItsOrganization({ deviceId, kind, ...call.body }, call, ask);
      const shown = await selected(await own({ body }), call, ask);
      if (shown.deviceId !== deviceId) await letGo(deviceId, shown, call, ask);
      return shown;
    },
  },
  'POST /papers/image/:paperId': {
    output: z.unknown(),
    async show(_call, own) {
      const { signedUrl, expiresAt, json } = await own();
      if (json !== undefined) return json;
      if (signedUrl === undefined) throw refuse('not-found', { message: 'The paper has no such image' });
      return { signedUrl, expiresAt };
    },
  },
  'POST /papers/uploadSingleImage/:paperId': {
    output: record,
    show: async (call, own, ask) => uploadedAndSelected(await own(), call, ask),
  },
};
