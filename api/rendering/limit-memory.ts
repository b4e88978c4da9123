/**
 * Bounds on a browser's memory (R-08, T-10). Its script heap is bounded by a flag; buffers, images and canvases are not,
 * so each process's own pages are looked at, and a page that holds too much loses its process alone.
 */
import { readFile } from 'node:fs/promises';
import type { BrowserProcess } from './browser-process.ts';

/** Bounds in MB of memory that is not shared with other programs. */
export interface MemoryBounds {
  /** Of one page's process; beyond it the process ends and with it the page. */
  readonly page: number;
  /** Of everything together; beyond it the browser ends. */
  readonly browser: number;
}

/** What a process holds for itself, in MB; nothing where the system has no `/proc`. */
async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '');
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map((match) => Number(match[1]));
  return kilobytes.reduce((sum, part) => sum + part, 0) / 1024;
}

/**
 * Ends what is beyond its bound.
 * @returns MB that the browser holds without its pages: what grows with age, and is gone with the next browser
 */
export async function limitMemory({ session, kill }: BrowserProcess, bounds: MemoryBounds): Promise<number> {
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const held = await Promise.all(processInfo.map(async ({ id, type }) => ({ id, type, mb: await memoryOf(id) })));
  const total = held.reduce((sum, { mb }) => sum + mb, 0);
  if (total > bounds.browser) kill();
  for (const { id } of held.filter(({ type, mb }) => type === 'renderer' && mb > bounds.page)) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It ended by itself.
    }
  }
  return held.reduce((sum, { type, mb }) => (type === 'renderer' ? sum : sum + mb), 0);
}
