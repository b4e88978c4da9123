/** T-65: the machine's resolver, against name servers on loopback that answer, answer halves, or stay silent. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemNetwork } from '../../api/outgoing/system-network.ts';
import { systemClock } from '../../runtime/clock.ts';
import { type HandClock, handClock } from '../integration/integration-world.ts';
import { type Question, type Reply, withNameServer } from './name-server.ts';

const test = suite('system network');

const publicV4 = '93.184.215.14';
const publicV6 = '2606:2800:220:1:248:1893:25c8:1946';
const { signal: never } = new AbortController();

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : error.message);
const sockets = (): number => readdirSync('/proc/self/fd').length;

/** A resolver whose name server gives these answers for each family, under a clock that is moved by hand. */
function withAnswers(
  answers: Readonly<Record<Question['type'], Reply>>,
  meanwhile: (deps: { clock: HandClock; arrived: (count: number) => Promise<void> }) => Promise<void> = async () => {},
): Promise<readonly string[] | string> {
  return withNameServer(
    ({ type }) => answers[type],
    async ({ address, arrived }) => {
      const clock = handClock();
      const resolving = systemNetwork({ clock, nameServers: [address] })
        .resolve('name.example', never)
        .catch(codeOf);
      await arrived(2);
      await meanwhile({ clock, arrived });
      return resolving;
    },
  );
}

/** Until an answer that is on its way has surely been heard. */
const heard = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 300));

test('both families are asked, aliases are followed, and what does not exist is reported at once', async () => {
  assert.equal(await withAnswers({ A: [publicV4], AAAA: [publicV6] }), [publicV4, publicV6]);
  assert.equal(await withAnswers({ A: [publicV4, '10.0.0.1'], AAAA: 'NXDOMAIN' }), [publicV4, '10.0.0.1']);
  assert.equal(await withAnswers({ A: 'NXDOMAIN', AAAA: [publicV6] }), [publicV6]);
  const alias = { alias: 'metadata.example', to: ['169.254.169.254'] };
  assert.equal(await withAnswers({ A: alias, AAAA: [] }), ['169.254.169.254']);
  assert.is(await withAnswers({ A: 'NXDOMAIN', AAAA: 'NXDOMAIN' }), 'ENOTFOUND');
});

test('NS-05: IPv6 answers that come soon after those of IPv4 are judged with them; silence costs 300 ms', async () => {
  const silent = await withAnswers({ A: [publicV4], AAAA: 'silence' }, async ({ clock }) => {
    await heard();
    clock.passes(300);
  });
  assert.equal(silent, [publicV4]);
  assert.equal(await withAnswers({ A: [publicV4], AAAA: ['::1'] }), [publicV4, '::1']);
});

test('a name whose IPv4 answer never comes has its IPv6 addresses after 5 s, and one without any an error', async () => {
  const passes = async ({ clock }: { clock: HandClock }): Promise<void> => {
    await heard();
    clock.passes(5_000);
  };
  assert.equal(await withAnswers({ A: 'silence', AAAA: [publicV6] }, passes), [publicV6]);
  assert.is(await withAnswers({ A: 'silence', AAAA: 'silence' }, passes), 'no name server answers');
});

test('T-65: hundreds of look-ups that nobody answers hold up no other, no file, and leave nothing when they are over', () =>
  withNameServer(
    ({ name, type }) => (name.startsWith('silent') ? 'silence' : type === 'A' ? [publicV4] : []),
    async ({ address, arrived, asked }) => {
      const { resolve } = systemNetwork({ clock: systemClock, nameServers: [address] });
      const before = sockets();
      const leaving = new AbortController();
      const silent: Promise<readonly string[] | string>[] = [];
      // A few at a time: more at once than a socket's buffer holds would be lost on the way, and not all would arrive.
      for (let each = 0; each < 300; each++) {
        silent.push(resolve(`silent${each}.example`, leaving.signal).catch(codeOf));
        if (each % 20 === 19) await arrived(2 * silent.length);
      }
      let ended = 0;
      for (const each of silent) void each.then(() => ended++);
      assert.equal(await resolve('answered.example', never), [publicV4]);
      assert.ok((await stat('/')).isDirectory());
      assert.is(ended, 0, 'all of them were still waiting');
      assert.ok(sockets() > before);
      leaving.abort();
      assert.equal(new Set(await Promise.all(silent)), new Set(['ECANCELLED']));
      await heard();
      const count = asked.length;
      // By then each would have asked again.
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      assert.is(asked.length, count, 'nothing is asked any more');
      assert.ok(sockets() <= before + 1);
      await assertRejects(resolve('late.example', leaving.signal));
    },
  ));

async function assertRejects(work: Promise<unknown>): Promise<void> {
  const outcome = await work.then(
    () => 'resolved',
    () => 'rejected',
  );
  assert.is(outcome, 'rejected');
}

test('a connection that is taken back while it is being made is closed', async () => {
  const server = createServer((socket) => socket.on('error', () => {}));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { dial } = systemNetwork({ clock: systemClock });
  const before = sockets();
  const leaving = new AbortController();
  // TLS that is never spoken: connected, and then silence.
  const dialling = dial({ address: '127.0.0.1', port, secure: true }, leaving.signal);
  await once(server, 'connection');
  leaving.abort();
  await assertRejects(dialling);
  server.close();
  await once(server, 'close');
  await heard();
  assert.ok(sockets() <= before);
  await assertRejects(dial({ address: '127.0.0.1', port, secure: false }, leaving.signal));
});

test.run();
