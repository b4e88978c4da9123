/** The errors of the network in words, by the codes of Node and OpenSSL. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';

const certificateErrors: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** Says what an error of the network means, with its code; never its text, which may quote what was sent (T-12). */
export function describeNetworkError(error: unknown): Reason {
  if (!(error instanceof Error)) return reasonOf('network');
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  if (code === 'ECONNREFUSED') return reasonOf('network-refused');
  if (code === 'ENOTFOUND') return reasonOf('network-name-unknown');
  if (certificateErrors.has(code)) return reasonOf('network-certificate', { error: code });
  return reasonOf('network-error', { error: code });
}
