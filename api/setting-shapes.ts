/** The shapes of variables that rooms have no own schema for. */
import { z } from 'zod';
import { isHost } from '../runtime/join-address.ts';
import { isId } from '../runtime/random.ts';
import { readRange } from './http/caller-address.ts';
import { readOrigin } from './http/cross-origin.ts';
import { type HomeEntry, readHomeEntry } from './outgoing/home-networks.ts';
import { asServerName } from './server-names.ts';

/** A port; 0 has the system choose one. */
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'a number from 0 to 65535')
  .transform(Number)
  .pipe(z.number().max(65_535));
/** A whole number in the digits of its pattern. */
export const numberLike = (pattern: RegExp, what: string) => z.string().regex(pattern, what).transform(Number);
/** An address that paths are appended to. A wrong one is named and not quoted: it may hold a password. */
export const baseUrl = z
  .url({ protocol: /^https?$/ })
  .superRefine((text, context) => {
    if (!URL.canParse(text)) return; // Said already.
    const { username, password } = new URL(text);
    const surplus = [
      ...(username !== '' || password !== '' ? ['user and password'] : []),
      ...(text.includes('#') ? ['everything from # on'] : []),
      ...(/^[^#]*\?/.test(text) ? ['everything from ? on'] : []),
    ];
    if (surplus.length > 0) context.addIssue(`paths are appended to it: leave out ${surplus.join(' and ')}`);
  })
  .transform((url) => url.replace(/(?<!\/)\/+$/, ''))
  .optional();

/** A host to listen on. */
export const listeningHost = z.string().refine(isHost, 'is neither a host name nor an IP address').default('127.0.0.1');

/** Names separated by commas, each in the form that the certificate keeps. */
export const names = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((name) => {
      const known = asServerName(name);
      if (known !== undefined) return [known];
      context.addIssue(`"${name.trim()}" is neither a host name nor an IP address`);
      return [];
    }),
  )
  .default([]);

/** Addresses and ranges separated by commas. */
export const ranges = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written) => {
      const range = readRange(written);
      if (!('problem' in range)) return [range];
      context.addIssue(`"${written.trim()}" ${range.problem}`);
      return [];
    }),
  )
  .default([]);

/** Networks, hosts and ports of the house, separated by commas. */
export const homeEntries = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written): HomeEntry[] => {
      const entry = readHomeEntry(written);
      if (!('mistake' in entry)) return [entry];
      context.addIssue(`"${written.trim()}" ${entry.mistake}`);
      return [];
    }),
  )
  .default([]);

/** Ids of organizations separated by commas. */
export const organizationIds = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written) => {
      if (isId(written.trim())) return [written.trim()];
      context.addIssue(`"${written.trim()}" is no id of an organization, which GET /organizations/ shows`);
      return [];
    }),
  )
  .default([]);

/** Origins separated by commas, each as browsers write it. */
export const origins = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written) => {
      const origin = readOrigin(written);
      if (typeof origin === 'string') return [origin];
      context.addIssue(`"${written.trim()}" ${origin.problem}`);
      return [];
    }),
  )
  .default([]);

/** Catalogues of integrations separated by commas: addresses, and paths of files. One is not quoted: it may hold a secret. */
export const catalogues = z
  .string()
  .transform((text, context) =>
    text.split(',').flatMap((written, index) => {
      const source = written.trim();
      const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(source);
      const fits = isAddress
        ? /^https?:/i.test(source) && URL.canParse(source) && !/^[^/]*\/\/[^/]*@/.test(source)
        : source !== '';
      if (fits) return [source];
      context.addIssue(
        `number ${index + 1} is neither an http or https address (without user and password) nor a path`,
      );
      return [];
    }),
  )
  .default([]);
