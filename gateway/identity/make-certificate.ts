/** Makes keys and certificates: the root of an authority, and what it signs. */
import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(globalThis.crypto);

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 86_400_000;
const authorityDays = 7300;

/** A certificate with its key, both PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

/** Whom a certificate is for: a client, or a server with the names and addresses by which it is reached. */
export interface CertificateSubject {
  readonly name: string;
  readonly now: number;
  readonly expiresAt: number;
  readonly names?: readonly string[];
}

/** Makes the root of an authority, which signs itself. */
export async function makeRoot(now: number): Promise<Credential> {
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
  return { certificate: root.toString('pem'), key: await exportKey(keys.privateKey) };
}

/** Makes a key, and the certificate for it that a root signs. */
export async function makeCertificate(root: Credential, subject: CertificateSubject): Promise<Credential> {
  const issuer = new x509.X509Certificate(root.certificate);
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: [subject.name] }],
    issuer: issuer.subject,
    notBefore: new Date(subject.now - dayMs),
    notAfter: new Date(subject.expiresAt),
    publicKey: keys.publicKey,
    signingKey: await importKey(root.key),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...purposeOf(subject.names),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await exportKey(keys.privateKey) };
}

function purposeOf(names: readonly string[] | undefined): x509.Extension[] {
  if (names === undefined) return [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])];
  const listed = names.map((name) => ({ type: isIP(name) === 0 ? ('dns' as const) : ('ip' as const), value: name }));
  return [
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(listed),
  ];
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<webcrypto.CryptoKeyPair>;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' });
  return webcrypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']) as Promise<webcrypto.CryptoKey>;
}

/** A serial number of 16 random bytes, positive. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString('hex');
}
