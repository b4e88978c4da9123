/** Which boards can shake hands with the broker, as docs/protocol.md says of suites and curves. */
import { type ConnectionOptions, connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withGateway } from './world.ts';

const test = suite('TLS suites');

/** Shakes hands as a board with these means, and resolves with the suite, or `none`. */
const handshake = (port: number, means: ConnectionOptions): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...means }, () => {
      resolve(socket.getCipher().name);
      socket.destroy();
    });
    socket.once('error', () => resolve('none'));
  });

const only12 = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' } as const;
const only13 = { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' } as const;

test('an ECDSA suite and P-256 open the broker; RSA alone does not, nor another curve alone in TLS 1.2', () =>
  withGateway(async ({ ports }) => {
    const boards: readonly (readonly [ConnectionOptions, boolean])[] = [
      [{ ...only12, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256', ecdhCurve: 'P-256' }, true],
      [{ ...only12, ecdhCurve: 'P-384:P-256' }, true],
      [{ ...only12, ciphers: 'aRSA' }, false],
      [{ ...only12, sigalgs: 'RSA+SHA256' }, false],
      [{ ...only12, ecdhCurve: 'P-384' }, false],
      [{ ...only12, ecdhCurve: 'X25519' }, false],
      [{ ...only13, ecdhCurve: 'P-384' }, true],
      [{ ...only13, ecdhCurve: 'X25519' }, true],
      [{ ...only13, sigalgs: 'ecdsa_secp384r1_sha384' }, false],
    ];
    for (const [means, opens] of boards) {
      assert.is((await handshake(ports.tls, means)) !== 'none', opens, JSON.stringify(means));
    }
  }));

test.run();
