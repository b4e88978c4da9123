/**
 * Reads the messages of the process that decodes images. It decodes untrusted bytes, so its messages are not trusted.
 */
import { z } from 'zod';
import { imageNotes } from '../bare-image/image-notes.ts';
import { maxWholePixels } from '../configure-sharp.ts';
import type { NormalizedImage } from '../normalize-image.ts';
import type { FramedMessage, MessageBounds } from './framed-messages.ts';

/** The most that may come: an encoded picture takes less than its pixels. */
export const replyBounds: MessageBounds = { headBytes: 16_384, bytes: 3 * maxWholePixels };

/** A message of the process: that it is ready, or the outcome of an image. */
export type ImageReply =
  | 'ready'
  | { readonly number: number; readonly normalized: NormalizedImage }
  | { readonly number: number; readonly failed: string };

const outcome = z.union([
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

const head = z.union([
  z.literal('ready'),
  z.strictObject({ number: z.int().nonnegative(), outcome }),
  z.strictObject({ number: z.int().nonnegative(), failed: z.string().max(4_096) }),
]);

/** Parses a message; undefined for one that the decoder of this release never sends. */
export function readReply(message: FramedMessage): ImageReply | undefined {
  const read = head.safeParse(message.head);
  if (!read.success) return undefined;
  const { bytes } = message;
  if (read.data === 'ready' || 'failed' in read.data) return bytes.length === 0 ? read.data : undefined;
  const { number, outcome: said } = read.data;
  if (!said.ok) return bytes.length === 0 ? { number, normalized: said } : undefined;
  return isPicture(bytes) ? { number, normalized: { ...said, bytes } } : undefined;
}

/** Pictures are kept as PNG or as JPEG, and nothing else. */
function isPicture(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 8);
  return beginning === '\x89PNG\r\n\x1a\n' || beginning.startsWith('\xff\xd8\xff');
}
