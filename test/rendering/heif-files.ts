/**
 * Files of phones (HEIC), built from one tile of 64x64 pixels: its left half is #c83232, its right half #285ac8. Boxes are
 * those of ISO/IEC 14496-12 and 23008-12.
 */

const decoderConfig = Buffer.from(
  'AAAAd2h2Y0MBBAgAAAAAAAAAAAAe8AD8//j4AAAPAyAAAQAXQAEMAf//BAgAAAMAnjgAAAMAAB66AkAhAAEAKkIBAQQIAAADAJ44AAADAAAekAQQILLdSSU1zcCAgYEAAAMAAQAAAwABCCIAAQAIRAHBcoYMAiQ=',
  'base64',
);

/** The pixels of the tile, as HEVC. */
const tilePixels = Buffer.from('AAAAKSgBrwa4Y7Dc/7xS///4v7+h/leANam8eZr7/CMI//9cB5/+wMJvzfXA', 'base64');

/** A tile of 512x512 pixels, as phones make them: the same two halves. */
const largeConfig = Buffer.from(
  'AAAAeWh2Y0MBA3AAAAAAAAAAAABa8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwBaugJAIQABACxCAQEDcAAAAwCQAAADAAADAFqgBAIAgFlupJKa5uBAQMCAAAADAIAAAAMAhCIAAQAHRAHBcrBiQA==',
  'base64',
);
const largePixels = Buffer.from(
  'AAABCigBrzRBqJVm3H349S/o5//x/Mv9NPh9uO+KjpUMHu+JeAJCf//nTQvxeq/8TKNWINwAIKCl+JeAH2EgfPn/f8Vk5f00LNwOBlXx1DCTWP+6mKI+huWig1S9gJMEWJ4IiL8qxMFZOrWMUo1n/p9YAAOyhwAABBoivBZiVcoDda1XnYJT+uGm1EGwAAApYAAAAwCh7tFUeBsXAo1rrtf91UbXFzWaD0AAAFHAAAAEwVAe57aoeM/qhrxhnXH/4su5rphxTTMLpAAAL6AAAA9FMh3PbVDxufiNeMM65AXFvTNdMOKuZ33IAAB+wAAAIvMLqrEwVk/3YYaV2VfID4vH5rphxVzPyHgAANSA',
  'base64',
);

/** 64x64 pixels of transparency: nothing of the upper half is seen, and all of the lower one. */
const maskConfig = Buffer.from(
  'AAAAeGh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAeugJAIQABACtCAQEDcAAAAwCQAAADAAADAB6gIIEFlupJKa5uBAQMCAAAAwAIAAADAAhAIgABAAdEAcFysCJA',
  'base64',
);
const maskPixels = Buffer.from(
  'AAAAQSgBrwng4VeFNKX//8URUtNZ24/8HawId4uHg1Z23Ebqog2Dx/8gE0vSMdz6VzdSQvc/9+79yxEAIPkjFaPsvRRw',
  'base64',
);

/** One picture, or a part of one. `refersTo` are items that it is made of, or that it goes with. */
export interface HeifItem {
  readonly id: number;
  readonly type: string;
  readonly data: Buffer;
  readonly properties: readonly Buffer[];
  readonly refersTo?: readonly { readonly as: string; readonly ids: readonly number[] }[];
  /** The length that the file claims, where it is not the one of the data. */
  readonly claims?: number;
}

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const short = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

export function box(name: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([word(body.length + 8), Buffer.from(name, 'latin1'), body]);
}

const full = (name: string, version: number, ...parts: readonly Buffer[]): Buffer =>
  box(name, word(version << 24), ...parts);

export const size = (width: number, height: number): Buffer => full('ispe', 0, word(width), word(height));
/** Quarters of a turn, against the clock. */
export const quarterTurns = (quarters: number): Buffer => box('irot', Buffer.of(quarters));
/** A crop around the middle, moved by these pixels. */
export const crop = (width: number, height: number, right = 0, down = 0): Buffer =>
  box('clap', ...[width, 1, height, 1, right >>> 0, 1, down >>> 0, 1].map(word));
export const mirror = (axis: 0 | 1): Buffer => box('imir', Buffer.of(axis));
export const coded = (primaries: number, transfer: number): Buffer =>
  box('colr', Buffer.from('nclx'), short(primaries), short(transfer), short(6), Buffer.of(0x80));
