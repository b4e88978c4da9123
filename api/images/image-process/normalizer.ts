/** Normalizes images in a process of its own, by the orders of `one-process.ts`. */
import { type ServedOutcome, serveOrders } from '../../../runtime/child-process/serve-orders.ts';
import { type ImageOptions, normalizeImage } from '../normalize-image.ts';

/** An image that the service asks for, by its path or with its bytes. */
export interface ImageOrder {
  readonly path?: string;
  readonly options: Omit<ImageOptions, 'signal'>;
}

async function normalize({ path, options }: ImageOrder, bytes: Buffer, signal: AbortSignal): Promise<ServedOutcome> {
  const normalized = await normalizeImage(path === undefined ? bytes : { path }, { ...options, signal });
  if (!normalized.ok) return { outcome: normalized };
  const { ok, notes, sharpness } = normalized;
  return { outcome: { ok, notes, sharpness }, bytes: normalized.bytes };
}

/** Returns whether the file of an image could not be read, which proves nothing about the decoders. */
const isOfFile = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

serveOrders(normalize, isOfFile);
