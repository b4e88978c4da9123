/** Many frames at once. */
import { frameRegistry } from '../../gateway/frames/registry.ts';
import { type Database, transact } from '../../runtime/database/database.ts';

/** Registers frames with their own name for a password each, all in one transaction. */
export async function crowd(db: Database, count: number): Promise<string[]> {
  const serials = Array.from({ length: count }, (_, at) => `epd7-${at.toString(16).padStart(12, '0')}`);
  await transact(db, async (trx) => {
    for (const name of serials) {
      await frameRegistry(trx).provision(name, undefined, 1);
      await frameRegistry(trx).setPassword(name, name, 1);
      await frameRegistry(trx).setActivation(name, 'activated', 1);
    }
  });
  return serials;
}
