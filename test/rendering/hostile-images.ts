/**
 * Files that people and integrations might send for a picture, and what the rules make of each (T-32): bombs, fakes,
 * oddities, and good pictures that carry something else. All are made here; none is larger than a megabyte.
 */
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import sharp from 'sharp';

/** What must come of a file: a problem, or a picture of a size whose pixel at the top left is of a colour. */
export type Outcome = 'unsupported' | 'too-many-pixels' | 'broken' | `${number}x${number} #${string}`;

/** A file and its outcome. */
export interface HostileImage {
  readonly name: string;
  readonly bytes: Buffer;
  readonly outcome: Outcome;
}

const pngMagic = '\x89PNG\r\n\x1a\n';
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');
const fill = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 3, background } });

/** A chunk of a PNG. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([bytesOf(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** What a PNG's header says, and how many zero bytes its data inflate to. */
interface PngMaking {
  readonly width: number;
  readonly height: number;
  readonly depth?: number;
  readonly colourType?: number;
  readonly interlaced?: boolean;
  readonly inflatesTo?: number;
}

/** A PNG of nothing but zeros; unless said otherwise one bit a pixel, and as many of them as the header announces. */
export function zeroPng({
  width,
  height,
  depth = 1,
  colourType = 0,
  interlaced = false,
  inflatesTo,
}: PngMaking): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colourType, 0, 0, interlaced ? 1 : 0], 8);
  const whole = (1 + Math.ceil((width * depth) / 8)) * height;
  return Buffer.concat([
    bytesOf(pngMagic),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.alloc(inflatesTo ?? whole))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

const afterHeader = 8 + 25;
/** A PNG with further chunks after its header. */
function withChunks(png: Buffer, ...chunks: Buffer[]): Buffer {
  return Buffer.concat([png.subarray(0, afterHeader), ...chunks, png.subarray(afterHeader)]);
}

/** A JPEG with further segments after its first two bytes. */
function withSegments(jpeg: Buffer, ...segments: (readonly [marker: number, data: Buffer])[]): Buffer {
  const made = segments.map(([marker, data]) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(data.length + 2, 2);
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([jpeg.subarray(0, 2), ...made, jpeg.subarray(2)]);
}

/** A JPEG whose frame header says another size, or which has another kind of frame. */
function withFrame(
  jpeg: Buffer,
  { width, height, marker }: { width?: number; height?: number; marker?: number },
): Buffer {
  const changed = Buffer.from(jpeg);
  const at = [0xc0, 0xc2].map((kind) => changed.indexOf(Buffer.from([0xff, kind, 0]))).find((found) => found > 0) ?? -1;
  if (at < 0) throw new Error('no frame header');
  if (height !== undefined) changed.writeUInt16BE(height, at + 5);
  if (width !== undefined) changed.writeUInt16BE(width, at + 7);
  if (marker !== undefined) changed[at + 1] = marker;
  return changed;
}

/** Raw frames of one colour each, stacked as the image library takes an animation. */
async function animation(colours: readonly string[], side: number) {
  const frames = await Promise.all(colours.map((colour) => fill(side, side, colour).raw().toBuffer()));
  const raw = { width: side, height: side * colours.length, channels: 3, pageHeight: side } as const;
  return sharp(Buffer.concat(frames), { raw });
}

/** A WebP container of these chunks. */
function riff(form: string, ...chunks: (readonly [name: string, data: Buffer])[]): Buffer {
  const parts = chunks.flatMap(([name, data]) => {
    const head = Buffer.alloc(8);
    head.write(name, 'latin1');
    head.writeUInt32LE(data.length, 4);
    return [head, data, Buffer.alloc(data.length % 2)];
  });
  const body = Buffer.concat([bytesOf(form), ...parts]);
  const head = Buffer.alloc(8);
  head.write('RIFF', 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body]);
}

/** The extended header of a WebP whose canvas has this size. */
function canvas(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10);
  data[0] = flags;
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return data;
}

const blue = '#336699';
const script = '<script>alert(document.domain)</script>';
/** The end of an archive of Java classes: read from the back, the whole file is one. */
const archive = Buffer.concat([bytesOf('PK\x03\x04'), Buffer.alloc(60), bytesOf('PK\x05\x06'), Buffer.alloc(18)]);

type Row = readonly [name: string, bytes: Buffer, outcome: Outcome];

/** Every file, made anew. */
export async function hostileImages(canary: string): Promise<readonly HostileImage[]> {
  const rows = [...(await pngs()), ...(await jpegs()), ...(await webps()), ...(await foreign(canary))];
  return rows.map(([name, bytes, outcome]) => ({ name, bytes, outcome }));
}

