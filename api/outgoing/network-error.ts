/** The errors of the network in words, by the codes of Node and OpenSSL. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';

/** Returns whether a code of Node or OpenSSL means that a certificate is not trusted. */
export const isCertificateError = (code: string): boolean =>
  /CERT|SELF_SIGNED|ISSUER|LEAF_SIGNATURE|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)/.test(code);

/** Says what an error of the network means, with its code; never its text, which may quote what was sent (T-12). */
export function describeNetworkError(error: unknown): Reason {
  if (!(error instanceof Error)) return reasonOf('network');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (code === 'ECONNREFUSED') return reasonOf('network-refused');
  if (code === 'ENOTFOUND') return reasonOf('network-name-unknown');
  if (isCertificateError(code)) return reasonOf('network-certificate', { error: code });
  return reasonOf('network-error', { error: code });
}
