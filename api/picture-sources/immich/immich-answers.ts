/**
 * The answers of Immich, of which no more is read than is used, and leniently: types change between versions (IM-11), and one
 * picture that cannot be read keeps none of the others away.
 */
import { z } from 'zod';
import { shownText } from '../shown-text.ts';
import type { ListedPicture } from '../source.ts';
import { epochOf, shiftedWallTime, wallTimeOf } from '../wall-time.ts';
import { immichIdForm } from './read-immich-address.ts';

const text = z.string().max(4_000).nullish().catch(undefined);
/** A text that people see. */
const words = z.string().max(40_000).transform(shownText).nullish().catch(undefined);
const amount = z.number().finite().nonnegative().nullish().catch(undefined);
const truth = z.boolean().nullish().catch(undefined);
const id = z.string().regex(immichIdForm);

const exif = z
  .object({
    exifImageWidth: amount,
    exifImageHeight: amount,
    orientation: z.union([z.string(), z.number()]).nullish().catch(undefined),
    fileSizeInByte: amount,
    make: words,
    city: words,
    state: words,
    country: words,
    description: words,
  })
  .nullish()
  .catch(undefined);

const asset = z.object({
  id,
  type: text,
  originalFileName: words,
  checksum: text,
  thumbhash: text,
  updatedAt: text,
  createdAt: text,
  localDateTime: text,
  width: amount,
  height: amount,
  isFavorite: truth,
  isTrashed: truth,
  isArchived: truth,
  isOffline: truth,
  visibility: text,
  exifInfo: exif,
});

/** A picture as Immich describes it. */
export type ImmichAsset = z.output<typeof asset>;

/** A list whose unreadable members are left out. */
const readable = <Shape extends z.ZodType>(shape: Shape) =>
  z.array(z.unknown()).transform((all) => all.flatMap((one) => shape.safeParse(one).data ?? []));

export const assetAnswer = asset;

/** The number of a page comes as text and is sent back as an integer (IM-3). */
const pageNumber = z.union([z.string().regex(/^\d{1,9}$/), z.number().int().positive()]).transform(Number);

export const searchAnswer = z.object({
  assets: z.object({
    items: readable(asset),
    nextPage: pageNumber.nullish().catch(undefined),
    nextCursor: z.string().min(1).max(20_000).nullish().catch(undefined),
  }),
});

export const totalAnswer = z.object({ total: z.number().int().nonnegative() });

const version = z.number().int().min(0).max(100_000);
export const versionAnswer = z.object({ major: version, minor: version, patch: version.catch(0) });

const album = z.object({
  id,
  albumName: words,
  assetCount: amount,
  albumThumbnailAssetId: id.nullish().catch(undefined),
  updatedAt: text,
  lastModifiedAssetTimestamp: text,
  /** Only before 3.0 (IM-5). */
  assets: readable(asset).nullish().catch(undefined),
});

export type ImmichAlbum = z.output<typeof album>;

export const albumAnswer = album;
export const albumsAnswer = readable(album);

export const peopleAnswer = z.object({
  people: readable(z.object({ id, name: words, isHidden: truth })),
  hasNextPage: truth,
});

export const memoriesAnswer = readable(z.object({ type: text, assets: readable(asset) }));

export const linkAnswer = z.object({
  type: text,
  description: words,
  album: album.nullish().catch(undefined),
  assets: readable(asset).nullish().catch(undefined),
  expiresAt: text,
  showMetadata: truth,
});

export const bucketsAnswer = z.array(
  z.object({ timeBucket: z.string().max(100), count: z.number().int().nonnegative().catch(0) }),
);

/** The columns of a part of the timeline; those that are short or missing say nothing (IM-13). */
const column = <Shape extends z.ZodType>(shape: Shape) => z.array(shape.nullish().catch(undefined)).catch([]);
export const bucketAnswer = z.object({
  id: z.array(z.string()),
  isImage: column(z.boolean()),
  isTrashed: column(z.boolean()),
  isFavorite: column(z.boolean()),
  visibility: column(z.string()),
  thumbhash: column(z.string()),
  fileCreatedAt: column(z.string()),
  createdAt: column(z.string()),
  localOffsetHours: column(z.number()),
});

/** Returns whether a picture may be shown: the server is asked for those alone, and is not trusted to do as asked (IM-6). */
export const maySee = ({ type, visibility, isTrashed, isArchived, isOffline }: Partial<ImmichAsset>): boolean =>
  (type ?? 'IMAGE') === 'IMAGE' &&
  (visibility ?? 'timeline') === 'timeline' &&
  isTrashed !== true &&
  isArchived !== true &&
  isOffline !== true;

/** Returns a picture as sources list it. */
export function pictureOfAsset(one: ImmichAsset): ListedPicture {
  const { exifInfo } = one;
  const taken = wallTimeOf(one.localDateTime);
  const arrivedAt = epochOf(one.createdAt);
  const bytes = exifInfo?.fileSizeInByte;
  return {
    key: one.id,
    name: one.originalFileName ?? '',
    mark: `${one.checksum ?? ''} ${one.thumbhash ?? one.updatedAt ?? ''}`,
    ...(taken !== undefined && { taken }),
    ...(arrivedAt !== undefined && { arrivedAt }),
    ...sizeOf(one),
    ...(typeof bytes === 'number' && { bytes }),
    ...(exifInfo != null && { camera: exifInfo.make ?? '' }),
    ...(one.isFavorite != null && { isFavourite: one.isFavorite }),
  };
}

/** The orientations in which a picture lies on its side, as EXIF numbers them. */
const sideways: readonly string[] = ['5', '6', '7', '8'];

/** Returns the size as a person sees it: newer versions know it, older ones that of the file with its orientation. */
function sizeOf({ width, height, exifInfo }: ImmichAsset): Pick<ListedPicture, 'width' | 'height'> {
  if (width && height) return { width, height };
  const [across, down] = [exifInfo?.exifImageWidth, exifInfo?.exifImageHeight];
  if (!across || !down) return {};
  return sideways.includes(String(exifInfo?.orientation ?? ''))
    ? { width: down, height: across }
    : { width: across, height: down };
}

type BucketColumns = z.output<typeof bucketAnswer>;

/** Returns the pictures of a part of the timeline. */
export function picturesOfBucket(columns: BucketColumns, showsMetadata: boolean): readonly ListedPicture[] {
  return columns.id.flatMap((key, at) => {
    const [isTrashed, visibility] = [columns.isTrashed[at], columns.visibility[at]];
    if (!immichIdForm.test(key) || columns.isImage[at] === false || !maySee({ isTrashed, visibility })) return [];
    const hours = columns.localOffsetHours[at];
    const taken = shiftedWallTime(columns.fileCreatedAt[at], typeof hours === 'number' ? hours * 3_600_000 : undefined);
    const arrivedAt = epochOf(columns.createdAt[at]);
    return [
      {
        key,
        name: '',
        mark: columns.thumbhash[at] ?? '',
        ...(showsMetadata && taken !== undefined && { taken }),
        ...(arrivedAt !== undefined && { arrivedAt }),
      },
    ];
  });
}

/** Returns the name of the place of a picture. */
export function placeOfAsset(exifInfo: ImmichAsset['exifInfo']): string | undefined {
  const named = [exifInfo?.city, exifInfo?.city ? undefined : exifInfo?.state, exifInfo?.country];
  const parts = named.flatMap((part) => (part?.trim() ? [part.trim()] : []));
  return parts.length === 0 ? undefined : parts.join(', ');
}
