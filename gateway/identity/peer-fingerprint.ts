/**
 * The fingerprint of a TLS peer's certificate, computed without a certificate object: OpenSSL would decode the key again
 * for each, which costs a tenth of a whole wake. The session holds the certificate as it was received.
 */
import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { fingerprintOf } from './authority.ts';

/** `peer [3] EXPLICIT Certificate`, in OpenSSL's `SSL_SESSION` (doc/man3/d2i_SSL_SESSION, ssl/ssl_asn1.c). */
const peerTag = 0xa3;
const sequenceTag = 0x30;

/** SHA-256 of the certificate that the peer has shown, lowercase hex; undefined when it showed none. */
export function peerFingerprint(socket: TLSSocket): string | undefined {
  const session = socket.getSession();
  const whole = session && readElement(session, 0);
  if (session === undefined || whole?.tag !== sequenceTag || whole.end !== session.length) return slowly(socket);
  for (let at = whole.start; at < whole.end; ) {
    const field = readElement(session, at);
    if (field === undefined) return slowly(socket);
    if (field.tag === peerTag)
      return createHash('sha256').update(session.subarray(field.start, field.end)).digest('hex');
    at = field.end;
  }
  return undefined;
}

/** Reads the fingerprint from the certificate object, in case the format of the session changes one day. */
function slowly(socket: TLSSocket): string | undefined {
  const certificate = socket.getPeerX509Certificate();
  return certificate && fingerprintOf(certificate);
}

interface Element {
  readonly tag: number;
  /** Offsets of the content, `end` excluded. */
  readonly start: number;
  readonly end: number;
}

/** Reads an element of DER (X.690) whose tag is one byte; undefined when there is none. */
function readElement(der: Buffer, at: number): Element | undefined {
  const [tag = 0, first = 0] = [der[at], der[at + 1]];
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  if (lengthBytes > 3 || at + 2 + lengthBytes > der.length) return undefined;
  const start = at + 2 + lengthBytes;
  const length = lengthBytes === 0 ? first : der.readUIntBE(at + 2, lengthBytes);
  return start + length > der.length ? undefined : { tag, start, end: start + length };
}
