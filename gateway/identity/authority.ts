/** The service's own certificate authority: it signs the broker's certificate and one for every frame. */
import { createPrivateKey, hkdfSync, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { refuse } from '../../reasons/refusals.ts';
import {
  makeFolder,
  replaceFile,
  syncFolder,
  undefinedIfMissing,
  writeSynced,
} from '../../runtime/disk/durable-file.ts';
import type { Credential } from './make-certificate.ts';

const dayMs = 86_400_000;
const frameDays = 3650;
const serverDays = 397;
/** The bytes of the keys that seal session tickets. */
export const ticketKeyBytes = 48;

/** Loads the maker of certificates when one is to be made: a start with a folder that exists makes none. */
const loadMaker = () => import('./make-certificate.ts');

/** A frame's certificate, with the facts that the registry stores. */
interface FrameCredential extends Credential {
  readonly fingerprint: string;
  readonly expiresAt: number;
}

/** The authority of one data folder. */
export interface Authority {
  /** The root certificate, PEM. Frames check the broker's certificate against it. */
  readonly root: string;
  issueFrame(serial: string, now: number): Promise<FrameCredential>;
  /**
   * The broker's certificate for these names and addresses. It is kept until it is about to end or the names change.
   */
  server(names: readonly string[], now: number): Promise<Credential>;
  /** The keys that seal session tickets, for one salt. Another authority makes others of the same salt (T-120). */
  ticketKeys(salt: string): Buffer;
}

/**
 * Opens the authority of a data folder, or creates it. Two processes may do so at once: the folder is made under
 * another name and renamed, and the second process takes the one that is there.
 */
export async function openAuthority(dataFolder: string, now: number): Promise<Authority> {
  const folder = join(dataFolder, 'authority');
  const existing = await readFile(join(folder, 'ca.crt'), 'utf8').catch(undefinedIfMissing);
  if (existing === undefined) await found(dataFolder, folder, now);
  await syncFolder(dataFolder);
  const issuer = await readRoot(folder);

  return {
    root: issuer.certificate,
    async issueFrame(serial, now) {
      const expiresAt = now + frameDays * dayMs;
      const { makeCertificate } = await loadMaker();
      const credential = await makeCertificate(issuer, { name: serial, now, expiresAt });
      return {
        ...credential,
        fingerprint: fingerprintOf(new X509Certificate(credential.certificate)),
        expiresAt,
      };
    },
    async server(names, now) {
      // Key and certificate are one file, so that no crash leaves one without the other.
      const path = join(folder, 'server.pem');
      const stored = splitPem((await readFile(path, 'utf8').catch(undefinedIfMissing)) ?? '');
      if (stored !== undefined && isPair(stored) && !needsRenewal(stored.certificate, names, now)) return stored;
      const { makeCertificate } = await loadMaker();
      const name = names[0] ?? 'papergate';
      const credential = await makeCertificate(issuer, { name, now, expiresAt: now + serverDays * dayMs, names });
      await replaceFile(path, `${credential.key.trim()}\n${credential.certificate}`);
      return credential;
    },
    ticketKeys(salt) {
      const key = createPrivateKey(issuer.key).export({ type: 'pkcs8', format: 'der' });
      return Buffer.from(hkdfSync('sha256', key, salt, 'papergate session tickets', ticketKeyBytes));
    },
  };
}

/** SHA-256 of a certificate, lowercase hex, by which the registry finds it. */
export function fingerprintOf(certificate: Pick<X509Certificate, 'fingerprint256'>): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

async function found(dataFolder: string, folder: string, now: number): Promise<void> {
  await makeFolder(dataFolder);
  const aside = await mkdtemp(join(dataFolder, '.authority-'));
  const { makeRoot } = await loadMaker();
  const { certificate, key } = await makeRoot(now);
  await writeSynced(join(aside, 'ca.key'), key);
  await writeSynced(join(aside, 'ca.crt'), certificate);
  await syncFolder(aside);
  try {
    await rename(aside, folder);
  } catch {
    await rm(aside, { recursive: true });
  }
}

/** Splits the file that holds both key and certificate. Whether they are valid shows when they are used. */
function splitPem(pem: string): Credential | undefined {
  const at = pem.indexOf('-----BEGIN CERTIFICATE');
  return at === -1 ? undefined : { key: pem.slice(0, at).trim(), certificate: pem.slice(at).trim() };
}

function needsRenewal(pem: string, wanted: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(pem);
  const have = new Set(certificate.subjectAltName?.split(', '));
  // Addresses are written in more than one way.
  const has = (name: string): boolean =>
    isIP(name) === 0 ? have.has(`DNS:${name}`) : certificate.checkIP(name) !== undefined;
  const isAsWanted = have.size === new Set(wanted).size && wanted.every(has);
  return !isAsWanted || Date.parse(certificate.validTo) < now + 30 * dayMs;
}

/** @throws Refusal `damaged-file` that names the unusable file */
async function readRoot(folder: string): Promise<Credential> {
  const [certificatePath, keyPath] = [join(folder, 'ca.crt'), join(folder, 'ca.key')];
  const root = await readFile(certificatePath, 'utf8');
  const key = await readFile(keyPath, 'utf8').catch(undefinedIfMissing);
  const damaged = (message: string): Error =>
    refuse('damaged-file', { message, hint: 'put it back from a backup: every frame trusts this authority alone' });
  if (!isCertificate(root)) throw damaged(`${certificatePath} holds no certificate`);
  if (key === undefined) throw damaged(`${keyPath} is missing`);
  if (!isAuthorityKey(key)) throw damaged(`${keyPath} holds no key of this authority`);
  if (!isPair({ certificate: root, key })) throw damaged(`${keyPath} is not the key of ${certificatePath}`);
  return { certificate: root, key };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

function isAuthorityKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}

function isPair({ certificate, key }: Credential): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
