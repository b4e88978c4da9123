/** Lists what a shared link of Immich shows, for which nobody needs an account (IM-13). */
import type { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { type SeenKeys, seenKeys } from '../seen-keys.ts';
import { type ListedPicture, type SourceDeps, SourceFault } from '../source.ts';
import { epochOf } from '../wall-time.ts';
import { bucketAnswer, bucketsAnswer, linkAnswer, maySee, pictureOfAsset, picturesOfBucket } from './immich-answers.ts';
import type { ImmichServer } from './immich-server.ts';
import { maxImmichPictures } from './search-immich.ts';

/** A shared link as its server describes it. */
export type ImmichLink = z.output<typeof linkAnswer>;

/** Reads what a link shows; throws for one that has expired. */
export async function readLink({ clock }: SourceDeps, server: ImmichServer): Promise<ImmichLink> {
  const link = await server.read({ path: '/shared-links/me' }, linkAnswer);
  const expiresAt = epochOf(link.expiresAt);
  if (expiresAt !== undefined && expiresAt <= clock.now()) {
    throw new SourceFault('gone', reasonOf('album-source-link-ended'));
  }
  return link;
}

/** Lists the pictures of a link, a month or less at a time. */
export async function* listLink(
  deps: SourceDeps,
  server: ImmichServer,
): AsyncGenerator<readonly ListedPicture[], void> {
  const given = seenKeys();
  const link = await readLink(deps, server);
  try {
    yield* listOnce(server, link, given);
  } catch (error) {
    if (!(error instanceof SourceFault) || error.kind !== 'gone') throw error;
    // The link may lead to another album since it was read.
    yield* listOnce(server, await readLink(deps, server), given);
  }
}

async function* listOnce(
  server: ImmichServer,
  link: ImmichLink,
  given: SeenKeys,
): AsyncGenerator<readonly ListedPicture[], void> {
  const showsMetadata = link.showMetadata !== false;
  if (link.album == null) {
    const assets = (link.assets ?? []).filter((one) => maySee(one) && given.add(one.id));
    if (assets.length > 0) yield assets.map((one) => plainPicture(pictureOfAsset(one), showsMetadata));
    return;
  }
  const query = { albumId: link.album.id, visibility: 'timeline' };
  const buckets = await server.read({ path: '/timeline/buckets', query }, bucketsAnswer);
  const count = buckets.reduce((sum, bucket) => sum + bucket.count, 0);
  if (count > maxImmichPictures || buckets.length > maxImmichPictures) {
    throw new SourceFault('unusable', reasonOf('album-source-too-large', { most: maxImmichPictures }));
  }
  const stated = link.album.assetCount ?? 0;
  if (count === 0 && stated > 0) {
    throw new SourceFault('unusable', reasonOf('album-source-listing-cut', { listed: 0, count: stated }));
  }
  for (const { timeBucket, count: expected } of buckets) {
    const columns = await server.read({ path: '/timeline/bucket', query: { ...query, timeBucket } }, bucketAnswer);
    if (columns.id.length < expected) {
      throw new SourceFault(
        'unusable',
        reasonOf('album-source-listing-cut', { listed: columns.id.length, count: expected }),
      );
    }
    const pictures = picturesOfBucket(columns, showsMetadata).filter(({ key }) => given.add(key));
    if (pictures.length > 0) yield pictures;
  }
}

/** Leaves out what the owner of the link does not show. */
function plainPicture({ taken, camera, ...picture }: ListedPicture, showsMetadata: boolean): ListedPicture {
  if (!showsMetadata) return picture;
  return { ...picture, ...(taken !== undefined && { taken }), ...(camera !== undefined && { camera }) };
}
