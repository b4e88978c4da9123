/** Passkeys on the wire: what browsers send, and what they are answered. */
import { z } from 'zod';

export const passkeyName = z.string().trim().min(1).max(80).describe('of the device');

/** A passkey, as its person sees it. */
export const passkeyShown = z
  .object({
    id: z.string(),
    name: z.string(),
    address: z.string().describe('the name of the service at which it works'),
    worksHere: z.boolean().describe('the caller uses the service by that name'),
    createdAt: z.string(),
    usedAt: z.string().nullable(),
    blockedAt: z.string().nullable().describe('when it was seen that there may be a copy of it'),
    endsWithKey: z.string().nullable().describe('the name of the API key with which it ends'),
  })
  .meta({ id: 'Passkey' });

/** Bytes as browsers write them. */
const bytes = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[\w-]+={0,2}$/);
const credential = { id: bytes(1_400), rawId: bytes(1_400), type: z.literal('public-key') };
/** The browser's answer after a passkey was made on its device. Fields that are not named are not read. */
export const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(8_000),
    attestationObject: bytes(64_000),
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
});
/** The browser's answer when somebody signs in with a passkey. Fields that are not named are not read. */
export const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes(8_000),
    authenticatorData: bytes(8_000),
    signature: bytes(8_000),
    userHandle: bytes(200).optional(),
  }),
});

/** The options with which the browser asks the device. */
export const optionsShown = z
  .looseObject({ challenge: z.string() })
  .describe('what the browser asks the device for (WebAuthn)');
