/** The format of a catalogue: a JSON document in which a publisher lists integrations. */

import { z } from 'zod';
import { type Because, type Reason, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { reasonOfIssue, wrongField } from '../http/fit-schema.ts';

const maxIntegrations = 500;
const maxPictureCharacters = 90_000;

/** A small picture within the document: nothing is fetched for it, by the service or by a browser. */
const embeddedPicture = z
  .string()
  .max(maxPictureCharacters)
  .regex(/^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/, wrongField('field-not-embedded-picture'));

/** One integration, as a catalogue lists it. */
export const listedIntegration = z.object({
  name: z.string().trim().min(1).max(200),
  configUrl: z
    .string()
    .max(2_000)
    .regex(/^https?:\/\//, wrongField('field-not-manifest-address')),
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

/** The content of a document: the entries that fit, and the reasons for those left out. */
export interface CatalogueContent {
  readonly name: string;
  readonly integrations: readonly ListedIntegration[];
  readonly leftOut: readonly Reason[];
  /** The icons that listed entries lack, with the reason. */
  readonly notes?: readonly Reason[];
}

/**
 * Reads a document. An invalid entry is left out; the others stay.
 * @throws ReasonedError that states why the whole document is invalid
 */
export function readCatalogueDocument(text: string): CatalogueContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReasonedError(reasonOf('document-not-json'));
  }
  const document = catalogueDocument.safeParse(value);
  if (!document.success) throw new ReasonedError(reasonOf('not-a-catalogue', { because: problemOf(document.error) }));
  const integrations: ListedIntegration[] = [];
  const leftOut: Reason[] = [];
  for (const [index, entry] of document.data.integrations.entries()) {
    const read = listedIntegration.safeParse(entry);
    if (read.success) integrations.push(read.data);
    else leftOut.push(reasonOf('entry-left-out', { entry: index + 1, because: problemOf(read.error) }));
  }
  return { name: document.data.name, integrations, leftOut };
}

function problemOf({ issues: [issue] }: z.ZodError): Because {
  return issue === undefined ? 'it: malformed' : reasonOfIssue(issue, issue.path.join('.') || 'it');
}
