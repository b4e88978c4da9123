/**
 * Reads what the boxes of HEIC, HEIF and AVIF (ISO/IEC 14496-12 and 23008-12) state about the items of a file, before
 * anything is decoded: what each is made of, its size, and how it is turned and cropped.
 */

/** The steps that change a decoded picture into the one that a person sees, in the order in which they are applied. */
export type Transform =
  /** Quarters of a turn, against the clock. */
  | { readonly kind: 'turn'; readonly quarters: number }
  | { readonly kind: 'mirror'; readonly leftRight: boolean }
  /** A size in pixels, and how far its centre lies from that of the picture. */
  | {
      readonly kind: 'crop';
      readonly width: number;
      readonly height: number;
      readonly right: number;
      readonly down: number;
    };

export interface HeifFileItem {
  /** The pixels that it announces, which is undefined where it announces none. */
  readonly pixels: number | undefined;
  /** Its announced size, before its transforms. */
  readonly size: readonly [width: number, height: number] | undefined;
  readonly transforms: readonly Transform[];
  readonly isAlpha: boolean;
  /** The places in the file that give the item its transforms. Zeros there take them away. */
  readonly transformedAt: readonly (readonly [start: number, end: number])[];
}

/** The items of a file. */
export interface HeifItems {
  readonly primary: number | undefined;
  readonly items: ReadonlyMap<number, HeifFileItem>;
  /** The items that each item is made of, in their order; one may be there many times. */
  readonly parts: ReadonlyMap<number, readonly number[]>;
  /** The items that go with each item, such as its transparency. */
  readonly auxiliaries: ReadonlyMap<number, readonly number[]>;
}

/** The boxes, properties and references of a photograph are some hundreds. */
const maxEntries = 65_536;

/** Thrown for boxes that contradict themselves. */
export class BrokenBoxes extends Error {}

