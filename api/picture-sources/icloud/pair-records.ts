/** Puts records of CloudKit together: a `CPLMaster` has the pixels, and the `CPLAsset` that refers to it the date. */
import { z } from 'zod';
import { shownText } from '../shown-text.ts';
import { wallTimeAt } from '../wall-time.ts';
import type { ICloudPicture, ICloudRendition } from './icloud-album.ts';

export const cloudRecord = z.object({
  recordName: z.string().min(1).max(300),
  recordType: z.string().max(100),
  deleted: z.boolean().nullish().catch(undefined),
  fields: z.record(z.string(), z.unknown()).catch({}),
});

export type CloudRecord = z.output<typeof cloudRecord>;

const field = z.object({ value: z.unknown() });
const resource = z.object({
  downloadURL: z.string().max(8_000),
  fileChecksum: z.string().max(200).nullish().catch(undefined),
  size: z.number().nonnegative().nullish().catch(undefined),
});
const reference = z.object({ recordName: z.string().max(300) });

/** Sizes of a picture as CloudKit names them. */
const sizes = ['Full', 'Large', 'Med', 'Thumb'] as const;
/** The most records that wait for the other half of their pair. */
const maxWaiting = 20_000;

const fieldValue = ({ fields }: CloudRecord, name: string): unknown => field.safeParse(fields[name]).data?.value;
const numberOf = (record: CloudRecord, name: string): number | undefined => {
  const value = fieldValue(record, name);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/** Texts that CloudKit calls encrypted are Base64 in a public album. */
function textOf(record: CloudRecord, name: string): string | undefined {
  const value = fieldValue(record, name);
  if (typeof value !== 'string' || value.length > 8_000) return undefined;
  return shownText(new TextDecoder().decode(Buffer.from(value, 'base64'))) || undefined;
}

/** Begins to put the records of one listing together. A pair may be split between two pages. */
export function pairing() {
  const masters = new Map<string, CloudRecord>();
  const assets = new Map<string, CloudRecord>();

  return {
    /** Returns the pairs that a page completes. */
    pair(records: readonly CloudRecord[]): readonly ICloudPicture[] {
      const found: ICloudPicture[] = [];
      for (const record of records) {
        if (record.deleted === true || masters.size + assets.size > maxWaiting) continue;
        const isMaster = record.recordType === 'CPLMaster';
        const name = isMaster
          ? record.recordName
          : reference.safeParse(fieldValue(record, 'masterRef')).data?.recordName;
        if (name === undefined || (!isMaster && record.recordType !== 'CPLAsset')) continue;
        (isMaster ? masters : assets).set(name, record);
        const [master, asset] = [masters.get(name), assets.get(name)];
        if (master === undefined || asset === undefined) continue;
        masters.delete(name);
        assets.delete(name);
        if (!numberOf(asset, 'isDeleted') && !numberOf(asset, 'isHidden')) found.push(pictureOfPair(master, asset));
      }
      return found;
    },
  };
}

function pictureOfPair(master: CloudRecord, asset: CloudRecord): ICloudPicture {
  const [assetDate, offset] = [numberOf(asset, 'assetDate'), numberOf(asset, 'timeZoneOffset')];
  const itemType = fieldValue(master, 'itemType');
  const renditions = renditionsOf(asset).concat(renditionsOf(master));
  const isVideo = typeof itemType === 'string' ? /movie|video|mpeg/i.test(itemType) : 'resVidMedRes' in master.fields;
  return {
    key: asset.recordName,
    name: textOf(master, 'filenameEnc') ?? '',
    isVideo,
    taken: assetDate === undefined ? undefined : wallTimeAt(assetDate + (offset ?? 0) * 1_000),
    arrivedAt: numberOf(asset, 'addedDate'),
    caption: textOf(asset, 'captionEnc'),
    renditions,
  };
}

/** An edited picture has its sizes in the asset, any other one in the master. */
function renditionsOf(record: CloudRecord): ICloudRendition[] {
  return sizes.flatMap((size) => {
    const read = resource.safeParse(fieldValue(record, `resJPEG${size}Res`)).data;
    if (read === undefined) return [];
    return [
      {
        checksum: read.fileChecksum ?? '',
        width: numberOf(record, `resJPEG${size}Width`) ?? 0,
        height: numberOf(record, `resJPEG${size}Height`) ?? 0,
        bytes: read.size ?? undefined,
        url: read.downloadURL.replaceAll(/\$\{f\}/g, 'picture.jpg'),
      },
    ];
  });
}