export const profiled = (profile: Buffer): Buffer => box('colr', Buffer.from('prof'), profile);
export const auxiliary = (kind: string): Buffer => full('auxC', 0, Buffer.from(`${kind}\0`, 'latin1'));

/** The tile as an item. */
export const tile = (id: number, ...properties: readonly Buffer[]): HeifItem => ({
  id,
  type: 'hvc1',
  data: tilePixels,
  properties: [decoderConfig, size(64, 64), ...properties],
});

const largeProperties = [largeConfig, size(512, 512)];
/** The large tile as an item. */
export const largeTile = (id: number): HeifItem => ({
  id,
  type: 'hvc1',
  data: largePixels,
  properties: largeProperties,
});

/** The transparency of another item. */
export const maskOf = (id: number, of: number, ...properties: readonly Buffer[]): HeifItem => ({
  id,
  type: 'hvc1',
  data: maskPixels,
  properties: [maskConfig, size(64, 64), auxiliary('urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'), ...properties],
  refersTo: [{ as: 'auxl', ids: [of] }],
});

/** An item that is another one, with other properties. */
export const sameAs = (id: number, of: number, ...properties: readonly Buffer[]): HeifItem => ({
  id,
  type: 'iden',
  data: Buffer.alloc(0),
  properties: [size(64, 64), ...properties],
  refersTo: [{ as: 'dimg', ids: [of] }],
});

/** Items laid on a canvas of black, one on the other. */
export function overlay(id: number, of: readonly number[], shape: readonly [number, number]): HeifItem {
  const places = of.map((_, at) => Buffer.concat([word(at), word(at)]));
  const data = Buffer.concat([Buffer.of(0, 1), ...[0, 0, 0, 0xffff].map(short), ...shape.map(word), ...places]);
  return { id, type: 'iovl', data, properties: [size(...shape)], refersTo: [{ as: 'dimg', ids: of }] };
}

/** A picture made of tiles, row by row. */
export function grid(
  id: number,
  {
    rows,
    columns,
    of,
    shape,
  }: { rows: number; columns: number; of: readonly number[]; shape: readonly [number, number] },
  ...properties: readonly Buffer[]
): HeifItem {
  const data = Buffer.concat([Buffer.of(0, 1, rows - 1, columns - 1), word(shape[0]), word(shape[1])]);
  return { id, type: 'grid', data, properties: [size(...shape), ...properties], refersTo: [{ as: 'dimg', ids: of }] };
}

/** A whole file. */
export function heifFile(items: readonly HeifItem[], { primary = 1, brand = 'heic' } = {}): Buffer {
  const kinds = [...new Set(items.flatMap(({ properties }) => properties))];
  const references = items.flatMap(({ id, refersTo = [] }) =>
    refersTo.map(({ as, ids }) => box(as, short(id), short(ids.length), ...ids.map(short))),
  );
  const associations = items.flatMap(({ id, properties }) => [
    short(id),
    Buffer.of(properties.length),
    ...properties.map((one) => short(0x8000 | (kinds.indexOf(one) + 1))),
  ]);
  const meta = (at: number): Buffer => {
    let from = at;
    const places = items.flatMap(({ id, data, claims = data.length }) => {
      const place = [short(id), short(0), short(1), word(from), word(claims)];
      from += data.length;
      return place;
    });
    return full(
      'meta',
      0,
      full('hdlr', 0, word(0), Buffer.from('pict'), Buffer.alloc(13)),
      full('pitm', 0, short(primary)),
      full('iloc', 0, Buffer.of(0x44, 0), short(items.length), ...places),
      full(
        'iinf',
        0,
        short(items.length),
        ...items.map(({ id, type }) => full('infe', 2, short(id), short(0), Buffer.from(`${type}\0`))),
      ),
      ...(references.length === 0 ? [] : [full('iref', 0, ...references)]),
      // Places of properties are numbers of 15 bits.
      box('iprp', box('ipco', ...kinds), box('ipma', word(1), word(items.length), ...associations)),
    );
  };
  const head = box('ftyp', Buffer.from(brand), word(0), Buffer.from(`mif1${brand}`));
  const at = head.length + meta(0).length + 8;
  return Buffer.concat([head, meta(at), box('mdat', ...items.map(({ data }) => data))]);
}
