/** Names uploads by the message that their sender gave them, so that a repetition is known as one and changes nothing. */
import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Which picture a repetition repeats. It stands in the address, so that a repetition is known before its body. */
export const sendQuery = z.object({
  messageId: z
    .string()
    .min(1)
    .max(128)
    .describe('A name that the sender chooses: a repetition under it is answered with the picture that came first')
    .optional(),
});

/** Who sends, where to, and the name that the sender chose; without one each upload stands for itself. */
export interface SentMessage {
  readonly accountId: string;
  /** A paper or a device. */
  readonly placeId: string;
  readonly messageId: string | undefined;
}

/** Returns the id that every repetition of a message has; undefined where the sender gave it no name. */
export function idOfMessage({ accountId, placeId, messageId }: SentMessage): string | undefined {
  if (messageId === undefined) return undefined;
  return createHash('sha256')
    .update(JSON.stringify([accountId, placeId, messageId]))
    .digest('hex')
    .slice(0, 24);
}
