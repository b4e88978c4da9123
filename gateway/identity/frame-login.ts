/** The login of frames: by a certificate of our authority or a password, for exactly the identity it was issued to. */

import { TLSSocket } from 'node:tls';
import { frameIdPattern } from '../../firmware-protocol/limits.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { type FrameRegistry, passwordDigest, serialKey } from '../frames/registry.ts';
import { peerFingerprint } from './peer-fingerprint.ts';

/**
 * The outcome of a login: the frame's `session_epoch` at that moment, or the problem in words; `owner` is the frame whose
 * certificate was refused, and `isOfFrame` separates a frame of this service from names that nobody has here.
 */
export type Login =
  | { readonly ok: true; readonly serial: string; readonly credential: string; readonly epoch: number }
  | { readonly ok: false; readonly problem: Reason; readonly owner?: string; readonly isOfFrame?: boolean };

/** User name and password of a CONNECT. */
export interface FrameCredentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** The prefix of a password's hash as a credential in `credentialStands`. */
const passwordCredential = 'password ';

/** The credential that the client shows, before it is checked; undefined when it shows none. */
export function credentialShown(connection: unknown, { password }: FrameCredentials): string | undefined {
  const certificate = connection instanceof TLSSocket ? peerFingerprint(connection) : undefined;
  if (certificate !== undefined || password === undefined) return certificate;
  return passwordCredential + passwordDigest(password).toString('hex');
}

/** Resolves true while the credential of a live connection is neither revoked nor expired. */
export async function credentialStands(
  registry: FrameRegistry,
  serial: string,
  credential: string,
  now: number,
): Promise<boolean> {
  if (credential.startsWith(passwordCredential)) {
    return credential === passwordCredential + (await registry.passwordHash(serial));
  }
  const issued = await registry.certificate(credential);
  return issued?.serial === serial && issued.revoked_at === null && issued.expires_at > now;
}

/**
 * Checks one CONNECT (T-42).
 * @param client its `id` as the frame sent it, and the socket of the CONNECT
 */
export async function logIn(
  registry: FrameRegistry,
  { id, conn: connection }: { readonly id: string; readonly conn: unknown },
  credentials: FrameCredentials,
  now: number,
): Promise<Login> {
  if (!frameIdPattern.test(id)) return refused(reasonOf('login-no-identity'));
  const serial = serialKey(id);
  const credential = connection instanceof TLSSocket ? peerFingerprint(connection) : undefined;
  if (credential !== undefined) {
    const issued = await registry.certificate(credential);
    const owner = issued?.serial;
    // The certificate is judged here, because `rejectUnauthorized` is off, so that the reason of a refusal can be
    // recorded.
    const { authorized, authorizationError } = connection as TLSSocket;
    // Node returns the code as text, in spite of its type.
    const code = String(authorizationError);
    if (code === 'CERT_HAS_EXPIRED' || (issued !== undefined && issued.expires_at <= now)) {
      return refused(reasonOf('certificate-expired'), owner);
    }
    if (!authorized) return refused(reasonOf('certificate-not-accepted', { error: code }), owner);
    // Our authority has signed it: it belongs to a frame that a restored backup may not know.
    if (issued === undefined) return { ok: false, problem: reasonOf('certificate-unknown'), isOfFrame: true };
    if (issued.revoked_at !== null) return refused(reasonOf('certificate-revoked'), owner);
    if (owner === serial) return { ok: true, serial, credential, epoch: issued.session_epoch };
    return refused(reasonOf('certificate-of-another', { id }), owner);
  }
  const { username, password } = credentials;
  if (username === undefined || password === undefined) return refused(reasonOf('login-nothing'));
  if (serialKey(username) !== serial) return refused(reasonOf('login-names-differ'));
  const matching = await registry.matchingPassword(serial, password);
  if (matching === undefined) {
    const isOfFrame = (await registry.passwordHash(serial)) !== null;
    return { ok: false, problem: reasonOf('login-wrong-password'), isOfFrame };
  }
  return { ok: true, serial, credential: passwordCredential + matching.hash, epoch: matching.epoch };
}

function refused(problem: Reason, owner?: string): Login {
  return owner === undefined ? { ok: false, problem } : { ok: false, problem, owner, isOfFrame: true };
}
