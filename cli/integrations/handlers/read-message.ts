/** Reads what a process of handlers says. It works for strangers: nothing of it is taken as it comes. */
import { z } from 'zod';
import type { HandlerMessage } from './handler-messages.ts';

const number = z.number().int().nonnegative();
const header = z.tuple([z.string().regex(/^[!#$%&'*+.^_`|~0-9a-z-]{1,200}$/), z.string().max(65_536)]);

const message: z.ZodType<HandlerMessage> = z.union([
  z.literal('ready'),
  z.strictObject({ call: number, done: z.literal(true) }),
  z.strictObject({
    call: number,
    why: z.enum(['no-handler', 'failed', 'not-json', 'too-long']),
    words: z.string().max(1_000),
  }),
  z.strictObject({
    ask: number,
    method: z.string().regex(/^[A-Z]{1,20}$/),
    url: z.string().max(16_384),
    redirect: z.enum(['follow', 'manual', 'error']),
    headers: z.array(header).max(200),
  }),
  z.strictObject({ leave: number }),
]);

/** Returns the message; undefined for anything else. */
export function readHandlerMessage(head: unknown): HandlerMessage | undefined {
  const read = message.safeParse(head);
  return read.success ? read.data : undefined;
}
