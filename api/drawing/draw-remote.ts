/** Pictures at addresses, fetched each time that they are drawn. */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { readPlainUrl } from '../outgoing/plain-url.ts';
import { notSetUp } from '../papers/kinds.ts';
import type { PaperRow } from '../papers/store.ts';
import { fetchRemotePicture, type RemoteDeps } from '../remote-pictures/fetch-picture.ts';
import type { PaperSheet } from './paper-sheet.ts';
import type { Uploaded } from './prepare-uploaded.ts';
import type { RenderedPicture, WantedPicture } from './wanted-picture.ts';

export interface RemoteDrawDeps extends RemoteDeps {
  readonly loginsOf?: (paper: Pick<PaperRow, 'id' | 'organization_id'>) => Promise<readonly AddressLogin[]>;
}

/** The time for a picture, its decoding included. */
const patienceMs = 60_000;

/**
 * Draws the picture at a paper's address; while it cannot be had, the last one.
 * @param drawStored draws a picture of the files
 */
export async function drawRemote(
  deps: RemoteDrawDeps,
  { paper, meta, wanted }: PaperSheet,
  drawStored: (picture: Uploaded, wanted: WantedPicture) => Promise<RenderedPicture>,
): Promise<RenderedPicture> {
  if (typeof meta.url !== 'string' || meta.url === '') return { ok: false, reason: notSetUp.remote };
  const { width, height } = viewSize(wanted.panel, wanted.orientation);
  const url = readPlainUrl(
    meta.url.replaceAll(/\{\{\s*(width|height)\s*\}\}/g, (_, side) => String(side === 'width' ? width : height)),
  );
  if (!(url instanceof URL)) return { ok: false, reason: reasonOf('website-address', { because: url }) };
  const logins = (await deps.loginsOf?.(paper)) ?? [];
  const signal = AbortSignal.timeout(patienceMs);
  const { pictureKey, answeredAt, problem } = await fetchRemotePicture(deps, {
    sharer: wanted.sharer,
    paper,
    typed: meta.url,
    url,
    logins,
    signal,
  });
  if (pictureKey === null) {
    return {
      ok: false,
      reason: reasonOf('source-failed', { host: url.host, because: problem ?? reasonOf('network') }),
    };
  }
  const drawn = await drawStored({ picture_key: pictureKey, device_picture_key: null, meta: paper.meta }, wanted);
  if (!drawn.ok) return drawn;
  const source = { name: url.host, answeredAt, ...(problem !== undefined && { problem }) };
  const sources = [source];
  if (problem === undefined || answeredAt === null) return { ...drawn, sources };
  const stale = reasonOf('source-stale', { host: url.host, time: isoTime(answeredAt), because: problem });
  return { ...drawn, sources, remarks: [...(drawn.remarks ?? []), stale] };
}
