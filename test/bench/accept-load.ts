/** Submissions over real HTTP by 32 connections at once, to a server in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Pool } from 'undici';

const connections = 32;
let submitted = 0;

export interface AcceptServer {
  readonly child: ChildProcess;
  readonly port: number;
  readonly connected: readonly { readonly connectionId: string; readonly token: string }[];
}

/** Starts a server of `accept-server.ts` over a folder. */
export async function startAccepting(
  kind: 'papergate' | 'archived' | 'nothing',
  folder: string,
): Promise<AcceptServer> {
  const script = join(import.meta.dirname, 'accept-server.ts');
  const args = ['--import', 'tsx', script, kind, folder, String(connections)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', (line) =>
      resolve({ child, ...JSON.parse(line) }),
    );
    child.once('exit', (code) => reject(new Error(`${kind} ended with ${code}`)));
  });
}

/** Submissions answered with 202 in a second; each connection sends its next one when the last is answered. */
export async function acceptedPerSecond({ port, connected }: AcceptServer, seconds: number): Promise<number> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  const counts = await Promise.all(
    connected.map(async ({ connectionId, token }) => {
      let accepted = 0;
      for (; performance.now() < endAt; accepted++) {
        const answer = await pool.request({
          path: `/v1/integration-papers/connections/${connectionId}/content`,
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ messageId: `message ${submitted++}`, text: `text ${'x'.repeat(100)}` }),
        });
        await answer.body.text();
        if (answer.statusCode !== 202) throw new Error(`answered ${answer.statusCode}`);
      }
      return accepted;
    }),
  );
  const took = (performance.now() - startedAt) / 1000;
  await pool.close();
  return counts.reduce((sum, count) => sum + count, 0) / took;
}

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
