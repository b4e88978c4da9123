/** Whether the broker's door opens: a TLS handshake with it, as every frame begins with one. */
import { connect } from 'node:tls';

/** Where the broker is reached from this machine, when it listens on `host`. */
function ownAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

/**
 * Shakes hands and hangs up.
 * @returns until when the certificate that was shown is valid, epoch milliseconds
 * @throws when nobody answers, or not in time
 */
export function shakeHands(host: string, port: number, timeoutMs: number): Promise<number> {
  return new Promise((resolve, reject) => {
    // What it is signed by is for frames to judge; whether it is still valid is not a question of trust.
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
