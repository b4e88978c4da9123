/** Asks the service how a picture would look on the panel of a target. */
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { blobOf, fileOf } from '../parts/drafts/ask-readable.ts';
import type { Size } from '../parts/drafts/crop.ts';
import type { OfferedIntent } from '../parts/drafts/drafts.ts';
import { learnOwnSize, type Target } from './targets.ts';

/** Previews by intent, as addresses that need no further request. */
export type Previews = Readonly<Partial<Record<OfferedIntent, string>>>;

type PreviewAnswer = AnswerOf<'POST /previews/'>;

/** The picture was made for another size than the device's own images have, and has to be made again. */
export class OtherSize extends Error {}

/**
 * Asks for the previews of a picture.
 * @throws OtherSize once the right size is known
 */
export async function askPreviews(
  target: Target,
  picture: Blob,
  intents: readonly OfferedIntent[],
  signal?: AbortSignal,
): Promise<Previews> {
  const { deviceId, orientation, size } = target;
  const answer = await callApi('POST /previews/', {
    query: { deviceId, intents: intents.join(','), orientation },
    form: { picture: fileOf(picture) },
    signal,
  });
  if (isOther(size, answer) && target.paper === null) {
    learnOwnSize(deviceId, [answer.width, answer.height]);
    throw new OtherSize();
  }
  return Object.fromEntries(answer.previews.map(({ intent, png }) => [intent, `data:image/png;base64,${png}`]));
}

const isOther = ([width, height]: Size, answer: PreviewAnswer): boolean =>
  width !== answer.width || height !== answer.height;

/** Returns the bytes of a preview. */
export function bytesOfPreview(address: string): Blob {
  return blobOf(address.slice(address.indexOf(',') + 1), 'image/png');
}
