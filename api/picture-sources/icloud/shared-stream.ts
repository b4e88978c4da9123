/** The older wire of iCloud shared albums: one answer that lists them whole, and addresses that are asked for later (IC-2). */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import {
  askSourceServer,
  isGiven,
  jsonOf,
  readSourceAnswer,
  type SourceAnswer,
  unreadableAnswer,
} from '../ask-source-server.ts';
import { shownText } from '../shown-text.ts';
import { type SourceDeps, SourceFault } from '../source.ts';
import { epochOf } from '../wall-time.ts';
import type { ICloudAlbum, ICloudPicture, ICloudRendition } from './icloud-album.ts';
import { iCloudUrl, readICloudRedirect } from './read-icloud-link.ts';

/** Any partition leads to the right one. */
const firstHost = 'p01-sharedstreams.icloud.com';
const maxMoves = 3;
/** Albums hold 5,000 pictures, each described by a kilobyte. */
const streamLimitBytes = 32 * 1024 * 1024;

/** Numbers are written as text. */
const numeric = z
  .union([z.string().regex(/^\d{1,15}$/), z.number().nonnegative().finite()])
  .transform(Number)
  .nullish()
  .catch(undefined);
const text = z.string().max(4_000).nullish().catch(undefined);
const words = z.string().max(40_000).transform(shownText).nullish().catch(undefined);

const derivative = z.object({
  checksum: z.string().min(1).max(200),
  width: numeric,
  height: numeric,
  fileSize: numeric,
});
const photo = z.object({
  photoGuid: z.string().min(1).max(200),
  dateCreated: text,
  batchDateCreated: text,
  caption: words,
  mediaAssetType: text,
  derivatives: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});
const stream = z.object({
  streamName: words,
  streamCtag: text,
  itemsReturned: numeric,
  photos: z.array(z.unknown()),
});
const moved = z.object({ 'X-Apple-MMe-Host': z.string().max(300) });
const assetUrls = z.object({
  items: z.record(z.string(), z.object({ url_location: z.string().max(300), url_path: z.string().max(4_000) })),
});

/** Opens an album by the token of its link. */
export function sharedStream(deps: SourceDeps, token: string): ICloudAlbum {
  let host = firstHost;

  async function ask(name: string, json: unknown): Promise<SourceAnswer> {
    for (let moves = 0; moves <= maxMoves; moves++) {
      const answer = await askSourceServer(deps, {
        url: new URL(`https://${host}/${token}/sharedstreams/${name}`),
        method: 'POST',
        json,
        limitBytes: streamLimitBytes,
        readAddress: readICloudRedirect,
      });
      // Not a redirect that HTTP knows: it names the partition in its body or in a header.
      if (answer.status !== 330) return answer;
      host = hostOfMove(answer);
    }
    throw unreadableAnswer();
  }

  return {
    async *pages() {
      const read = readSourceAnswer(await ask('webstream', { streamCtag: null }), stream);
      const listed = read.photos.flatMap((one) => photo.safeParse(one).data ?? []);
      const stated = read.itemsReturned ?? read.photos.length;
      if (read.photos.length < stated) {
        const params = { listed: read.photos.length, count: stated };
        throw new SourceFault('unusable', reasonOf('album-source-listing-cut', params));
      }
      yield listed.map(pictureOf);
      return { title: read.streamName ?? '', mark: read.streamCtag ?? undefined };
    },
    async urlOf(picture, { checksum }) {
      const answer = await ask('webasseturls', { photoGuids: [picture.key] });
      const { items } = readSourceAnswer(answer, assetUrls);
      const place = items[checksum];
      if (place === undefined) return undefined;
      const url = iCloudUrl(`https://${place.url_location}${place.url_path}`);
      if (url === undefined) throw new SourceFault('unusable', reasonOf('album-source-icloud-host'));
      return url;
    },
  };
}

function hostOfMove(answer: SourceAnswer): string {
  const named = jsonOf(answer.body, moved)?.['X-Apple-MMe-Host'] ?? answer.header('x-apple-mme-host') ?? '';
  const url = iCloudUrl(`https://${named}/`);
  if (url === undefined || isGiven(answer)) throw new SourceFault('unusable', reasonOf('album-source-icloud-host'));
  return url.hostname;
}

function pictureOf({ photoGuid, derivatives, ...more }: z.output<typeof photo>): ICloudPicture {
  const renditions = Object.entries(derivatives ?? {}).flatMap(([name, value]): readonly ICloudRendition[] => {
    const read = derivative.safeParse(value).data;
    if (read === undefined || /^(?:PosterFrame|720p|360p)$/i.test(name)) return [];
    return [
      { checksum: read.checksum, width: read.width ?? 0, height: read.height ?? 0, bytes: read.fileSize ?? undefined },
    ];
  });
  return {
    key: photoGuid,
    name: '',
    isVideo: more.mediaAssetType?.toLowerCase() === 'video',
    taken: more.dateCreated ?? undefined,
    arrivedAt: epochOf(more.batchDateCreated),
    caption: more.caption || undefined,
    renditions,
  };
}
