/** iCloud with one shared album, on both of Apple's wires, whose pictures tests add and remove. */
import type { ServerResponse } from 'node:http';
import type { Received } from '../callbacks/receiver.ts';
import { smallJpeg } from './small-jpeg.ts';

/** A picture of the album. */
export interface FakeCloudPicture {
  readonly key: string;
  isVideo: boolean;
  /** The moment of the capture, and the seconds of the camera's zone, which the newer wire alone has. */
  takenAt: number;
  zoneSeconds: number;
  addedAt: number;
  caption: string;
  width: number;
  height: number;
  edits: number;
}

export interface CloudFaults {
  /** Every partition leads to another one. */
  movesForever?: boolean;
  /** The partition that the album's first host names. */
  movesTo?: string;
  /** Whether the partition stands in a header in place of the body. */
  movesByHeader?: boolean;
  /** Addresses of pictures have ended as soon as they are given, so many times. */
  endedAddresses?: number;
  /** The host of the pictures. */
  contentHost?: string;
  /** The newer wire names the same place again and again. */
  markersRepeat?: boolean;
  /** The newer wire gives pairs whose halves lie on different pages. */
  splitsPairs?: boolean;
  isPrivate?: boolean;
  isRemoved?: boolean;
  /** The older wire states more items than it lists. */
  listsLess?: boolean;
  body?: string | Buffer;
}

export interface FakeICloud {
  readonly streamToken: string;
  readonly albumToken: string;
  readonly pictures: Map<string, FakeCloudPicture>;
  readonly faults: CloudFaults;
  title: string;
  answer(request: Received, response: ServerResponse): void;
  add(more?: Partial<FakeCloudPicture>, times?: number): string;
  remove(key: string): void;
  /** The JPEG of a picture; sizes are twice as large from one to the next. */
  jpegOf(key: string, size: CloudSize): Promise<Buffer>;
}

export type CloudSize = 'Thumb' | 'Med' | 'Large';

type CloudJson = Readonly<Record<string, unknown>>;

const partition = 'p23-sharedstreams.icloud.com';
const sizes: readonly CloudSize[] = ['Thumb', 'Med', 'Large'];
const scales = { Thumb: 1, Med: 2, Large: 4 } as const;