async function pngs(): Promise<Row[]> {
  const png = await fill(60, 40, blue).png().toBuffer();
  const good = '60x40 #336699';
  const inflating = deflateSync(Buffer.alloc(100_000_000), { level: 1 });
  const text = (extra: string, data: Buffer) => Buffer.concat([bytesOf(extra), data]);
  const noise = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7919) % 251));
  const wrongSum = Buffer.from(png);
  wrongSum[29] = (wrongSum[29] ?? 0) ^ 1;
  const animated = withChunks(
    png,
    pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
    pngChunk('fcTL', Buffer.concat([Buffer.from([0, 0, 0, 0, 0, 0, 0, 60, 0, 0, 0, 40]), Buffer.alloc(14)])),
  );
  const frame = deflateSync(Buffer.alloc((1 + 60 * 3) * 40, 0xff));
  const second = pngChunk('fdAT', Buffer.concat([Buffer.from([0, 0, 0, 1]), frame]));
  return [
    ['PNG of 40 megapixels', zeroPng({ width: 8000, height: 5000 }), '1600x1000 #000000'],
    ['PNG of a row more', zeroPng({ width: 8000, height: 5001 }), 'too-many-pixels'],
    ['PNG of a square more', zeroPng({ width: 6325, height: 6325 }), 'too-many-pixels'],
    [
      'interlaced PNG of 40 megapixels',
      zeroPng({ width: 8000, height: 5000, interlaced: true, inflatesTo: 6e6 }),
      '1600x1000 #000000',
    ],
    ['interlaced PNG of a row more', zeroPng({ width: 8000, height: 5001, interlaced: true }), 'too-many-pixels'],
    ['PNG as wide as can be said', zeroPng({ width: 0x7fffffff, height: 1, inflatesTo: 100 }), 'broken'],
    ['PNG of 60,000 pixels a side', zeroPng({ width: 60_000, height: 60_000, inflatesTo: 100 }), 'too-many-pixels'],
    ['PNG of no width', zeroPng({ width: 0, height: 40, inflatesTo: 100 }), 'broken'],
    ['PNG of no height', zeroPng({ width: 60, height: 0, inflatesTo: 100 }), 'broken'],
    ['PNG of 16,000x1', zeroPng({ width: 16_000, height: 1 }), '1600x1 #000000'],
    ['PNG of 1x16,000', zeroPng({ width: 1, height: 16_000 }), '1x1600 #000000'],
    ['PNG with less than its header says', zeroPng({ width: 800, height: 480, inflatesTo: 1_000 }), 'broken'],
    ['PNG with more than its header says', zeroPng({ width: 60, height: 40, inflatesTo: 90_000_000 }), '60x40 #000000'],
    ['PNG of a depth that does not exist', zeroPng({ width: 60, height: 40, depth: 3 }), 'broken'],
    ['PNG with a palette that is missing', zeroPng({ width: 60, height: 40, colourType: 3 }), 'broken'],
    ['PNG whose header has another sum', wrongSum, 'broken'],
    [
      'PNG of noise',
      Buffer.concat([png.subarray(0, afterHeader), pngChunk('IDAT', noise), pngChunk('IEND', Buffer.alloc(0))]),
      'broken',
    ],
    ...[8, 20, 33, 60, 100].map((bytes): Row => [`PNG cut after ${bytes} bytes`, png.subarray(0, bytes), 'broken']),
    ['PNG without its last chunk, which holds no pixel', png.subarray(0, -12), good],
    ['PNG with text that inflates to 100 MB', withChunks(png, pngChunk('zTXt', text('a\0\0', inflating))), good],
    [
      'PNG with international text that does',
      withChunks(png, pngChunk('iTXt', text('a\0\x01\0\0\0', inflating))),
      good,
    ],
    ['PNG with a profile that does', withChunks(png, pngChunk('iCCP', text('a\0\0', inflating))), good],
    [
      'PNG with 5,000 texts',
      withChunks(png, ...Array.from({ length: 5_000 }, (_, at) => pngChunk('tEXt', bytesOf(`a${at}\0b`)))),
      good,
    ],
    [
      'PNG with a megabyte of EXIF',
      withChunks(png, pngChunk('eXIf', Buffer.concat([bytesOf('MM\0*'), Buffer.alloc(1e6)]))),
      good,
    ],
    ['PNG with a script in its text', withChunks(png, pngChunk('tEXt', bytesOf(`Comment\0${script}`))), good],
    ['animated PNG', Buffer.concat([animated.subarray(0, -12), second, animated.subarray(-12)]), good],
    ['PNG that is an archive too', Buffer.concat([png, archive]), good],
    ['PNG of 16 bits', await fill(60, 40, blue).toColourspace('rgb16').png().toBuffer(), good],
    [
      'transparent PNG',
      await sharp({ create: { width: 9, height: 9, channels: 4, background: '#33669900' } })
        .png()
        .toBuffer(),
      '9x9 #ffffff',
    ],
  ];
}

