/** A folder of stored files in memory. */
import { createHash } from 'node:crypto';
import type { DurableFolder } from '../../../runtime/disk/durable-folder.ts';

/** A durable folder that is looked into, and filled, from outside. */
export interface ModelledFolder extends DurableFolder {
  has(name: string): boolean;
  copy(): ReadonlyMap<string, Buffer>;
  /** Has these files in the place of all others; none when absent. */
  fill(by?: ReadonlyMap<string, Buffer>): void;
}

/**
 * Creates a durable folder in memory whose `put` is whole or was never begun, as a crash leaves the real one (INV-03).
 * @param step is called at each call of the service
 */
export function memoryFolder(step: () => void): ModelledFolder {
  const files = new Map<string, Buffer>();
  return {
    async put(bytes: Uint8Array): Promise<string> {
      step();
      const name = createHash('sha256').update(bytes).digest('hex');
      files.set(name, Buffer.from(bytes));
      return name;
    },
    async get(name: string): Promise<Buffer | undefined> {
      step();
      return files.get(name);
    },
    async keep(name: string): Promise<boolean> {
      step();
      return files.has(name);
    },
    has: (name: string): boolean => files.has(name),
    copy: (): ReadonlyMap<string, Buffer> => new Map(files),
    fill(by: ReadonlyMap<string, Buffer> = new Map()): void {
      files.clear();
      for (const [name, bytes] of by) files.set(name, bytes);
    },
  };
}
