/** Checks that the broker can be reached, by a TLS handshake like that with which every frame begins. */
import { connect } from 'node:tls';
import { dialledHost } from '../../runtime/join-address.ts';

/**
 * Makes a TLS handshake and closes the connection.
 * @returns the end of the certificate's validity, epoch milliseconds
 * @throws when nobody answers, or not in time
 */
export function shakeHands(host: string, port: number, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Frames judge by whom the certificate is signed; its validity is not a question of trust.
    const socket = connect({ host: dialledHost(host), port, rejectUnauthorized: false, timeout: timeoutMs });
    socket.once('secureConnect', () => {
      const validUntil = Date.parse(socket.getPeerCertificate().valid_to);
      socket.destroy();
      resolve(validUntil);
    });
    socket.once('timeout', () => socket.destroy(new Error('no answer in time')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('hung up')));
  });
}
