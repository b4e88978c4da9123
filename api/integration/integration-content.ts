/** The pushed content of a paper as render pages and previews get it (spec: Rendering of pushed content). */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import type { Database, Transaction } from '../../gateway/runtime/database.ts';

/** `integrationContent` of a render payload. `imageUrl` is signed, short-lived, and absent without a picture. */
export const integrationContentSchema = z.object({
  revision: z.string(),
  text: z.string(),
  imageUrl: z.string().optional(),
  receivedAt: z.string(),
});

/** Pushed content as a page sees it. */
export interface IntegrationContent {
  readonly revision: string;
  readonly text: string;
  readonly imageUrl?: string;
  readonly receivedAt: string;
}

/** The paper's current content, or undefined before the first message (INV-75). It outlives its request (INV-72). */
export async function readIntegrationContent(
  db: Database | Transaction,
  paperId: string,
  signImage: (imageKey: string, requestId: string) => string,
): Promise<IntegrationContent | undefined> {
  const row: { request_id: string; text: string; image_key: string | null; received_at: number } | undefined = await db(
    'paper_contents',
  )
    .where({ paper_id: paperId })
    .first('request_id', 'text', 'image_key', 'received_at');
  if (row === undefined) return undefined;
  return {
    revision: row.request_id,
    text: row.text,
    ...(row.image_key !== null && { imageUrl: signImage(row.image_key, row.request_id) }),
    receivedAt: isoTime(row.received_at),
  };
}
