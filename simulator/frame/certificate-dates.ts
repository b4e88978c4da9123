/** A frame's judgement of a certificate by its own clock. */
import tls, { type PeerCertificate } from 'node:tls';

/**
 * Returns a frame's check of a server's certificate: by its own clock, where that one is wrong.
 * @param clockMs the frame's time, epoch milliseconds; undefined when it is right
 */
export function checkedBy(clockMs: number | undefined) {
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    if (clockMs !== undefined && clockMs < Date.parse(certificate.valid_from)) {
      return new Error('the certificate is not valid yet');
    }
    if (clockMs !== undefined && clockMs > Date.parse(certificate.valid_to)) {
      return new Error('the certificate has expired');
    }
    return tls.checkServerIdentity(host, certificate);
  };
}