async function jpegs(): Promise<Row[]> {
  const exact = { quality: 100, chromaSubsampling: '4:4:4' } as const;
  const jpeg = await fill(60, 40, blue).jpeg(exact).toBuffer();
  const progressive = await fill(600, 400, blue)
    .jpeg({ ...exact, progressive: true })
    .toBuffer();
  const lastScan = progressive.subarray(progressive.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  const scans = Array.from({ length: 1_000 }, () => lastScan);
  const good = '60x40 #336699';
  const exif = (data: Buffer) => withSegments(jpeg, [0xe1, Buffer.concat([bytesOf('Exif\0\0'), data])]);
  // One entry, the orientation, and a next directory that is this one again.
  const orientation = (value: number) =>
    exif(Buffer.from([...bytesOf('MM\0*'), 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 8]));
  const segment = Buffer.alloc(65_000, 'x');
  const profile = Array.from({ length: 15 }, (_, at) => {
    return [0xe2, Buffer.concat([bytesOf('ICC_PROFILE\0'), Buffer.from([at + 1, 15]), segment])] as const;
  });
  return [
    ['JPEG of 65,500 pixels a side', withFrame(jpeg, { width: 65_500, height: 65_500 }), 'too-many-pixels'],
    ['JPEG of 40 megapixels that are not there', withFrame(jpeg, { width: 8_000, height: 5_000 }), 'broken'],
    ['JPEG of no width', withFrame(jpeg, { width: 0 }), 'broken'],
    ['JPEG of no height', withFrame(jpeg, { height: 0 }), 'broken'],
    ['JPEG of a kind that nobody reads', withFrame(jpeg, { marker: 0xc3 }), 'broken'],
    [
      'JPEG of a thousand scans',
      Buffer.concat([progressive.subarray(0, -2), ...scans, progressive.subarray(-2)]),
      'broken',
    ],
    ['JPEG in name only', bytesOf('\xff\xd8\xff\xe0 and nothing else'), 'broken'],
    ...[3, 20, 200, jpeg.length - 20].map(
      (bytes): Row => [`JPEG cut after ${bytes} bytes`, jpeg.subarray(0, bytes), 'broken'],
    ),
    ['JPEG without its end', jpeg.subarray(0, -2), 'broken'],
    ['JPEG in CMYK', await fill(60, 40, '#ffffff').toColourspace('cmyk').jpeg(exact).toBuffer(), '60x40 #ffffff'],
    ['JPEG in gray', await fill(60, 40, '#808080').grayscale().jpeg(exact).toBuffer(), '60x40 #808080'],
    ['JPEG with a megabyte of profile', withSegments(jpeg, ...profile), good],
    [
      'JPEG with a megabyte of EXIF',
      withSegments(
        jpeg,
        ...Array.from({ length: 15 }, () => [0xe1, Buffer.concat([bytesOf('Exif\0\0MM\0*'), segment])] as const),
      ),
      good,
    ],
    ['JPEG with EXIF in a circle, on its side', orientation(6), '40x60 #336699'],
    ['JPEG that is turned in a way that does not exist', orientation(200), good],
    ['JPEG with a script as its comment', withSegments(jpeg, [0xfe, bytesOf(script)]), good],
    ['JPEG that is a page too', Buffer.concat([jpeg, bytesOf(`<html>${script}`)]), good],
    ['JPEG that is an archive too', Buffer.concat([jpeg, archive]), good],
    ['JPEG and another one', Buffer.concat([jpeg, progressive]), good],
  ];
}

async function webps(): Promise<Row[]> {
  const webp = await fill(60, 40, blue).webp({ lossless: true }).toBuffer();
  const many = await (
    await animation(
      Array.from({ length: 200 }, (_, at) => (at === 0 ? blue : '#ff0000')),
      8,
    )
  )
    .webp({ lossless: true })
    .toBuffer();
  const clear = await sharp({ create: { width: 9, height: 9, channels: 4, background: '#33669900' } })
    .webp()
    .toBuffer();
  const longer = Buffer.from(webp);
  longer.writeUInt32LE(0x7fffffff, 4);
  const lossless = webp.subarray(20);
  return [
    ['animated WebP', many, '8x8 #336699'],
    ['transparent WebP', clear, '9x9 #ffffff'],
    [
      'WebP with a canvas of 16,384 pixels a side',
      riff('WEBP', ['VP8X', canvas(16_384, 16_384)], ['VP8L', lossless]),
      'broken',
    ],
    [
      'WebP with another canvas than its picture',
      riff('WEBP', ['VP8X', canvas(600, 400)], ['VP8L', lossless]),
      'broken',
    ],
    [
      'animated WebP without a frame',
      riff('WEBP', ['VP8X', canvas(16_000, 16_000, 2)], ['ANIM', Buffer.alloc(6)]),
      'broken',
    ],
    ['WebP that says it is longer', longer, 'broken'],
    ...[12, 20, 30, webp.length - 4].map(
      (bytes): Row => [`WebP cut after ${bytes} bytes`, webp.subarray(0, bytes), 'broken'],
    ),
    ['WebP that is an archive too', Buffer.concat([webp, archive]), '60x40 #336699'],
    ['RIFF that is sound', riff('WAVE', ['fmt ', Buffer.alloc(16)]), 'unsupported'],
  ];
}

/** Formats that the image library could read, names that lie, and good beginnings. */
async function foreign(canary: string): Promise<Row[]> {
  const svg = (inside: string, before = '') =>
    bytesOf(`${before}<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40">${inside}</svg>`);
  const entity = `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y SYSTEM "${canary}">]>`;
  const gif = await (await animation([blue, '#ff0000'], 8)).gif().toBuffer();
  const tiff = (order: 'II*\0' | 'MM\0*' | 'II+\0') => Buffer.concat([bytesOf(order), Buffer.alloc(400, 0x7f)]);
  const plain = svg('');
  const rows: readonly (readonly [string, Buffer])[] = [
    ['nothing but a byte', Buffer.from([0xff])],
    ['SVG', plain],
    ['SVG with a script', svg(script)],
    ['SVG with outside entities', svg('<text>&x;&y;</text>', entity)],
    ['SVG that loads a picture', svg(`<image href="${canary}" width="9" height="9"/>`)],
    [
      'SVG with a page inside',
      svg(`<foreignObject><body xmlns="http://www.w3.org/1999/xhtml">${script}</body></foreignObject>`),
    ],
    ['SVG after a byte order mark', svg('', '\xef\xbb\xbf<?xml version="1.0"?>')],
    ['compressed SVG', gzipSync(plain)],
    ['animated GIF', gif],
    ['GIF that is an archive too', Buffer.concat([gif, archive])],
    ['AVIF', await fill(16, 16, blue).avif().toBuffer()],
    ['HEIC', bytesOf('\0\0\0\x18ftypheic\0\0\0\0mif1heic')],
    ['film', bytesOf('\0\0\0\x18ftypisom\0\0\x02\0isomiso2')],
    ['TIFF', await fill(60, 40, blue).tiff().toBuffer()],
    ['TIFF bomb', tiff('II*\0')],
    ['TIFF bomb, the other way round', tiff('MM\0*')],
    ['BigTIFF bomb', tiff('II+\0')],
    ['JPEG 2000', bytesOf('\0\0\0\x0cjP  \r\n\x87\n')],
    ['JPEG XL', bytesOf('\xff\x0a\x00\x00')],
    ['BMP', bytesOf(`BM${'\0'.repeat(60)}`)],
    ['icon', Buffer.from([0, 0, 1, 0, 1, 0, 16, 16, 0, 0])],
    ['Photoshop', bytesOf('8BPS\0\x01\0\0\0\0\0\0\0\x03')],
    ['PDF', bytesOf('%PDF-1.7')],
    ['PostScript', bytesOf('%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) (r) file')],
    ['portable pixmap bomb', bytesOf('P6 100000 100000 255\n')],
    ["the library's own format", bytesOf('\x08\xf2\xa6\xb6')],
    ['image script', bytesOf("push graphic-context\nfill 'url(https://127.0.0.1/)'")],
    ['text', bytesOf('this is a picture, honestly')],
    ['page', bytesOf(`<html>${script}`)],
    ['archive', archive],
    ['program', bytesOf('\x7fELF\x02\x01\x01')],
    ['PNG magic without its first byte', bytesOf('PNG\r\n\x1a\n')],
  ];
  return [
    ...rows.map(([name, bytes]): Row => [name, bytes, 'unsupported']),
    ...['\xff\xd8\xff', pngMagic, 'RIFF\0\0\0\0WEBP'].map(
      (magic): Row => [`SVG behind ${JSON.stringify(magic)}`, Buffer.concat([bytesOf(magic), plain]), 'broken'],
    ),
  ];
}
