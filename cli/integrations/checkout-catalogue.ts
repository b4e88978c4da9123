/** The catalogue of a checkout: the document in which a host lists all of its integrations. */
import { readFile } from 'node:fs/promises';
import type { ListedIntegration } from '../../api/integration/catalogue-document.ts';
import { type DecodeIcon, entryOfManifest, maxIconBytes, shrinkIcon } from '../../api/integration/entry-of-manifest.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type Checkout, fileWithin, manifestWithin, slugsOf } from './checkout.ts';

/** The document, and what is not in it with the reason. */
export interface CheckoutCatalogue {
  readonly document: { readonly name: string; readonly integrations: readonly ListedIntegration[] };
  readonly leftOut: readonly string[];
}

/** Catalogues have at most so many entries. */
const maxIntegrations = 500;

/** Makes the catalogue. The same files give the same bytes. */
export async function catalogueOfCheckout(
  checkout: Checkout,
  { name, base, decode }: { readonly name: string; readonly base: string; readonly decode: DecodeIcon },
): Promise<CheckoutCatalogue> {
  const integrations: ListedIntegration[] = [];
  const leftOut: string[] = [];
  const slugs = await slugsOf(checkout);
  for (const slug of slugs.slice(0, maxIntegrations)) {
    const manifest = await manifestWithin(checkout, slug);
    if (typeof manifest === 'string') {
      leftOut.push(`${slug}: its config.json is ${manifest}`);
      continue;
    }
    const icon = await iconOf(checkout, slug, { icon: manifest.icon, decode });
    if ('missing' in icon) leftOut.push(`${slug}: ${icon.missing}`);
    const entry = entryOfManifest(
      manifest,
      `${base}/${slug}/config.json`,
      'picture' in icon ? icon.picture : undefined,
    );
    if (entry === undefined) leftOut.push(`${slug}: its config.json has no name`);
    else integrations.push(entry);
  }
  if (slugs.length > maxIntegrations) leftOut.push(`all after the first ${maxIntegrations} integrations`);
  return { document: { name, integrations }, leftOut };
}

type Icon = { readonly picture: string | undefined } | { readonly missing: string };

async function iconOf(
  checkout: Checkout,
  slug: string,
  { icon, decode }: { readonly icon: unknown; readonly decode: DecodeIcon },
): Promise<Icon> {
  if (typeof icon !== 'string') return { picture: undefined };
  const segments = icon.replace(/^\.\//, '').split('/');
  const file = await fileWithin(checkout, [checkout.applications, slug], segments);
  if (file === undefined || file.bytes > maxIconBytes) {
    return { missing: file === undefined ? 'its icon is not there' : 'its icon is too large' };
  }
  const shrunk = await shrinkIcon(decode, await readFile(file.path));
  return typeof shrunk === 'string' ? { picture: shrunk } : { missing: `its icon: ${wordsOf(shrunk)}` };
}
