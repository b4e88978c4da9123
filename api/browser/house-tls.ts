/**
 * TLS of hosts in the house. Their certificates may come from an authority of the house, which `NODE_EXTRA_CA_CERTS` names
 * for everything that this process asks. The browser has a list of its own, to which nothing can be added; so the guard
 * judges the certificate, and hands the page on under a key that this one browser was started to accept, and that nobody
 * else has.
 */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect, createSecureContext, type SecureContext, TLSSocket } from 'node:tls';
import { makeCertificate, makeRoot } from '../../gateway/identity/make-certificate.ts';

/** A key for the way between guard and browser. */
export interface HouseTls {
  /** SHA-256 of the public key in Base64, for `--ignore-certificate-errors-spki-list`. */
  readonly keyDigest: string;
  readonly context: SecureContext;
}

const yearMs = 365 * 86_400_000;
/** The guard relays requests as they are; it need not speak the newer version. */
const alpn = ['http/1.1'];

/**
 * Makes a key that lives as long as the process.
 * @param now epoch milliseconds
 */
export async function makeHouseTls(now: number): Promise<HouseTls> {
  const root = await makeRoot(now);
  const { key, certificate } = await makeCertificate(root, {
    name: 'Papergate pages',
    now,
    expiresAt: now + 10 * yearMs,
  });
  const publicKey = createPublicKey(createPrivateKey(key)).export({ type: 'spki', format: 'der' });
  return {
    keyDigest: createHash('sha256').update(publicKey).digest('base64'),
    context: createSecureContext({ key, cert: certificate }),
  };
}

/**
 * Begins TLS with a host over a connection to it, as a client of this process that trusts what all of them trust.
 * @returns undefined when its certificate is not valid, or it does not speak TLS
 */
export async function secureHost(way: Socket, hostname: string): Promise<TLSSocket | undefined> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = connect({ socket: way, host, ALPNProtocols: alpn, ...(isIP(host) === 0 && { servername: host }) });
  secure.on('error', () => secure.destroy());
  try {
    await once(secure, 'secureConnect');
    return secure;
  } catch {
    secure.destroy();
    return undefined;
  }
}

/** Begins TLS with the browser, which has asked for a tunnel, as the host that it asked for. */
export function secureBrowser({ context }: HouseTls, client: Socket): TLSSocket {
  const secure = new TLSSocket(client, { isServer: true, secureContext: context, ALPNProtocols: alpn });
  secure.on('error', () => secure.destroy());
  return secure;
}
