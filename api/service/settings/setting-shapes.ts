/** The shapes of variables that rooms have no own schema for. */
import { z } from 'zod';
import { isHost } from '../../../runtime/join-address.ts';
import { isId } from '../../../runtime/random.ts';
import { isLoginCut, parseUrl } from '../../../runtime/read-address.ts';
import { readRange } from '../../http/caller-address.ts';
import { readOrigin } from '../../http/cross-origin.ts';
import { readHomeEntry } from '../../outgoing/home-networks.ts';
import { asServerName } from './server-names.ts';

/**
 * A whole number within limits.
 * @param what what it counts, as ` of MiB`, with the meaning of 0 where that is another one
 * @param example a usual value
 */
export const wholeSetting = (least: number, most: number, what: string, example: number) =>
  z.string().transform((text, context) => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
    context.addIssue(
      `"${shown}" is not allowed: a whole number${what} from ${least} to ${most}, for example ${example}`,
    );
    return z.NEVER;
  });

/** A port; 0 has the system choose one. */
export const port = wholeSetting(0, 65_535, '', 3000);

/** A secret that nobody guesses. A short one is not quoted. */
export const longSecret = z
  .string()
  .refine((text) => text.length >= 32, 'has fewer than 32 characters: make one, for example by openssl rand -hex 32');

/** An address that paths are appended to. A wrong one is named and not quoted: it may hold a password. */
export const baseUrl = z
  .url({ protocol: /^https?$/ })
  .superRefine((text, context) => {
    const url = parseUrl(text);
    const isCut = isLoginCut(text);
    if (url === undefined && !isCut) return; // Said already.
    const surplus = [
      ...(isCut || url?.username !== '' || url.password !== '' ? ['user and password'] : []),
      ...(!isCut && text.includes('#') ? ['everything from # on'] : []),
      ...(!isCut && /^[^#]*\?/.test(text) ? ['everything from ? on'] : []),
    ];
    if (surplus.length > 0) context.addIssue(`paths are appended to it: leave out ${surplus.join(' and ')}`);
  })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
  .optional();

export const listeningHost = z.string().refine(isHost, 'is neither a host name nor an IP address').default('127.0.0.1');

/** The name under which other servers are asked: the value of a header. */
export const userAgent = z
  .string()
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]{0,498}[\x21-\x7e])?$/, 'is not a line of at most 500 printable ASCII characters');

/** A reader of one of several entries: it returns the entry, or the mistake in it. */
type ReadEntry<Entry> = (written: string, number: number) => { readonly entry: Entry } | { readonly mistake: string };

/** Entries separated by commas; a mistake is a sentence about one of them. */
const listed = <Entry>(read: ReadEntry<Entry>) =>
  z
    .string()
    .transform((text, context): Entry[] =>
      text.split(',').flatMap((written, index) => {
        const found = read(written, index + 1);
        if ('entry' in found) return [found.entry];
        context.addIssue(found.mistake);
        return [];
      }),
    )
    .default([]);

const quoted = (written: string, mistake: string) => ({ mistake: `"${written.trim()}" ${mistake}` });

/** Names separated by commas, each in the form that the certificate keeps. */
export const names = listed((written) => {
  const entry = asServerName(written);
  return entry === undefined ? quoted(written, 'is neither a host name nor an IP address') : { entry };
});

/** Addresses and ranges separated by commas. */
export const ranges = listed((written) => {
  const entry = readRange(written);
  return 'problem' in entry ? quoted(written, entry.problem) : { entry };
});

/** Networks, hosts and ports of the house, separated by commas. */
export const homeEntries = listed((written) => {
  const entry = readHomeEntry(written);
  return 'mistake' in entry ? quoted(written, entry.mistake) : { entry };
});

/** Ids of organizations separated by commas. */
export const organizationIds = listed((written) => {
  const entry = written.trim();
  return isId(entry) ? { entry } : quoted(written, 'is not an id of an organization, which GET /organizations/ shows');
});

/** Folders of pictures separated by commas: a path, or a name for people with the path behind `=`. */
export const pictureFolders = listed((written) => {
  const [, given, path = ''] = /^(?:([^=/]*)=)?(.*)$/.exec(written.trim()) ?? [];
  const name = given?.trim() || path.split('/').filter(Boolean).at(-1) || '';
  const fits = path.startsWith('/') && name !== '' && name.length <= 100;
  return fits
    ? { entry: { name, path } }
    : quoted(written, 'is not an absolute path, or a name with one such as Photos=/srv/photos');
});

/** Origins separated by commas, each as browsers write it. */
export const origins = listed((written) => {
  const entry = readOrigin(written);
  return typeof entry === 'string' ? { entry } : quoted(written, entry.problem);
});

/** Catalogues of integrations separated by commas: addresses, and paths of files. One is not quoted: it may hold a secret. */
export const catalogues = listed((written, number) => {
  const entry = written.trim();
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(entry);
  const fits = isAddress
    ? /^https?:/i.test(entry) &&
      parseUrl(entry)?.username === '' &&
      !/^[^/]*\/\/[^/]*@/.test(entry) &&
      !isLoginCut(entry)
    : entry !== '';
  const mistake = `number ${number} is neither an http or https address (without user and password) nor a path`;
  return fits ? { entry } : { mistake };
});
