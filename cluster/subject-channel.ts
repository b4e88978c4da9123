/** The messages of processes about one subject. */
import type { z } from 'zod';

/** The most bytes of a text: a sealed PostgreSQL notification takes it. */
export const maxNodeTextBytes = 5_800;

/** The channel of one subject to the other processes: short texts that may be lost, come late or come twice. */
export interface SubjectChannel {
  /** Sends a text to one node, or to all others. It is gone when nobody receives it. */
  post(to: string | undefined, text: string): void;
  /**
   * Begins to receive. `receive` gets a text and its sender, and returns false for one that it does not understand;
   * `reconnected` is called when texts may have been missed.
   */
  open(receiver: { receive(from: string, text: string): boolean; reconnected(): void }): void;
  close(): void;
}

/** Parses a message of another process; undefined where it is not JSON, or of another shape. */
export function readWord<Word>(schema: z.ZodType<Word>, text: string): Word | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const read = schema.safeParse(value);
  return read.success ? read.data : undefined;
}
