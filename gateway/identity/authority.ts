/** The service's own certificate authority: it signs the broker's certificate and one for every frame. */
import 'reflect-metadata';
import { createPrivateKey, X509Certificate as NodeCertificate, webcrypto } from 'node:crypto';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';
import { makeFolder, replaceFile, syncFolder, undefinedIfMissing } from '../../runtime/durable-file.ts';
import { refuse } from '../../runtime/refusals.ts';

x509.cryptoProvider.set(webcrypto as Crypto);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
const authorityDays = 7300;
const frameDays = 3650;
const serverDays = 397;

/** A certificate with its key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

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
  const { root, rootKey } = await readRoot(folder);
  const issuer = new x509.X509Certificate(root);

  async function issue(name: string, days: number, now: number, extensions: x509.Extension[]): Promise<Credential> {
    const keys = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      subject: [{ CN: [name] }],
      issuer: issuer.subject,
      notBefore: new Date(now - dayMs),
      notAfter: new Date(now + days * dayMs),
      publicKey: keys.publicKey,
      signingKey: rootKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
        ...extensions,
      ],
    });
    return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
  }

  return {
    root,
    async issueFrame(serial, now) {
      const client = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]);
      const credential = await issue(serial, frameDays, now, [client]);
      return {
        ...credential,
        fingerprint: fingerprintOf(new NodeCertificate(credential.certificate)),
        expiresAt: now + frameDays * dayMs,
      };
    },
    async server(names, now) {
      const wanted = [...names].sort().join('\n');
      // Key and certificate are one file, so that no crash leaves one without the other.
      const path = join(folder, 'server.pem');
      const stored = splitPem((await readFile(path, 'utf8').catch(undefinedIfMissing)) ?? '');
      if (stored !== undefined && isPair(stored) && !needsRenewal(stored.certificate, wanted, now)) return stored;
      const credential = await issue(names[0] ?? 'papergate', serverDays, now, [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(
          names.map((name) => ({ type: isIP(name) === 0 ? ('dns' as const) : ('ip' as const), value: name })),
        ),
      ]);
      await replaceFile(path, `${credential.key.trim()}\n${credential.certificate}`);
      return credential;
    },
  };
}

/** SHA-256 of a certificate, lowercase hex, by which the registry finds it. */
export function fingerprintOf(certificate: Pick<NodeCertificate, 'fingerprint256'>): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase();
}

async function found(dataFolder: string, folder: string, now: number): Promise<void> {
  await makeFolder(dataFolder);
  const aside = await mkdtemp(join(dataFolder, '.authority-'));
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: ['Papergate frames'] }],
    notBefore: new Date(now - dayMs),
    notAfter: new Date(now + authorityDays * dayMs),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  await writeFile(join(aside, 'ca.key'), await exportKey(keys.privateKey), { mode: 0o600, flush: true });
  await writeFile(join(aside, 'ca.crt'), root.toString('pem'), { flush: true });
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

function needsRenewal(pem: string, wantedNames: string, now: number): boolean {
  const certificate = new x509.X509Certificate(pem);
  const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? [];
  const have = names
    .map((name) => name.value)
    .sort()
    .join('\n');
  return have !== wantedNames || certificate.notAfter.getTime() < now + 30 * dayMs;
}

function newKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<CryptoKeyPair>;
}

async function exportKey(key: CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<CryptoKey> {
  const bytes = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']) as Promise<CryptoKey>;
}

/** @throws Refusal `damaged-file` that names the unusable file */
async function readRoot(folder: string): Promise<{ root: string; rootKey: CryptoKey }> {
  const [certificatePath, keyPath] = [join(folder, 'ca.crt'), join(folder, 'ca.key')];
  const root = await readFile(certificatePath, 'utf8');
  const key = await readFile(keyPath, 'utf8').catch(undefinedIfMissing);
  const damaged = (message: string): Error =>
    refuse('damaged-file', { message, hint: 'put it back from a backup: every frame trusts this authority alone' });
  if (!isCertificate(root)) throw damaged(`${certificatePath} holds no certificate`);
  if (key === undefined) throw damaged(`${keyPath} is missing`);
  const rootKey = await importKey(key).catch(() => undefined);
  if (rootKey === undefined) throw damaged(`${keyPath} holds no key of this authority`);
  if (!isPair({ certificate: root, key })) throw damaged(`${keyPath} is not the key of ${certificatePath}`);
  return { root, rootKey };
}

function isCertificate(pem: string): boolean {
  try {
    return new NodeCertificate(pem).ca;
  } catch {
    return false;
  }
}

function isPair({ certificate, key }: Credential): boolean {
  try {
    return new NodeCertificate(certificate).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

/** A serial number of 16 random bytes, positive. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
