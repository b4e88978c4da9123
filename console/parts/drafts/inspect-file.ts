/** Looks into a file before it is decoded: its type, its size, and whether it is complete. */

/** Why a file is not taken; the catalogue has the words under `send.refused.…`. */
export type FileTrouble = 'heic' | 'pdf' | 'video' | 'large' | 'broken' | 'other';

/** The facts in the bytes of a file. */
export interface FileFacts {
  readonly kind: 'jpeg' | 'png' | 'webp' | 'gif' | 'heic' | 'pdf' | 'video' | 'other';
  /** Its pixels, where the header gives them. */
  readonly pixels: number | undefined;
  /** A JPEG or PNG that ends before its end. */
  readonly isCut: boolean;
}

/** More than this a phone's browser cannot hold decoded. */
export const maxPixels = 150_000_000;
/** Files beyond this are not even read. */
export const maxFileBytes = 200 * 1024 * 1024;

const heicBrands = ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'];

/** Inspects the bytes of a file, whatever its name says. */
export function inspectFile(bytes: Uint8Array): FileFacts {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (at: number, length: number): string => String.fromCharCode(...bytes.subarray(at, at + length));
  const plain = (kind: FileFacts['kind'], pixels?: number): FileFacts => ({ kind, pixels, isCut: false });
  if (text(0, 5) === '%PDF-') return plain('pdf');
  if (text(4, 4) === 'ftyp') return plain(heicBrands.includes(text(8, 4)) ? 'heic' : brandOf(text(8, 4)));
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') {
    const pixels = bytes.length < 24 ? undefined : view.getUint32(16) * view.getUint32(20);
    return { kind: 'png', pixels, isCut: !text(Math.max(0, bytes.length - 4096), 4096).includes('IEND') };
  }
  if (/^GIF8[79]a/.test(text(0, 6)) && bytes.length >= 10)
    return plain('gif', view.getUint16(6, true) * view.getUint16(8, true));
  if (text(0, 4) === 'RIFF' && text(8, 4) === 'WEBP') {
    return { kind: 'webp', pixels: undefined, isCut: bytes.length < 8 || view.getUint32(4, true) + 8 > bytes.length };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return inspectJpeg(bytes, view);
  return plain('other');
}

const brandOf = (brand: string): 'video' | 'other' => (/^(avif|avis)/.test(brand) ? 'other' : 'video');

/** Goes from marker to marker up to the pixels; the frame header gives the size. */
function inspectJpeg(bytes: Uint8Array, view: DataView): FileFacts {
  let pixels: number | undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && at + 9 <= bytes.length) pixels = view.getUint16(at + 5) * view.getUint16(at + 7);
    if (marker === 0xda) return { kind: 'jpeg', pixels, isCut: !hasEnd(bytes, at) };
    at += 2 + view.getUint16(at + 2);
  }
  return { kind: 'jpeg', pixels, isCut: true };
}

/** Phones put films behind the end of a picture, so the end may be anywhere after the pixels began. */
function hasEnd(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] === 0xd9) return true;
  }
  return false;
}
