/** The format of a catalogue: a JSON document in which a publisher lists integrations. */

import { z } from 'zod';
import { said } from '../../runtime/said-sentence.ts';

const maxIntegrations = 500;
const maxPictureCharacters = 90_000;

/** A small picture within the document: nothing is fetched for it, by the service or by a browser. */
const embeddedPicture = z
  .string()
  .max(maxPictureCharacters)
  .regex(/^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/, 'a data: address of a PNG, JPEG or WebP');

/** One integration, as a catalogue lists it. */
export const listedIntegration = z.object({
  name: z.string().trim().min(1).max(200),
  configUrl: z
    .string()
    .max(2_000)
    .regex(/^https?:\/\//, 'the address of its config.json, http or https'),
  description: z.string().max(1_000).optional(),
  publisher: z.string().max(200).optional(),
  languages: z.array(z.string().max(35)).max(50).optional().describe('Language tags, such as `en` or `de-AT`'),
  picture: embeddedPicture.optional().describe('A `data:` address of a PNG, JPEG or WebP of 64 KiB at most'),
});

/** The whole document. Further fields are allowed everywhere, and ignored. */
export const catalogueDocument = z.object({
  name: z.string().trim().min(1).max(200).describe('What the catalogue is called'),
  integrations: z.array(z.unknown()).max(maxIntegrations),
});

export type ListedIntegration = z.output<typeof listedIntegration>;

/** What a document holds: the entries that fit, and what is wrong with the others. */
export interface CatalogueContent {
  readonly name: string;
  readonly integrations: readonly ListedIntegration[];
  readonly leftOut: readonly string[];
}

/**
 * Reads a document. An entry that does not fit is left out by itself.
 * @throws Error that says what is wrong with the whole
 */
export function readCatalogueDocument(text: string): CatalogueContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(said('document-not-json'));
  }
  const document = catalogueDocument.safeParse(value);
  if (!document.success) throw new Error(said('not-a-catalogue', { because: problemOf(document.error) }));
  const integrations: ListedIntegration[] = [];
  const leftOut: string[] = [];
  for (const [index, entry] of document.data.integrations.entries()) {
    const read = listedIntegration.safeParse(entry);
    if (read.success) integrations.push(read.data);
    else leftOut.push(said('entry-left-out', { entry: index + 1, because: problemOf(read.error) }));
  }
  return { name: document.data.name, integrations, leftOut };
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'malformed'}`;
}
