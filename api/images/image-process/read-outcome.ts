/**
 * Reads the outcomes of the process that decodes images. It decodes untrusted bytes, so they are not trusted.
 */
import { z } from 'zod';
import type { MessageBounds } from '../../../runtime/child-process/framed-messages.ts';
import { imageNotes } from '../bare-image/image-notes.ts';
import { maxWholePixels } from '../configure-sharp.ts';
import type { NormalizedImage } from '../normalize-image.ts';

/** The most that may come: an encoded picture takes less than its pixels. */
export const outcomeBounds: MessageBounds = { headBytes: 16_384, bytes: 3 * maxWholePixels };

const outcomes = z.union([
  z.strictObject({
    ok: z.literal(true),
    notes: z.array(z.enum(imageNotes)).max(imageNotes.length).readonly(),
    sharpness: z.number().nonnegative().optional(),
  }),
  z.strictObject({ ok: z.literal(false), problem: z.enum(['too-many-pixels', 'broken', 'too-slow']) }),
  z.strictObject({
    ok: z.literal(false),
    problem: z.literal('unsupported'),
    announced: z.enum(['jpeg', 'png', 'webp', 'gif', 'heic', 'avif']).optional(),
  }),
  z.strictObject({ ok: z.literal(false), problem: z.literal('cut'), share: z.number().min(0).max(1) }),
]);

/** Reads the outcome of an image; undefined for one that the decoder of this release never sends. */
export function readOutcome(outcome: unknown, bytes: Buffer): NormalizedImage | undefined {
  const { data: said } = outcomes.safeParse(outcome);
  if (said === undefined) return undefined;
  if (!said.ok) return bytes.length === 0 ? said : undefined;
  return isPicture(bytes) ? { ...said, bytes } : undefined;
}

/** Pictures are kept as PNG or as JPEG, and nothing else. */
function isPicture(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 8);
  return beginning === '\x89PNG\r\n\x1a\n' || beginning.startsWith('\xff\xd8\xff');
}
