/** Who may log in: a certificate of our authority, or a password, for exactly the identity it was issued to (F4, T-42). */
import { TLSSocket } from 'node:tls';
import { frameIdPattern } from '../../firmware-protocol/limits.ts';
import { type FrameRegistry, serialKey } from '../frames/registry.ts';
import { peerFingerprint } from './peer-fingerprint.ts';

/** What became of a login, with the reason in words; `owner` is the frame whose certificate was refused. */
export type Login =
  | { readonly ok: true; readonly serial: string; readonly credential: string }
  | { readonly ok: false; readonly problem: string; readonly owner?: string };

/** User name and password of a CONNECT. */
export interface Credentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** Stands for a login by password in `credentialStands`, together with the password's hash. */
const passwordCredential = 'password ';

/** Whether the credential of a live connection has neither been revoked nor ended since. */
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
 * Checks one CONNECT.
 * @param id the client id, as the frame spells its identity
 * @param connection the socket it came over
 */
export async function logIn(
  registry: FrameRegistry,
  id: string,
  connection: unknown,
  credentials: Credentials,
  now: number,
): Promise<Login> {
  if (!frameIdPattern.test(id)) return refused('the client id is no frame identity');
  const serial = serialKey(id);
  const credential = connection instanceof TLSSocket ? peerFingerprint(connection) : undefined;
  if (credential !== undefined) {
    const issued = await registry.certificate(credential);
    const owner = issued?.serial;
    // rejectUnauthorized is off, so that the reason of a refusal can be recorded: judge it here.
    const { authorized, authorizationError } = connection as TLSSocket;
    // Node hands out the code as text, whatever its type says.
    const code = String(authorizationError);
    if (code === 'CERT_HAS_EXPIRED' || (issued !== undefined && issued.expires_at <= now)) {
      return refused('certificate has expired', owner);
    }
    if (!authorized) return refused(`certificate not accepted: ${code}`, owner);
    if (issued === undefined) return refused('certificate unknown');
    if (issued.revoked_at !== null) return refused('certificate revoked', owner);
    if (owner === serial) return { ok: true, serial, credential };
    return refused(`certificate used under the id ${id}`, owner);
  }
  const { username, password } = credentials;
  if (username === undefined || password === undefined) return refused('neither certificate nor password');
  if (serialKey(username) !== serial) return refused('user name and client id differ');
  const hash = await registry.matchingPassword(serial, password);
  if (hash === undefined) return refused('wrong password');
  return { ok: true, serial, credential: passwordCredential + hash };
}

function refused(problem: string, owner?: string): Login {
  return owner === undefined ? { ok: false, problem } : { ok: false, problem, owner };
}
