/** Pictures of pages that somebody else wrote: an integration's render page, or a website. */

import { viewSize } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { hasCalendars } from '../calendar/feed-list.ts';
import { calendarRemarks, type ReadCalendars } from '../calendar/read-calendars.ts';
import { contentFor, readIntegrationContent } from '../integration/integration-content.ts';
import type { PaperPage } from '../integration/page-of-paper.ts';
import type { OpenedSettings } from '../integration/paper-secrets.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { readWebsiteUrl } from '../outgoing/plain-url.ts';
import { notSetUp } from '../papers/kinds.ts';
import { ownMeta, withNativeSettings } from '../papers/native-settings.ts';
import type { PaperRow } from '../papers/store.ts';
import { websiteSelectors } from '../papers/website-selectors.ts';
import { type PageFiles, pictureFiles } from '../rendering/answer-files.ts';
import type { Rendering } from '../rendering/rendering.ts';
import { calendarSources } from './calendar-sources.ts';
import type { MissLetters } from './missing-letters.ts';
import { type PagePayload, pagePayload, withSettings } from './page-payload.ts';
import type { PaperSheet } from './paper-sheet.ts';
import { prepareShot } from './prepare-shot.ts';
import { hideSecrets } from './secrets-in-words.ts';
import { withSettingsInAddress } from './settings-in-address.ts';
import type { RenderedPicture } from './wanted-picture.ts';

export interface PageDeps {
  readonly db: Database;
  readonly files: Pick<DurableFolder, 'get'>;
  readonly rendering: Pick<Rendering, 'renderPage' | 'preparePicture'>;
  readonly signImage: (imageKey: string, requestId: string) => string;
  /** The render page of a plugin paper. */
  readonly pageOf: (paperId: string) => Promise<PaperPage>;
  readonly readCalendars: ReadCalendars;
  /** The logins that a paper has for its addresses; left out, none. */
  readonly loginsOf?: (paper: Pick<PaperRow, 'id' | 'organization_id'>) => Promise<readonly AddressLogin[]>;
  /** Puts a paper's secrets into settings that go to its integration's page; left out, there are none. */
  readonly openSettings?: (paper: PaperRow, settings: PagePayload['settings']) => OpenedSettings;
  /** Takes note of characters that no font here has. */
  readonly missed: MissLetters;
}

/** Draws an integration's page, with its settings and the content that was pushed to it. */
export async function drawPlugin(deps: PageDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  const { paper, wanted } = sheet;
  const stored = await readIntegrationContent(deps.db, paper.id, deps.signImage);
  // A picture that is announced as one revision shows no other; slides are announced by their own.
  const isAnnounced = wanted.shown.kind === 'content' && wanted.shown.id === stored?.content.revision;
  if (stored !== undefined && paper.id === wanted.paperId && !isAnnounced) {
    return { ok: false, reason: reasonOf('newer-content') };
  }
  const where = await deps.pageOf(paper.id);
  if ('problem' in where) return { ok: false, reason: where.problem };
  const content = contentFor(where.configUrl, stored);
  // T-67: content that is drawn without its image would be called shown.
  const imageKey = content === undefined ? null : (stored?.imageKey ?? null);
  if (imageKey !== null && (await deps.files.get(imageKey)) === undefined) {
    return { ok: false, reason: reasonOf('pushed-picture-lost') };
  }
  const saved = { ...sheet.meta, pluginManifest: where.manifest };
  const meta = withNativeSettings(saved);
  const calendars = hasCalendars(paper.kind, meta)
    ? await deps.readCalendars({ sharer: [paper.organization_id, 'picture', paper.id], meta, at: sheet.at })
    : undefined;
  const { panel, orientation, serial, sharer } = wanted;
  const payload = pagePayload({
    paper,
    meta,
    orientation,
    content,
    frame: { kind: panel.name, serial },
    calendarData: calendars?.calendarData,
  });
  const opened = deps.openSettings?.(paper, payload.settings) ?? { settings: payload.settings, secrets: [] };
  const rendered = await deps.rendering.renderPage({
    sharer,
    payload: withSettings(payload, opened.settings),
    url: withSettingsInAddress(
      where.url,
      sheet.meta.settingsInAddress === true ? payload.settings : {},
      where.manifest,
    ),
    ...viewSize(panel, orientation),
    // The manifest's nativeSettings may hold a zone too, which is for the page to read.
    timeZone: timeZoneOf(ownMeta(saved)),
    language: typeof meta.language === 'string' ? meta.language : undefined,
    css: cssOf(meta),
    allowedOrigin: where.loopbackOrigin,
    files: content && pictureOf(deps, content.imageUrl, stored?.imageKey),
    // Pushed content is announced as shown, so its page has to have come to an end.
    mustBeReady: content !== undefined,
  });
  const shot = hideSecrets(rendered, opened.secrets);
  const drawn = await prepareShot(deps, { ...sheet, meta }, shot);
  if (!drawn.ok || calendars === undefined) return drawn;
  const remarks = [...(drawn.remarks ?? []), ...(calendarRemarks(calendars, meta) ?? [])];
  return { ...drawn, remarks, sources: calendarSources(calendars, meta) };
}

/** Draws a website as a visitor without an account sees it. */
export async function drawWebsite(deps: PageDeps, sheet: PaperSheet): Promise<RenderedPicture> {
  const { meta, wanted, paper } = sheet;
  if ((meta.url ?? '') === '') return { ok: false, reason: notSetUp.website };
  const url = readWebsiteUrl(meta.url);
  if (!(url instanceof URL)) return { ok: false, reason: reasonOf('website-address', { because: url }) };
  const shot = await deps.rendering.renderPage({
    sharer: wanted.sharer,
    url: url.href,
    logins: await deps.loginsOf?.(paper),
    ...viewSize(wanted.panel, wanted.orientation),
    timeZone: timeZoneOf(meta),
    language: typeof meta.language === 'string' ? meta.language : undefined,
    css: cssOf(meta),
    ...websiteSelectors(meta),
  });
  return prepareShot(deps, sheet, shot);
}

/** PAGE-13: a page gets the picture itself, whether or not this machine can reach the address that it is given. */
function pictureOf({ files }: PageDeps, url?: string, imageKey?: string | null): PageFiles | undefined {
  if (url === undefined || typeof imageKey !== 'string') return undefined;
  return pictureFiles({ url, read: () => files.get(imageKey) });
}

function cssOf({ css }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof css === 'string' ? css : undefined;
}

/** Reads the manifest's time zone, unless the paper has one of its own. */
function timeZoneOf(meta: Readonly<Record<string, unknown>>): string | undefined {
  const manifest = meta.pluginManifest;
  const declared = typeof manifest === 'object' && manifest !== null && 'timezone' in manifest ? manifest.timezone : '';
  const zone = meta.timezone ?? declared;
  return typeof zone === 'string' && zone !== '' ? zone : undefined;
}
