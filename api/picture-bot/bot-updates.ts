/** Messages to the bot as Telegram sends them. What is not understood is nothing, and never an error. */
import { z } from 'zod';

/** Ids have up to 52 bits: they are kept as text (TG-2). */
const id = z.int().transform(String);
const fileSchema = z.object({
  file_id: z.string().max(300),
  file_unique_id: z.string().max(300),
  file_size: z.int().optional().catch(undefined),
});
const documentSchema = fileSchema.extend({
  mime_type: z.string().optional().catch(undefined),
  file_name: z.string().optional().catch(undefined),
});
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);

const messageSchema = z.object({
  message_id: z.int(),
  date: z.int(),
  chat: z.object({ id, type: lenient(z.string()), title: lenient(z.string()) }),
  from: lenient(z.object({ id, is_bot: lenient(z.boolean()), first_name: lenient(z.string()) })),
  text: lenient(z.string()),
  caption: lenient(z.string()),
  media_group_id: lenient(z.string()),
  photo: lenient(z.array(fileSchema).min(1)),
  document: lenient(documentSchema),
  video: lenient(z.object({})),
  video_note: lenient(z.object({})),
  sticker: lenient(z.object({})),
  animation: lenient(z.object({})),
  migrate_to_chat_id: lenient(id),
});
export type BotMessage = z.infer<typeof messageSchema>;

const updateSchema = z.object({ update_id: z.int(), message: lenient(messageSchema) });
export type BotUpdate = z.infer<typeof updateSchema>;

/** Reads a list of updates; one without an id cannot be confirmed, and is left out. */
export function readUpdates(result: unknown): readonly BotUpdate[] {
  if (!Array.isArray(result)) return [];
  const read = result.flatMap((one) => {
    const { success, data } = updateSchema.safeParse(one);
    return success ? [data] : [];
  });
  return read.toSorted((a, b) => a.update_id - b.update_id);
}

/** The outside of every answer of Telegram. */
export const botAnswerSchema = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: lenient(z.int()),
  parameters: lenient(z.object({ retry_after: lenient(z.int().nonnegative()), migrate_to_chat_id: lenient(id) })),
});
export type BotAnswer = z.infer<typeof botAnswerSchema>;
