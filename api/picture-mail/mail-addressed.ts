/** The papers and albums that a message names by its addresses. */
import { type MailHeaders, valuesOf } from './mail-headers.ts';

const addressing = ['delivered-to', 'x-original-to', 'envelope-to', 'to', 'cc'] as const;
const maxSecrets = 50;
const maxSecretLength = 64;

/**
 * Returns the secrets of the addresses `name+SECRET@host` that a message was sent to, in lower case, because programs
 * change the case of addresses. The secret names the target; it proves nothing of the sender (ML-3).
 */
export function secretsAddressed({ lines }: Pick<MailHeaders, 'lines'>): readonly string[] {
  const found = new Set<string>();
  for (const name of addressing) {
    for (const piece of valuesOf(lines, name).flatMap((value) => value.split(/[\s<>"(),:;]/))) {
      const secret = secretOf(piece);
      if (secret !== undefined && found.size < maxSecrets) found.add(secret);
    }
  }
  return [...found];
}

function secretOf(piece: string): string | undefined {
  const [local = '', host, ...more] = piece.split('@');
  const at = local.indexOf('+');
  if (!host || more.length > 0 || at < 1) return undefined;
  const secret = local.slice(at + 1).toLowerCase();
  return secret === '' || secret.length > maxSecretLength ? undefined : secret;
}
