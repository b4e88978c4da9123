/**
 * The newer wire of iCloud shared albums, for links since iOS 26: records of CloudKit's public database, page by page, with
 * addresses of the pictures that end after a quarter of an hour (IC-5). Read off a browser; Apple documents none of it.
 */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import {
  askSourceServer,
  faultOfRefusal,
  isGiven,
  jsonOf,
  readSourceAnswer,
  unreadableAnswer,
} from '../ask-source-server.ts';
import { seenKeys } from '../seen-keys.ts';
import { shownText } from '../shown-text.ts';
import { type SourceDeps, SourceFault } from '../source.ts';
import type { ICloudAlbum, ICloudListed, ICloudPicture } from './icloud-album.ts';
import { type CloudRecord, cloudRecord, pairing } from './pair-records.ts';
import { iCloudUrl, readICloudRedirect } from './read-icloud-link.ts';

const resolvePath = '/database/1/com.apple.photos.cloud/production/public/records/resolve';
const queryPath = '/database/1/com.apple.photos.cloud/production/shared/records/query';
/** The build of Apple's own page of which the wire was read. */
const build = '2630BuildBeta18';
const clientOfPage = {
  remapEnums: 'true',
  getCurrentSyncToken: 'true',
  clientBuildNumber: build,
  clientMasteringNumber: build,
};
/** The most records that are answered at once, and the most pages: twice as many as an album holds. */
const pageRecords = 200;
const maxPages = 500;

const zoneId = z.record(z.string(), z.unknown());
const resolved = z.object({
  results: z
    .array(
      z.object({
        zoneID: zoneId.nullish().catch(undefined),
        serverErrorCode: z.string().nullish().catch(undefined),
        requireAppleLogin: z.boolean().nullish().catch(undefined),
        anonymousPublicAccess: z
          .object({ token: z.string().min(1).max(8_000), databasePartition: z.string().max(300) })
          .nullish()
          .catch(undefined),
        share: z
          .object({ fields: z.object({ 'cloudkit.title': z.object({ value: z.string().max(4_000) }) }) })
          .nullish()
          .catch(undefined),
      }),
    )
    .max(100),
});
const page = z.object({
  records: z.array(z.unknown()),
  continuationMarker: z.string().min(1).max(20_000).nullish(),
});
const complaint = z.object({ serverErrorCode: z.string().max(200) });

const query = {
  recordType: 'CPLAssetAndMasterByAddedDate',
  filterBy: [
    { fieldName: 'direction', comparator: 'EQUALS', fieldValue: { value: 'ASCENDING', type: 'STRING' } },
    { fieldName: 'startRank', comparator: 'EQUALS', fieldValue: { value: 0, type: 'INT64' } },
  ],
};

/** The album that a link leads to, with what opens it for twenty minutes. */
interface OpenShare {
  readonly title: string;
  readonly zoneID: Readonly<Record<string, unknown>>;
  readonly url: URL;
}

function withQuery(url: URL, values: Readonly<Record<string, string>>): URL {
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url;
}

/** Opens an album by the token of its link. */
export function cloudKitAlbum(deps: SourceDeps, token: string): ICloudAlbum {
  async function ask(url: URL, json: unknown) {
    const answer = await askSourceServer(deps, { url, method: 'POST', json, readAddress: readICloudRedirect });
    if (isGiven(answer)) return answer;
    const code = jsonOf(answer.body, complaint)?.serverErrorCode ?? '';
    throw /NOT_FOUND|UNKNOWN_ITEM/.test(code) ? linkEnded() : faultOfRefusal(answer);
  }

  async function resolve(): Promise<OpenShare> {
    const url = withQuery(new URL(`https://ckdatabasews.icloud.com${resolvePath}`), {
      ...clientOfPage,
      sharing_url_key: token,
    });
    const { results } = readSourceAnswer(await ask(url, { shortGUIDs: [{ value: token }] }), resolved);
    const [found] = results;
    if (/NOT_FOUND|UNKNOWN_ITEM/.test(found?.serverErrorCode ?? '')) throw linkEnded();
    if (found?.requireAppleLogin === true) throw new SourceFault('denied', reasonOf('album-source-icloud-private'));
    if (found?.zoneID == null || found.anonymousPublicAccess == null) throw unreadableAnswer();
    const { token: access, databasePartition } = found.anonymousPublicAccess;
    const partition = iCloudUrl(databasePartition);
    if (partition === undefined) throw new SourceFault('unusable', reasonOf('album-source-icloud-host'));
    return {
      title: shownText(found.share?.fields['cloudkit.title'].value ?? ''),
      zoneID: found.zoneID,
      url: withQuery(new URL(`${partition.origin}${queryPath}`), {
        ...clientOfPage,
        sharing_url_key: token,
        publicAccessAuthToken: access,
      }),
    };
  }

  /** The records of an album, page by page: the query is repeated with each marker. */
  async function* recordsOf({ zoneID, url }: OpenShare): AsyncGenerator<readonly CloudRecord[]> {
    const markers = seenKeys();
    let place: { readonly continuationMarker?: string } = {};
    for (let pages = 0; pages < maxPages; pages++) {
      const json = { query, zoneID, resultsLimit: pageRecords, ...place };
      const { records, continuationMarker } = readSourceAnswer(await ask(url, json), page);
      yield records.flatMap((one) => cloudRecord.safeParse(one).data ?? []);
      if (continuationMarker == null) return;
      if (!markers.add(continuationMarker)) break;
      place = { continuationMarker };
    }
    throw new SourceFault('unusable', reasonOf('album-source-listing-repeats'));
  }

  return {
    async *pages(): AsyncGenerator<readonly ICloudPicture[], ICloudListed, void> {
      const share = await resolve();
      const { pair } = pairing();
      for await (const records of recordsOf(share)) yield pair(records);
      return { title: share.title };
    },
    async urlOf(_, { url }) {
      return url === undefined ? undefined : (iCloudUrl(url) ?? refuseHost());
    },
  };
}

const linkEnded = (): SourceFault => new SourceFault('gone', reasonOf('album-source-link-ended'));

function refuseHost(): never {
  throw new SourceFault('unusable', reasonOf('album-source-icloud-host'));
}
