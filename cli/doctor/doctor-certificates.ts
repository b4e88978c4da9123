/** Examines how long certificates are valid, for `papergate doctor`. */
import { connect } from 'node:tls';

/** The finding about one part. `hint` states what to do next. */
export interface Diagnosis {
  readonly name: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly hint?: string;
}

const dayMs = 86_400_000;
const endsSoonMs = 14 * dayMs;
const handshakeTimeoutMs = 5_000;

/** Returns the end of the validity of the certificate that is shown at an address, in epoch milliseconds. */
export function certificateEnd(url: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const name = /[a-z]/i.test(host) && !host.includes(':') ? { servername: host } : {};
    const socket = connect({ host, port: Number(port) || 443, ...name, rejectUnauthorized: false });
    socket.setTimeout(handshakeTimeoutMs, () => socket.destroy(new Error('no answer in time')));
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
    socket.once('error', reject).once('close', () => reject(new Error('the connection was closed')));
  });
}

/** Judges an end that has still to be read. */
export async function judgeEnd(name: string, end: Promise<number>, now: number): Promise<Diagnosis> {
  const hint = 'renew it; the certificate of the broker is renewed by a running service, a proxy’s by its operator';
  let leftMs: number;
  try {
    leftMs = (await end) - now;
  } catch (error) {
    return { name, result: 'fail', message: error instanceof Error ? error.message : String(error), hint };
  }
  if (!(leftMs > 0)) return { name, result: 'fail', message: 'the certificate has expired', hint };
  const message = `the certificate is valid for another ${Math.floor(leftMs / dayMs)} days`;
  return leftMs < endsSoonMs ? { name, result: 'warn', message, hint } : { name, result: 'ok', message };
}
