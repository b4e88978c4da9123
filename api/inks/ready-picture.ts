/**
 * Finds out how a device-ready picture was rotated (docs/decisions/0019). Some clients send it as a person sees it,
 * some as the panel stores it, and the vendor's editor in a third way. Its size leaves at most two of them, half a turn
 * apart.
 */
import { epd13, type Orientation, type Panel, type Rotation, viewSize } from '../../firmware-protocol/panels.ts';
import { openImage, readImageHeader } from '../images/configure-sharp.ts';

/** The facts about a device-ready picture. */
export interface ReadyOptions {
  readonly panel: Panel;
  readonly orientation: Orientation;
  /** The picture it was made from, as a person sees it. */
  readonly original?: Buffer | undefined;
  /** The picture came in a form that the vendor's editor alone sends. */
  readonly isFromEditor: boolean;
}

type Size = ReturnType<typeof viewSize>;

/**
 * Returns the rotation that the vendor's editor gives a picture, clockwise from the person's view, read in its source.
 */
function editorRotation(panel: Panel, orientation: Orientation): Rotation {
  if (orientation === 'portrait') return 90;
  return panel.name === epd13.name ? 0 : 180;
}

/**
 * Returns a device-ready picture as a person sees it.
 * @returns PNG, or undefined when it has another size than the panel
 */
export async function readyPicture(image: Buffer, options: ReadyOptions): Promise<Buffer | undefined> {
  const { panel, orientation } = options;
  const view = viewSize(panel, orientation);
  const header = await readImageHeader(image);
  const fits = (rotation: Rotation): boolean => {
    const [width, height] = rotation % 180 === 0 ? [view.width, view.height] : [view.height, view.width];
    return header.width === width && header.height === height;
  };
  const known: readonly Rotation[] = [0, panel.rotation[orientation], editorRotation(panel, orientation)];
  const [first, second] = new Set(known.filter(fits));
  if (first === undefined) return undefined;
  const rotation = second === undefined ? first : await chooseRotation(image, view, options, [first, second]);
  return rotation === 0 ? image : rotatedBack(image, rotation).png({ compressionLevel: 6 }).toBuffer();
}

const rotatedBack = (image: Buffer, rotation: Rotation) => openImage(image).rotate((360 - rotation) % 360);

/** Chooses by the original; where both rotations look like it, or neither does, the sender's habit decides. */
async function chooseRotation(
  image: Buffer,
  view: Size,
  { panel, orientation, original, isFromEditor }: ReadyOptions,
  rotations: readonly [Rotation, Rotation],
): Promise<Rotation> {
  const seen = original === undefined ? undefined : await rotationByOriginal(image, original, view, rotations);
  return seen ?? (isFromEditor ? editorRotation(panel, orientation) : rotations[0]);
}

/** The correlation from which on two pictures show the same. */
const related = 0.5;
/** A smaller difference decides nothing: the picture looks alike both ways. */
const apart = 0.01;

async function rotationByOriginal(
  image: Buffer,
  original: Buffer,
  view: Size,
  [one, other]: readonly [Rotation, Rotation],
): Promise<Rotation | undefined> {
  const { width, height } = await readImageHeader(original);
  // A tall original of a wide picture was cut, or the paper hangs otherwise than it claims: nothing can be compared.
  if ((width - height) * (view.width - view.height) < 0) return undefined;
  const wanted = await smallPixels(openImage(original), view);
  const asOne = correlation(wanted, await smallPixels(rotatedBack(image, one), view));
  const asOther = correlation(wanted, await smallPixels(rotatedBack(image, other), view));
  if (Math.max(asOne, asOther) < related || Math.abs(asOne - asOther) < apart) return undefined;
  return asOne > asOther ? one : other;
}

/**
 * The longest side of compared pictures, in pixels: dots of a dithered picture melt into the colours they stand for.
 */
const comparedSide = 64;

/**
 * Reads a small version of the pixels, sRGB, three bytes each, cut to the shape of the panel as a fitted picture is.
 */
function smallPixels(image: ReturnType<typeof openImage>, { width, height }: Size): Promise<Uint8Array> {
  const scale = comparedSide / Math.max(width, height);
  return image
    .resize(Math.round(width * scale), Math.round(height * scale), { fit: 'cover' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
}

/**
 * Returns the correlation over the three channels together, from -1 to 1. Pairs of inks differ in the same direction by
 * name and by looks, so a picture in one set of colours never matches the other one better upside down.
 */
function correlation(one: Uint8Array, other: Uint8Array): number {
  const [ofOne, ofOther] = [channelMeans(one), channelMeans(other)];
  let [common, squaresOfOne, squaresOfOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const a = (one[at] as number) - (ofOne[at % 3] as number);
    const b = (other[at] as number) - (ofOther[at % 3] as number);
    common += a * b;
    squaresOfOne += a * a;
    squaresOfOther += b * b;
  }
  const squares = squaresOfOne * squaresOfOther;
  return squares === 0 ? 0 : common / Math.sqrt(squares);
}

function channelMeans(rgb: Uint8Array): readonly number[] {
  const sums = [0, 0, 0];
  for (let at = 0; at < rgb.length; at++) sums[at % 3] = (sums[at % 3] as number) + (rgb[at] as number);
  return sums.map((sum) => sum / (rgb.length / 3));
}
