/** Checks that the broker can be reached, by a TLS handshake like that with which every frame begins. */
import { connect } from 'node:tls';

/** The address of the broker on this machine, when it listens on `host`. */
function ownAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/**
 * Makes a TLS handshake and closes the connection.
 * @returns the end of the certificate's validity, epoch milliseconds
 * @throws when nobody answers, or not in time
 */
export function shakeHands(host: string, port: number, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // Frames judge by whom the certificate is signed; its validity is no question of trust.
    const socket = connect({ host: ownAddress(host), port, rejectUnauthorized: false, timeout: timeoutMs });
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
