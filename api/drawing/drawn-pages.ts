/** The pictures that pages of recipes became, in memory: a page that comes again as it was starts no browser. */
import { hash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { RenderedPicture } from './wanted-picture.ts';

/** A picture that was drawn. */
type DrawnPicture = Extract<RenderedPicture, { readonly ok: true }>;

/** The pictures of a process, the latest ones. They are known by everything that they were made of. */
export interface DrawnPages {
  find(madeOf: unknown): DrawnPicture | undefined;
  keep(madeOf: unknown, picture: DrawnPicture): void;
}

/** The bytes of all pictures, packed. One of the usual screen takes some kilobytes, one of the largest some hundreds. */
const maxBytes = 8 * 2 ** 20;

/** Opens the memory of a process. */
export function drawnPages(): DrawnPages {
  const pictures = new Map<string, DrawnPicture>();
  let bytes = 0;

  function forget(name: string): void {
    bytes -= pictures.get(name)?.file.length ?? 0;
    pictures.delete(name);
  }

  return {
    find(madeOf) {
      const picture = pictures.get(nameOf(madeOf));
      return picture && { ...picture, file: inflateRawSync(picture.file) };
    },
    keep(madeOf, picture) {
      const name = nameOf(madeOf);
      forget(name);
      const file = deflateRawSync(picture.file, { level: 1 });
      pictures.set(name, { ...picture, file });
      bytes += file.length;
      for (const oldest of pictures.keys()) {
        if (bytes <= maxBytes) break;
        forget(oldest);
      }
    },
  };
}

const nameOf = (madeOf: unknown): string => hash('sha256', JSON.stringify(madeOf));

/** The signs of something that comes from outside, or that runs while a page is drawn. */
const changes =
  /<(?:script|link|iframe|frame|object|embed|video|audio|meta|base)\b|\b(?:src|srcset|href|poster|data|on[a-z]+)\s*=|url\s*\(|image-set|@import|<!entity/i;

/** Returns whether HTML is drawn alike whenever it is drawn: it brings nothing from outside and runs nothing. */
export const isDrawnAlike = (html: string): boolean => !changes.test(html);
