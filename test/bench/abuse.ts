/**
 * Prints what others notice while somebody abuses the service: `node --import tsx test/bench/abuse.ts`, as root on Linux
 * for all of it. A household calls, uploads, is pushed to and has frames that wake; attackers of other households do
 * each thing for SECONDS (60), at their worst, and then leave it alone for as long. `ONLY=range,dns` plays those whose
 * names begin so. Each is played against a service of its own, started as for users, in a network without a way out.
 * Limits for the others: 99 of 100 calls within 1 s, pictures prepared within 10 s, frames answered within 1 s; 700 MB
 * for the service, 1,536 MB for its browser, and within 60 MB of idle after the rest.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { abuses } from './abuse/abuses.ts';
import { heads, judge, type Row } from './abuse/judge.ts';
import { isInside, runInside, startNameServer } from './abuse/own-network.ts';
import { play } from './abuse/play.ts';

const seconds = Number(process.env.SECONDS ?? 60);
const parts = { warmMs: 15_000, calmMs: 10_000, abuseMs: seconds * 1000, restMs: Math.min(60, seconds) * 1000 };
const only = (process.env.ONLY ?? '').split(',').filter((word) => word !== '');
const isWanted = (name: string): boolean => only.length === 0 || only.some((word) => name.startsWith(word));

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

async function playAll(folder: string): Promise<boolean> {
  const names = isInside ? await startNameServer() : undefined;
  const rows: Row[] = [];
  try {
    for (const [name, abuse] of Object.entries(abuses).filter(([each]) => isWanted(each))) {
      console.log(`\n${name}: ${abuse.what}`);
      if (abuse.needsNetwork && !isInside) {
        console.log('not played here: it needs root, Linux and `unshare` for a network of its own');
        continue;
      }
      try {
        const played = await play(name, folder, parts);
        console.log(`came of it: ${JSON.stringify(played.outcomes)}`);
        rows.push(judge(name, played));
      } catch (error) {
        rows.push({ cells: [name, String(error)], broken: ['not played'], problems: {} });
      }
      console.log(`others saw: ${JSON.stringify(rows.at(-1)?.problems)}`);
      console.log(line(heads));
      console.log(line(rows.at(-1)?.cells ?? []));
    }
  } finally {
    names?.stop();
  }
  console.log(`\n${line(heads)}\n${line(heads.map(() => '---'))}`);
  for (const { cells } of rows) console.log(line(cells));
  return rows.every(({ broken }) => broken.length === 0);
}

async function main(): Promise<number> {
  if (isInside) return (await playAll(process.env.ABUSE_FOLDER ?? tmpdir())) ? 0 : 1;
  const folder = await mkdtemp(join(tmpdir(), 'papergate-abuse-'));
  try {
    await chmod(folder, 0o711);
    const code = await runInside(import.meta.filename, folder);
    if (code !== undefined) return code;
    console.log('no network of its own can be made here: hostile servers and silent names are left out');
    return (await playAll(folder)) ? 0 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

process.exit(await main());
