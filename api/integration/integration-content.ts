/** The pushed content of a paper, as render pages and previews get it (spec: Rendering of pushed content). */
import { z } from 'zod';
import { isoTime } from '../../runtime/clock.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { papersTables } from '../papers/tables.ts';

/**
 * The shape of `integrationContent` in a render payload. `imageUrl` is signed, short-lived, and absent without a
 * picture.
 */
export const integrationContentSchema = z.object({
  revision: z.string(),
  text: z.string(),
  imageUrl: z.string().optional(),
  receivedAt: z.string(),
});

/** Pushed content as a page gets it. */
export interface IntegrationContent {
  readonly revision: string;
  readonly text: string;
  readonly imageUrl?: string;
  readonly receivedAt: string;
}

/** Content with the file of its picture and the integration that brought it, named by its manifest's URL. */
export interface StoredContent {
  readonly configUrl: string | null;
  /** The key of the image's file, null without an image. */
  readonly imageKey: string | null;
  readonly content: IntegrationContent;
}

/** Reads the paper's current content, undefined before the first message. Content outlives its request (INV-72). */
export async function readIntegrationContent(
  db: Database | Transaction,
  paperId: string,
  signImage: (imageKey: string, requestId: string) => string,
): Promise<StoredContent | undefined> {
  const row: ContentRow | undefined = await db('paper_contents').where({ paper_id: paperId }).first();
  if (row === undefined) return undefined;
  const content = {
    revision: row.request_id,
    text: row.text,
    ...(row.image_key !== null && { imageUrl: signImage(row.image_key, row.request_id) }),
    receivedAt: isoTime(row.received_at),
  };
  return { configUrl: row.config_url, imageKey: row.image_key, content };
}

type ContentRow = Omit<RowIn<typeof papersTables, 'paper_contents'>, 'paper_id' | 'sequence'>;

/** Selects the content that a page may get: nothing that another integration pushed (PAGE-21). */
export function contentFor(
  configUrl: string | undefined,
  stored: StoredContent | undefined,
): IntegrationContent | undefined {
  return stored !== undefined && stored.configUrl === configUrl ? stored.content : undefined;
}
