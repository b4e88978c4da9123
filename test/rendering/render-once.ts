/**
 * Renders a page as the current user, and prints on one line how the browser ran; for tests that run it as another
 * user.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Refusal } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import { sharer, withPages, withRendering } from './render-world.ts';

/** The output. A picture that was not made has a reason. */
export interface RenderedOnce {
  readonly uid: number | undefined;
  readonly reason: string | null;
  readonly network: string;
  /** Of each page's process: `Uid`, `Seccomp` and `NSpid` as the system tells them, and its command. */
  readonly renderers: readonly { uid: string; seccomp: string; pids: string; command: string }[];
}

const read = (pid: string, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'latin1');

/** The pages' processes of this very process's browser: the group whose first names a profile in this process's folder. */
function renderers(): RenderedOnce['renderers'] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = read(pid, 'stat');
        const group = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2];
        return [{ group, command: read(pid, 'cmdline').replaceAll('\0', ' '), status: read(pid, 'status') }];
      } catch {
        return []; // It ended while it was looked at.
      }
    });
  const browser = all.find(({ command }) => command.includes(`--user-data-dir=${tmpdir()}/papergate-browser-`));
  return all
    .filter(({ group, command }) => group === browser?.group && command.includes('--type=renderer'))
    .map(({ command, status }) => {
      const field = (key: string): string => new RegExp(`^${key}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
      return { uid: field('Uid'), seccomp: field('Seccomp'), pids: field('NSpid'), command };
    });
}

const said = await withPages({ '/plain': '<body>hello' }, ({ origin }) =>
  withRendering(async (rendering): Promise<Omit<RenderedOnce, 'uid'>> => {
    const options = { sharer, url: `${origin}/plain`, width: 100, height: 60, allowedOrigin: origin };
    const rendered = await rendering.renderPage(options);
    return {
      reason: rendered.ok ? null : wordsOf(rendered.reason),
      network: rendering.probe().network,
      renderers: renderers(),
    };
  }),
).catch((error: unknown) => {
  if (!(error instanceof Refusal)) throw error;
  return { reason: `${error.code}: ${error.message}`, network: 'none', renderers: [] };
});
process.stdout.write(`${JSON.stringify({ uid: process.getuid?.(), ...said })}\n`);
