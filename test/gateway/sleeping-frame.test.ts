/** A frame in C that keeps its TLS session over its sleep, by the header for firmware: each wake is a process of its own. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { limits } from '../../firmware-protocol/limits.ts';
import { forgetTickets, ticketLookMs, ticketSeconds } from '../../gateway/broker/ticket-keys.ts';
import { systemRandom } from '../../runtime/random.ts';
import { sleeperIn } from './sleeping-frame.ts';
import { type GatewayWorld, until, withGateway } from './world.ts';

const test = suite('a frame in C that sleeps');
const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
async function forgetSessions(world: GatewayWorld): Promise<void> {
  await forgetTickets(world.db, { now: world.clock.now(), random: systemRandom(world.clock) });
  await until(() => world.clock.isArmed(ticketLookMs), 'the look before is over');
  world.clock.elapses(ticketLookMs);
  await until(() => world.clock.isArmed(ticketLookMs), 'the look is over');
}

for (const version of ['1.2', '1.3'] as const) {
  test(`TLS ${version}: it resumes after each sleep, does without when it is refused, and both fit what the header says`, () =>
    withGateway(async (world) => {
      const frame = await sleeperIn(world);
      const full = await frame.wake(version);
      assert.equal([full.kept, full.resumed, full.code], [0, 0, 0]);
      assert.ok(full.sessionBytes > full.ticketBytes && full.ticketBytes > 0, JSON.stringify(full));
      assert.ok(full.sessionBytes <= limits.sessionBytes, JSON.stringify(full));
      assert.equal([full.seconds, full.early], [ticketSeconds, 0], 'a week, and no early data');
      for (const _wake of [1, 2]) {
        const resumed = await frame.wake(version);
        assert.equal([resumed.kept, resumed.resumed, resumed.code], [1, 1, 0]);
        assert.ok(resumed.read < full.read / 2, `${resumed.read} bytes read in place of ${full.read}`);
      }
      await forgetSessions(world);
      const refused = await frame.wake(version);
      assert.equal([refused.kept, refused.resumed, refused.code], [1, 0, 0]);
      assert.is((await frame.wake(version)).resumed, 1, 'it keeps what it was given then');
    }));
}

test('memory that lost its power, or was never written, is not a session: the handshake is full', () =>
  withGateway(async (world) => {
    const frame = await sleeperIn(world);
    await frame.wake('1.3');
    const memory = await readFile(frame.memory);
    memory[100] = (memory[100] ?? 0) ^ 1;
    for (const lost of [memory, Buffer.alloc(memory.length, 0xff), Buffer.alloc(memory.length), Buffer.alloc(3)]) {
      await writeFile(frame.memory, lost);
      const { kept, resumed, code } = await frame.wake('1.3');
      assert.equal([kept, resumed, code], [0, 0, 0]);
    }
  }));

test('a session that does not fit is not kept', async () => {
  const source = `#include "papergate-session.h"
static PapergateSession session;
int main(void) {
  unsigned char bytes[PAPERGATE_LIMIT_SESSION_BYTES + 1] = {1};
  size_t length;
  if (!papergate_session_keep(&session, bytes, sizeof bytes - 1) || !papergate_session_kept(&session, &length)) return 1;
  if (length != PAPERGATE_LIMIT_SESSION_BYTES || papergate_session_keep(&session, bytes, sizeof bytes)) return 2;
  if (papergate_session_kept(&session, &length) || length != 0) return 3;
  for (size_t at = 0; at < sizeof session.bytes; at++) if (session.bytes[at] != 0) return 4;
  session.length = 4000000000u;
  return papergate_session_kept(&session, &length) || papergate_session_keep(&session, bytes, 0) ? 5 : 0;
}
`;
  await withGateway(async ({ dataFolder }) => {
    const [path, program] = [join(dataFolder, 'fits.c'), join(dataFolder, 'fits')];
    await writeFile(path, source);
    const flags = ['-std=c99', '-Wall', '-Wextra', '-Werror', '-pedantic', '-I', join(root, 'firmware-protocol')];
    await run('cc', [...flags, '-o', program, path]);
    assert.equal(await run(program), { stdout: '', stderr: '' });
  });
});

test.run();
