/** The rows of a data folder, read from outside the service; opening it recovers what a crash left. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

interface RequestRow {
  readonly id: string;
  readonly message_id: string;
  readonly state: string;
  readonly text: string;
  readonly image_key: string | null;
  readonly accepted_at: number | null;
}

interface ContentRow {
  readonly request_id: string;
  readonly image_key: string | null;
}

/** Requests in the paper's order, the papers' sources, events as `request state`, and what SQLite says of itself. */
export interface StoredRows {
  readonly requests: readonly RequestRow[];
  readonly contents: readonly ContentRow[];
  readonly events: readonly string[];
  readonly integrity: string;
}

/** Reads them. Throws when SQLite cannot open the file. */
export function readRows(dataFolder: string): StoredRows {
  const db = new Sqlite(join(dataFolder, 'papergate.sqlite'));
  try {
    const events = db.prepare('select request_id, state from callback_events').all() as Record<string, string>[];
    return {
      requests: db.prepare('select * from content_requests order by sequence').all() as RequestRow[],
      contents: db.prepare('select * from paper_contents').all() as ContentRow[],
      events: events.map(({ request_id, state }) => `${request_id} ${state}`),
      integrity: String(db.pragma('integrity_check', { simple: true })),
    };
  } finally {
    db.close();
  }
}
