/** Hosts as somebody hostile, careless or honest may write them, and what must become of `https://HOST/cb`. */
import { readFileSync } from 'node:fs';

/** `address` and `name` are accepted; `parse error` is no host at all for the URL parser. */
type Verdict = 'refused' | 'address' | 'name' | 'parse error';

/** One host. `parsed` is what the URL parser makes of it, as `URL.hostname`. */
interface CorpusHost {
  readonly host: string;
  readonly verdict: Verdict;
  readonly parsed: string | undefined;
}

const groups: readonly { readonly verdict: Verdict; readonly why: string; readonly hosts: readonly string[] }[] =
  JSON.parse(readFileSync(new URL('./hosts.json', import.meta.url), 'utf8'));

/** All of them, accepted controls included. */
export const hostCorpus: readonly CorpusHost[] = groups.flatMap(({ verdict, hosts }) =>
  hosts.map((host) => {
    const url = `https://${host}/cb`;
    return { host, verdict, parsed: URL.canParse(url) ? new URL(url).hostname : undefined };
  }),
);

/** Addresses of the corpus as a resolver writes them: without brackets, each once. */
export function corpusAddresses(verdict: 'refused' | 'address'): string[] {
  const literals = hostCorpus.filter((each) => each.verdict === verdict).map(({ parsed }) => parsed ?? '');
  const isLiteral = /^(\[.*\]|\d+\.\d+\.\d+\.\d+)$/;
  return [...new Set(literals.filter((host) => isLiteral.test(host)).map((host) => host.replace(/^\[|\]$/g, '')))];
}
