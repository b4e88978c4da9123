/**
 * Recognises a picture that is dithered already, in the colours that inks look like, as the vendor's editor sends its
 * preview (docs/decisions/0019). Dithered as it is it would come out dark: its white is the gray of paper.
 */
import { namedPalettes, type PanelColour } from '../../firmware-protocol/palettes.ts';
import { openImage, openPixels, readImageHeader } from '../images/configure-sharp.ts';

/** The pixels of the largest picture that is looked at: the editor draws for panels, photographs are larger. */
const maxPixels = 2_000_000;

const palettes: readonly (readonly PanelColour[])[] = [...new Set(namedPalettes.values())];

/** Stored pictures are PNG, whatever was sent. */
const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const colourNumber = (hex: string): number => Number.parseInt(hex.slice(1), 16);

/**
 * Draws a picture that holds nothing but two or more inks, as one known palette shows them, in the colours that the
 * inks are named after.
 * @returns PNG, or undefined for every other picture
 */
export async function inNamedInks(image: Uint8Array): Promise<Buffer | undefined> {
  if (!pngSignature.equals(image.subarray(0, pngSignature.length))) return undefined;
  // The step that prepares the picture reports why it cannot be read.
  const header = await readImageHeader(image).catch(() => undefined);
  if (header === undefined || header.width * header.height > maxPixels) return undefined;
  const { data, info } = await openImage(image).autoOrient().toColourspace('srgb').raw().toBuffer({
    resolveWithObject: true,
  });
  if (info.channels < 3) return undefined;
  for (const palette of palettes) {
    const named = renameInks(data, info.channels, palette);
    if (named !== undefined) return openPixels(named, info.width, info.height).png({ compressionLevel: 6 }).toBuffer();
  }
  return undefined;
}

function renameInks(data: Uint8Array, channels: number, palette: readonly PanelColour[]): Uint8Array | undefined {
  const names = new Map(palette.map(({ measured, nominal }) => [colourNumber(measured), colourNumber(nominal)]));
  const rgb = new Uint8Array((data.length / channels) * 3);
  const used = new Set<number>();
  for (let from = 0, to = 0; from < data.length; from += channels, to += 3) {
    const seen = ((data[from] as number) << 16) | ((data[from + 1] as number) << 8) | (data[from + 2] as number);
    const name = names.get(seen);
    if (name === undefined || (channels > 3 && data[from + 3] !== 255)) return undefined;
    used.add(name);
    rgb[to] = name >> 16;
    rgb[to + 1] = (name >> 8) & 255;
    rgb[to + 2] = name & 255;
  }
  return used.size > 1 ? rgb : undefined;
}
