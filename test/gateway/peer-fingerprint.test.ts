/** The certificate that a TLS peer has shown is read from the session, in whatever way it came to be. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fingerprintOf, openAuthority } from '../../gateway/identity/authority.ts';
import { peerFingerprint } from '../../gateway/identity/peer-fingerprint.ts';

const test = suite('peer fingerprint');

interface Met {
  readonly told: string | undefined;
  readonly isSame: boolean;
  readonly reused: boolean;
}

test('FACT-04: it is that of the certificate, in TLS 1.2 and 1.3, also in a resumed session; without one there is none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-peer-'));
  const authority = await openAuthority(folder, Date.now());
  const { key, certificate: cert } = await authority.server(['localhost'], Date.now());
  const met: Met[] = [];
  const server = createServer(
    { key, cert, ca: authority.root, requestCert: true, rejectUnauthorized: false },
    (socket) => {
      const told = peerFingerprint(socket);
      const certificate = socket.getPeerX509Certificate();
      const isSame = told === (certificate && fingerprintOf(certificate));
      met.push({ told, isSame, reused: socket.isSessionReused() });
      socket.on('error', () => {});
      socket.end('met');
    },
  );
  try {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const frame = await authority.issueFrame('epd7-1', Date.now());
    const stranger = await (await openAuthority(join(folder, 'other'), Date.now())).issueFrame('epd7-1', Date.now());
    const meet = async (options: object): Promise<Buffer | undefined> => {
      const socket: TLSSocket = connect({
        host: '127.0.0.1',
        port,
        ca: authority.root,
        servername: 'localhost',
        ...options,
      });
      let session: Buffer | undefined;
      socket.on('session', (given: Buffer) => {
        session = given;
      });
      socket.resume();
      await once(socket, 'close');
      return session;
    };
    const shown = { key: frame.key, cert: frame.certificate };
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      const session = await meet({ ...shown, maxVersion });
      await meet({ ...shown, maxVersion, session });
      await meet({ maxVersion });
      await meet({ key: stranger.key, cert: stranger.certificate, maxVersion });
    }
    const expected = [frame.fingerprint, frame.fingerprint, undefined, stranger.fingerprint];
    assert.equal(
      met.map(({ told }) => told),
      [...expected, ...expected],
    );
    assert.ok(met.every(({ isSame }) => isSame));
    assert.equal([met[1]?.reused, met[5]?.reused], [true, true]);
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
});

test('a session that cannot be read is not a reason to trust anybody: the certificate itself is asked', () => {
  const certificate = { fingerprint256: 'AB:CD' };
  const read = (session: Buffer | undefined): string | undefined =>
    peerFingerprint({ getSession: () => session, getPeerX509Certificate: () => certificate } as unknown as TLSSocket);
  const broken = [undefined, '', '3003', '02', '30020201', '3005a30402', '30050201010203', '30840000000101'];
  for (const hex of broken) assert.is(read(hex === undefined ? undefined : Buffer.from(hex, 'hex')), 'abcd', hex);
  // Well formed, and without a peer.
  assert.is(read(Buffer.from('3003020101', 'hex')), undefined);
});

test.run();