/** Makes the service. */
export function fakeICloud(): FakeICloud {
  let count = 0;
  let changes = 0;
  let addresses = 0;
  const fake: FakeICloud = {
    streamToken: 'B0aGWZqDGJ7abcd',
    albumToken: '0c5_x-yzABCDEFGH',
    pictures: new Map(),
    faults: {},
    title: 'Grandchildren',
    answer: (request, response) => void answer(request, response),
    add(more = {}, times = 1) {
      let key = '';
      for (let one = 0; one < times; one++) {
        count += 1;
        changes += 1;
        key = more.key ?? `PICTURE-${String(count).padStart(5, '0')}`;
        const moment = Date.UTC(2024, 0, 1, 12) + count * 60_000;
        fake.pictures.set(key, {
          isVideo: false,
          takenAt: moment,
          zoneSeconds: 3_600,
          addedAt: moment + 1_000,
          caption: '',
          width: 16,
          height: 12,
          edits: 0,
          ...more,
          key,
        });
      }
      return key;
    },
    remove(key) {
      changes += 1;
      fake.pictures.delete(key);
    },
    jpegOf(key, size) {
      const { width, height, edits } = fake.pictures.get(key) as FakeCloudPicture;
      return smallJpeg(`${key} ${edits}`, width * scales[size], height * scales[size]);
    },
  };

  async function answer({ path, headers, body }: Received, response: ServerResponse): Promise<void> {
    const { faults } = fake;
    const url = new URL(path, 'http://fake');
    const json = (content: unknown, status = 200, more: Readonly<Record<string, string>> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(content));
    };
    if (faults.body !== undefined) return void response.writeHead(200).end(faults.body);
    const [, kind, key = '', size = ''] = /^\/(picture|lost)\/([^/]+)\/(\w+)/.exec(url.pathname) ?? [];
    if (kind !== undefined) {
      const isKnown = fake.pictures.has(key) && sizes.some((one) => one === size);
      if (kind === 'lost' || !isKnown) return void response.writeHead(kind === 'lost' ? 410 : 404).end();
      return void response.writeHead(200).end(await fake.jpegOf(key, size as CloudSize));
    }
    if (faults.isRemoved) return json({ serverErrorCode: 'NOT_FOUND' }, 404);
    const asked = body === '' ? {} : (JSON.parse(body) as CloudJson);
    if (url.pathname.startsWith(`/${fake.streamToken}/sharedstreams/`)) {
      const to = faults.movesForever ? `p${++addresses}-sharedstreams.icloud.com` : (faults.movesTo ?? partition);
      if (headers.host !== to) {
        if (faults.movesByHeader) return json({}, 330, { 'x-apple-mme-host': to });
        return json({ 'X-Apple-MMe-Host': to }, 330);
      }
      return json(url.pathname.endsWith('/webstream') ? stream() : assetUrls(asked.photoGuids as readonly string[]));
    }
    if (url.pathname.endsWith('/public/records/resolve')) return json(resolved(asked));
    if (url.pathname.endsWith('/shared/records/query')) {
      const isOpen = url.searchParams.get('publicAccessAuthToken') === 'opens the album';
      if (!isOpen) return json({ serverErrorCode: 'AUTHENTICATION_FAILED' }, 401);
      if (asked.query === undefined) return json({ serverErrorCode: 'BAD_REQUEST' }, 400);
      return json(records(asked.continuationMarker));
    }
    return json({}, 404);
  }

  /** Returns the path of a picture, which has ended where a test wants it. */
  function pathOf(key: string, size: CloudSize): string {
    const isEnded = (fake.faults.endedAddresses ?? 0) > 0;
    return `/${isEnded ? 'lost' : 'picture'}/${key}/${size}`;
  }

  function stream(): CloudJson {
    const photos = [...fake.pictures.values()].map((one) => ({
      photoGuid: one.key,
      dateCreated: new Date(one.takenAt).toISOString().replace('.000', ''),
      batchDateCreated: new Date(one.addedAt).toISOString().replace('.000', ''),
      caption: one.caption,
      ...(one.isVideo && { mediaAssetType: 'video' }),
      derivatives: {
        ...Object.fromEntries(
          sizes.map((size) => [
            String(one.height * scales[size]),
            {
              checksum: `${one.key} ${one.edits} ${size}`,
              width: String(one.width * scales[size]),
              height: String(one.height * scales[size]),
              fileSize: '1000',
            },
          ]),
        ),
        ...(one.isVideo && { PosterFrame: { checksum: 'poster', width: '9999', height: '9999', fileSize: '1' } }),
      },
    }));
    const itemsReturned = String(photos.length + (fake.faults.listsLess ? 3 : 0));
    return { streamName: fake.title, streamCtag: `changes ${changes}`, itemsReturned, photos };
  }

  function assetUrls(keys: readonly string[]): CloudJson {
    const items = keys.slice(0, 25).flatMap((key) => {
      const one = fake.pictures.get(key);
      if (one === undefined) return [];
      const place = (size: CloudSize) => ({
        url_location: fake.faults.contentHost ?? 'cvws.icloud-content.com',
        url_path: `${pathOf(key, size)}?o=signed`,
        url_expiry: '2026-01-01T00:00:00Z',
      });
      return sizes.map((size) => [`${key} ${one.edits} ${size}`, place(size)] as const);
    });
    if (fake.faults.endedAddresses !== undefined) fake.faults.endedAddresses -= 1;
    return { locations: {}, items: Object.fromEntries(items) };
  }

  function resolved(asked: CloudJson): CloudJson {
    const [guid] = (asked.shortGUIDs ?? []) as readonly { readonly value: string }[];
    if (guid?.value !== fake.albumToken) return { results: [{ serverErrorCode: 'NOT_FOUND' }] };
    if (fake.faults.isPrivate) return { results: [{ requireAppleLogin: true }] };
    const access = {
      token: 'opens the album',
      databasePartition: `https://${fake.faults.movesTo ?? 'p124-ckdatabasews.icloud.com'}:443`,
    };
    return {
      results: [
        {
          zoneID: { zoneName: 'PrimarySync', ownerRecordName: '_a', zoneType: 'REGULAR_CUSTOM_ZONE' },
          anonymousPublicAccess: access,
          share: { fields: { 'cloudkit.title': { value: fake.title, type: 'STRING' } } },
        },
      ],
    };
  }

  function records(marker: unknown): CloudJson {
    const all = [...fake.pictures.values()].flatMap((one) => [masterOf(one), assetOf(one)]);
    // An odd number of records on the first page tears a pair apart.
    const size = fake.faults.splitsPairs ? 199 : 200;
    const from = Number(/^from-(\d+)$/.exec(String(marker ?? 'from-0'))?.[1]);
    if (fake.faults.endedAddresses !== undefined && from === 0) fake.faults.endedAddresses -= 1;
    const next = fake.faults.markersRepeat ? 'from-0' : `from-${from + size}`;
    const hasMore = fake.faults.markersRepeat || from + size < all.length;
    return { records: all.slice(from, from + size), ...(hasMore && { continuationMarker: next }) };
  }

  function masterOf(one: FakeCloudPicture): CloudJson {
    const host = fake.faults.contentHost ?? 'cvws.icloud-content.com';
    const resources = sizes.flatMap((size) => [
      [
        `resJPEG${size}Res`,
        {
          value: {
            downloadURL: `https://${host}${pathOf(one.key, size)}/\${f}?o=signed`,
            fileChecksum: `${one.key} ${one.edits} ${size}`,
            size: 1_000,
          },
        },
      ],
      [`resJPEG${size}Width`, { value: one.width * scales[size] }],
      [`resJPEG${size}Height`, { value: one.height * scales[size] }],
    ]);
    return {
      recordName: `M-${one.key}`,
      recordType: 'CPLMaster',
      fields: {
        ...Object.fromEntries(resources),
        itemType: { value: one.isVideo ? 'com.apple.quicktime-movie' : 'public.jpeg' },
        filenameEnc: { value: Buffer.from(`${one.key}.HEIC`).toString('base64'), type: 'ENCRYPTED_BYTES' },
      },
    };
  }

  const assetOf = (one: FakeCloudPicture): CloudJson => ({
    recordName: one.key,
    recordType: 'CPLAsset',
    fields: {
      masterRef: { value: { recordName: `M-${one.key}`, action: 'DELETE_SELF' } },
      assetDate: { value: one.takenAt, type: 'TIMESTAMP' },
      timeZoneOffset: { value: one.zoneSeconds, type: 'INT64' },
      addedDate: { value: one.addedAt, type: 'TIMESTAMP' },
      ...(one.caption !== '' && { captionEnc: { value: Buffer.from(one.caption).toString('base64') } }),
    },
  });

  return fake;
}