/** A box of a file: the place of what it holds. */
export interface HeifBox {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads the items.
 * @throws BrokenBoxes, also for more entries than any photograph has
 */
export function readHeifItems(bytes: Buffer): HeifItems {
  const found = { items: new Map(), parts: new Map(), auxiliaries: new Map(), primary: undefined };
  try {
    const meta = boxesIn(bytes, 0, bytes.length).find(({ name }) => name === 'meta');
    return meta === undefined ? found : readMeta(bytes, boxesIn(bytes, meta.start + 4, meta.end));
  } catch (error) {
    // A number that lies beyond the file.
    if (error instanceof RangeError) throw new BrokenBoxes(error.message);
    throw error;
  }
}

function readMeta(bytes: Buffer, boxes: readonly HeifBox[]): HeifItems {
  const named = (within: readonly HeifBox[], name: string): HeifBox | undefined =>
    within.find((box) => box.name === name);
  const [pitm, iref, iprp] = ['pitm', 'iref', 'iprp'].map((name) => named(boxes, name));
  const within = iprp === undefined ? [] : boxesIn(bytes, iprp.start, iprp.end);
  const ipco = named(within, 'ipco');
  const properties = ipco === undefined ? [] : boxesIn(bytes, ipco.start, ipco.end);
  const associated = within.filter(({ name }) => name === 'ipma').flatMap((box) => associationsOf(bytes, box));
  const references = iref === undefined ? [] : referencesOf(bytes, iref);
  return {
    primary:
      pitm && (bytes[pitm.start] === 0 ? bytes.readUInt16BE(pitm.start + 4) : bytes.readUInt32BE(pitm.start + 4)),
    items: itemsOf(bytes, properties, associated),
    parts: grouped(references.filter(({ name }) => name === 'dimg').map(({ from, to }) => [from, to])),
    auxiliaries: grouped(
      references.filter(({ name }) => name === 'auxl').flatMap(({ from, to }) => to.map((id) => [id, [from]] as const)),
    ),
  };
}

/**
 * Lists the boxes of a part of the file. Bytes after a box that ends too late are not looked at.
 * @throws BrokenBoxes; RangeError for a number that lies beyond the file
 */
export function boxesIn(bytes: Buffer, start: number, end: number): HeifBox[] {
  const boxes: HeifBox[] = [];
  for (let at = start; at + 8 <= end; ) {
    let [size, head] = [bytes.readUInt32BE(at), 8];
    if (size === 1) [size, head] = [Number(bytes.readBigUInt64BE(at + 8)), 16];
    else if (size === 0) size = end - at;
    if (size < head || boxes.length >= maxEntries) throw new BrokenBoxes('a box is shorter than its head');
    boxes.push({ name: bytes.toString('latin1', at + 4, at + 8), start: at + head, end: Math.min(at + size, end) });
    at += size;
  }
  return boxes;
}

interface Association {
  readonly item: number;
  /** The position of the property in the list, counted from 1; 0 for an item without one. */
  readonly property: number;
  readonly at: readonly [start: number, end: number];
}

function associationsOf(bytes: Buffer, { start, end }: HeifBox): Association[] {
  const [idBytes, placeBytes] = [bytes[start] === 0 ? 2 : 4, ((bytes[start + 3] ?? 0) & 1) === 1 ? 2 : 1];
  const found: Association[] = [];
  let at = start + 8;
  for (let left = bytes.readUInt32BE(start + 4); left > 0 && at + idBytes < end; left--) {
    const item = bytes.readUIntBE(at, idBytes);
    let count = bytes.readUInt8(at + idBytes);
    at += idBytes + 1;
    for (; count > 0 && at + placeBytes <= end; count--, at += placeBytes) {
      // The highest bit marks the property as essential.
      const property = bytes.readUIntBE(at, placeBytes) & (placeBytes === 2 ? 0x7fff : 0x7f);
      found.push({ item, property, at: [at, at + placeBytes] });
      if (found.length > maxEntries) throw new BrokenBoxes('too many properties');
    }
  }
  return found;
}

interface References {
  readonly name: string;
  readonly from: number;
  readonly to: readonly number[];
}

function referencesOf(bytes: Buffer, iref: HeifBox): References[] {
  const idBytes = bytes[iref.start] === 0 ? 2 : 4;
  let met = 0;
  return boxesIn(bytes, iref.start + 4, iref.end).map(({ name, start, end }) => {
    const from = bytes.readUIntBE(start, idBytes);
    const count = bytes.readUInt16BE(start + idBytes);
    const first = start + idBytes + 2;
    met += count;
    if (met > maxEntries || first + count * idBytes > end) throw new BrokenBoxes('too many references');
    return {
      name,
      from,
      to: Array.from({ length: count }, (_, at) => bytes.readUIntBE(first + at * idBytes, idBytes)),
    };
  });
}

function grouped(pairs: readonly (readonly [number, readonly number[]])[]): ReadonlyMap<number, readonly number[]> {
  const groups = new Map<number, number[]>();
  for (const [id, more] of pairs) groups.set(id, [...(groups.get(id) ?? []), ...more]);
  return groups;
}

function itemsOf(
  bytes: Buffer,
  properties: readonly HeifBox[],
  associated: readonly Association[],
): ReadonlyMap<number, HeifFileItem> {
  const items = new Map<number, { -readonly [Key in keyof HeifFileItem]: HeifFileItem[Key] }>();
  for (const { item, property, at } of associated) {
    const box = properties[property - 1];
    if (box === undefined) continue;
    const known = items.get(item) ?? {
      pixels: undefined,
      size: undefined,
      transforms: [],
      isAlpha: false,
      transformedAt: [],
    };
    items.set(item, known);
    const transform = transformOf(bytes, box);
    if (transform !== undefined) {
      known.transforms = [...known.transforms, transform];
      known.transformedAt = [...known.transformedAt, at];
    } else if (box.name === 'ispe') {
      known.size = [bytes.readUInt32BE(box.start + 4), bytes.readUInt32BE(box.start + 8)];
      known.pixels = known.size[0] * known.size[1];
    } else if (box.name === 'auxC') {
      known.isAlpha ||= alphaNames.test(bytes.toString('latin1', box.start + 4, Math.min(box.end, box.start + 100)));
    }
  }
  return items;
}

const alphaNames = /^urn:mpeg:(?:mpegB:cicp:systems:auxiliary:alpha|hevc:2015:auxid:1|avc:2015:auxid:1)\0/;

function transformOf(bytes: Buffer, { name, start }: HeifBox): Transform | undefined {
  if (name === 'irot') return { kind: 'turn', quarters: bytes.readUInt8(start) & 3 };
  if (name === 'imir') return { kind: 'mirror', leftRight: (bytes.readUInt8(start) & 1) === 1 };
  if (name !== 'clap') return undefined;
  const part = (at: number, over: number): number => over / bytes.readUInt32BE(start + at + 4);
  const [width, height] = [0, 8].map((at) => part(at, bytes.readUInt32BE(start + at))) as [number, number];
  const [right, down] = [16, 24].map((at) => part(at, bytes.readInt32BE(start + at))) as [number, number];
  if (![width, height, right, down].every(Number.isFinite)) throw new BrokenBoxes('a crop without a size');
  return { kind: 'crop', width, height, right, down };
}

/** Returns the file with zeros for what turns and crops its items. */
export function withoutTransforms(bytes: Buffer, { items }: HeifItems): Buffer {
  const changed = Buffer.from(bytes);
  for (const { transformedAt } of items.values()) for (const [start, end] of transformedAt) changed.fill(0, start, end);
  return changed;
}
