/** The settings of a source that is an Immich server, and the logins that open it. */
import { z } from 'zod';
import { immichIdForm, immichKeyForm } from './read-immich-address.ts';

const ids = z.array(z.string().regex(immichIdForm)).min(1).max(50);

/** The part of a library that a source takes. */

export const immichChoice = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('albums'), ids }).describe('what is in any of these albums'),
  z.strictObject({ by: z.literal('people'), ids }).describe('pictures of any of these people'),
  z.strictObject({ by: z.literal('favourites') }).describe('favourites of the owner of the key'),
  z.strictObject({ by: z.literal('memories') }).describe('pictures of this day in other years'),
  z
    .strictObject({ by: z.literal('search'), text: z.string().trim().min(1).max(200) })
    .describe('the 250 pictures that match a text best, as the server’s smart search finds them'),
  z.strictObject({ by: z.literal('link') }).describe('what the shared link of the login shows'),
]);

/** The settings of a source. Without a choice nothing is listed: the address and the login can be tried, and `choices` asked. */
export const immichSettings = z.strictObject({
  /** The server as `readImmichAddress` returns it. */
  server: z.string().min(1).max(2_000),
  choice: immichChoice.optional(),
});

/** A login: an API key, or a shared link with its password. */
export const immichLogin = z.union([
  z.strictObject({ apiKey: z.string().trim().min(1).max(500) }),
  z.strictObject({ linkKey: z.string().regex(immichKeyForm), password: z.string().min(1).max(500).optional() }),
  z.strictObject({ linkSlug: z.string().min(1).max(200), password: z.string().min(1).max(500).optional() }),
]);

export type ImmichSettings = z.output<typeof immichSettings>;
export type ImmichLogin = z.output<typeof immichLogin>;
export type ImmichChoice = NonNullable<ImmichSettings['choice']>;
