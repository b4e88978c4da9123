/**
 * Pictures: their headers and boxes are read here, where coverage guides the inputs; some of them are decoded as well, in
 * processes of their own as in the service.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { bareImage, type PlainFormat } from '../../../api/images/bare-image/bare-image.ts';
import { countScans } from '../../../api/images/bare-image/bare-jpeg.ts';
import { captureFacts } from '../../../api/images/capture-facts.ts';
import { maxImagePixels, readImageHeader } from '../../../api/images/configure-sharp.ts';
import { heifExif } from '../../../api/images/heif-exif.ts';
import { heifFormat } from '../../../api/images/heif-format.ts';
import { BrokenBoxes, readHeifItems, withoutTransforms } from '../../../api/images/heif-items.ts';
import { imageProcesses } from '../../../api/images/image-process/image-process.ts';
import { judgeItems } from '../../../api/images/judge-items.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { type FuzzTarget, insist } from '../target.ts';

const formats = ['jpeg', 'png', 'webp', 'gif', 'heic', 'avif'] as const;
const plain: readonly PlainFormat[] = ['jpeg', 'png', 'webp', 'gif'];
/** The beginnings by which the service knows them, in words of our own. */
const beginnings: Readonly<Record<PlainFormat, RegExp>> = {
  jpeg: /^\xff\xd8\xff/,
  png: /^\x89PNG\r\n/,
  webp: /^RIFF.{4}WEBP/s,
  gif: /^GIF8[79]a/,
};

/** One of so many inputs is decoded. */
const decodedOf = 64;

const words =
  '\xff\xd8\xff|\xff\xd9|\xff\xda\x00\x08\x01|\xff\xe1\x00\x1cExif\x00\x00|\xff\xe2\x00\x20ICC_PROFILE\x00\x01\x01|\xff\xee\x00\x0eAdobe|\xff\xc0\x00\x0b\x08|\xff\xfe\x00\x02|\x89PNG\r\n\x1a\n|IHDR|IDAT|IEND|iCCP|sRGB|gAMA|eXIf|acTL|tRNS|GIF89a|!\xf9\x04|RIFF|WEBP|VP8 |VP8L|VP8X|ANMF|ANIM|ICCP|EXIF|MM\x00*\x00\x00\x00\x08|II*\x00\x08\x00\x00\x00|\x01\x12\x00\x03\x00\x00\x00\x01|ftypheic|ftypavif|mif1|meta|pitm|iinf|infe|iloc|iref|dimg|auxl|iprp|ipco|ipma|ispe|irot|imir|clap|auxC|colr|idat|mdat|acsp|rTRC|para|curv|hdrgm:Version'.split(
    '|',
  );

/** Writes the right checksums into a PNG's chunks. */
function mend(input: Buffer): Buffer {
  const mended = Buffer.from(input);
  if (mended.toString('latin1', 1, 4) !== 'PNG') return mended;
  for (let at = 8; at + 12 <= mended.length; ) {
    const end = at + 12 + mended.readUInt32BE(at);
    if (end > mended.length) break;
    mended.writeUInt32BE(crc32(mended.subarray(at + 4, end - 4)), end - 4);
    at = end;
  }
  return mended;
}

/** Runs what may refuse boxes that contradict themselves, and nothing else. */
function boxes(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BrokenBoxes)) throw error;
  }
}

function readHeads(input: Buffer): void {
  const { orientation, width, height, taken } = captureFacts(input);
  insist(Number.isInteger(orientation) && orientation >= 1 && orientation <= 8, 'an orientation that is none');
  for (const side of [width, height]) {
    insist(side === undefined || (Number.isInteger(side) && side >= 0), 'a side that is not a number of pixels');
  }
  insist(taken === undefined || Number.isFinite(Date.parse(`${taken}Z`)), 'a date that is none');
  const format = plain.find((one) => beginnings[one].test(input.toString('latin1', 0, 12)));
  const bare = format && bareImage(input, format);
  // Of a picture that is cut off, the end that was made up is cut off again.
  if (format !== undefined && bare !== undefined && !bare.notes.includes('end-missing')) {
    const again = bareImage(bare.bytes, format);
    insist(again?.bytes.equals(bare.bytes) === true, `a bare ${format} is not bare`);
    if (format === 'jpeg') insist(countScans(bare.bytes) <= 64, 'a JPEG of too many scans');
  }
  boxes(() => {
    const items = readHeifItems(input);
    judgeItems(items);
    insist(withoutTransforms(input, items).length === input.length, 'a file of another length');
  });
  boxes(() => heifExif(input));
  heifFormat(input);
}

export async function openImages(): Promise<FuzzTarget> {
  let gone = '';
  const processes = imageProcesses(systemClock, {
    warn(fields, message) {
      gone = `${message}: ${JSON.stringify(fields)}`;
    },
  });
  async function decode(input: Buffer): Promise<void> {
    const made = await processes.normalizeImage(input, { sharer: ['fuzz'], formats });
    insist(gone === '', `the process of pictures ended: ${gone}`);
    if (!made.ok) return;
    const { format, width, height } = await readImageHeader(made.bytes);
    insist(format === 'png' || format === 'jpeg', 'a picture of another format was made');
    insist(
      width <= 1600 && height <= 1600 && width * height <= maxImagePixels,
      'a picture is larger than was asked for',
    );
    insist(captureFacts(input).orientation <= 8, 'an orientation that is none');
  }
  return {
    guides: ['api/images/'],
    words,
    maxBytes: 8_192,
    maxMs: 3_000,
    mend,
    async run(input) {
      readHeads(input);
      if (createHash('sha256').update(input).digest().readUInt8() % decodedOf === 0) await decode(input);
    },
    close: async () => processes.stop(),
  };
}
