/** A manifest as an entry of a catalogue, with its icon made small enough for the document. */
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { ImageOptions, NormalizedImage } from '../images/normalize-image.ts';
import { type ListedIntegration, listedIntegration } from './catalogue-document.ts';

/** Decodes pictures of strangers, away from this process. */
export type DecodeIcon = (image: Buffer, options: ImageOptions) => Promise<NormalizedImage>;

/** The longest icon that is read, in bytes. */
export const maxIconBytes = 4 * 2 ** 20;

/** The side of an icon in a catalogue: twice the side at which the console shows it. Any picture of it stays below 64 KiB. */
const iconSide = 96;

/** The sharer of what catalogues have to do. */
export const catalogueSharer = ['operator', 'catalogues'] as const;

/**
 * Makes an icon small enough for a catalogue. The same bytes give the same picture.
 * @returns a `data:` address, or why there is none
 */
export async function shrinkIcon(decode: DecodeIcon, bytes: Buffer): Promise<string | Reason> {
  if (bytes.length > maxIconBytes) return reasonOf('document-too-long', { most: maxIconBytes / 2 ** 20 });
  const picture = await decode(bytes, { sharer: catalogueSharer, maxSide: iconSide }).catch(() => undefined);
  return picture?.ok === true
    ? `data:image/png;base64,${picture.bytes.toString('base64')}`
    : reasonOf('icon-not-a-picture');
}

/** Returns a manifest as an entry; undefined where it does not say what it is called. */
export function entryOfManifest(
  manifest: Readonly<Record<string, unknown>>,
  configUrl: string,
  picture: string | undefined,
): ListedIntegration | undefined {
  const { name, description, language } = manifest;
  const tags = (Array.isArray(language) ? language : [language]).filter((tag) => typeof tag === 'string');
  const entry = listedIntegration.safeParse({
    name: typeof name === 'string' ? name.trim().slice(0, 200) : undefined,
    configUrl,
    ...(typeof description === 'string' && { description: description.slice(0, 1_000) }),
    ...(tags.length > 0 && { languages: tags.filter((tag) => tag.length <= 35).slice(0, 50) }),
    ...(picture !== undefined && { picture }),
  });
  return entry.success ? entry.data : undefined;
}
