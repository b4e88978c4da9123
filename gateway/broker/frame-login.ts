/** Who may log in: a certificate of our authority, or a password, for exactly the identity it was issued to (F4, T-42). */
import { TLSSocket } from 'node:tls';
import { frameIdPattern } from '../../firmware-protocol/limits.ts';
import { type FrameRegistry, serialKey } from '../frames/registry.ts';
import { fingerprintOf } from './authority.ts';

/** What became of a login, with the reason in words for the log. */
export type Login =
  | { readonly ok: true; readonly serial: string; readonly credential: string }
  | { readonly ok: false; readonly problem: string };

/** Stands for a login by password in `credentialStands`. */
const passwordCredential = 'password';

/** Whether the credential of a live connection has not been revoked since. */
export async function credentialStands(registry: FrameRegistry, serial: string, credential: string): Promise<boolean> {
  if (credential === passwordCredential) return typeof (await registry.find(serial))?.password_hash === 'string';
  return (await registry.serialOfCertificate(credential)) === serial;
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
  credentials: { username: string | undefined; password: string | undefined },
): Promise<Login> {
  if (!frameIdPattern.test(id)) return refused('the client id is no frame identity');
  const serial = serialKey(id);
  const certificate = connection instanceof TLSSocket ? connection.getPeerX509Certificate() : undefined;
  if (certificate !== undefined) {
    // rejectUnauthorized is off, so that the reason of a refusal can be recorded: judge it here.
    if (!(connection as TLSSocket).authorized) {
      return refused(`certificate not accepted: ${(connection as TLSSocket).authorizationError}`);
    }
    const credential = fingerprintOf(certificate);
    const owner = await registry.serialOfCertificate(credential);
    if (owner === undefined) return refused('certificate unknown or revoked');
    return owner === serial ? { ok: true, serial, credential } : refused('certificate of another frame');
  }
  const { username, password } = credentials;
  if (username === undefined || password === undefined) return refused('neither certificate nor password');
  if (serialKey(username) !== serial) return refused('user name and client id differ');
  const matches = await registry.passwordMatches(serial, password);
  return matches ? { ok: true, serial, credential: passwordCredential } : refused('wrong password');
}

function refused(problem: string): Login {
  return { ok: false, problem };
}
