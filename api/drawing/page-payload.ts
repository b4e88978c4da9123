/** The INIT payload of a render page: the union of the shapes that real pages read. */
import { isoTime } from '../../runtime/clock.ts';
import { copiedRecord, isRecord } from '../../runtime/plain-record.ts';
import type { CalendarRead } from '../calendar/read-calendars.ts';
import type { IntegrationContent } from '../integration/integration-content.ts';
import type { PaperRow } from '../papers/store.ts';

/** The facts that a payload is made of. `meta` is the paper's, decoded. */
export interface PageFacts {
  readonly paper: Pick<PaperRow, 'id' | 'kind' | 'organization_id' | 'draft' | 'created_at' | 'updated_at'>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly frame: { readonly kind: string; readonly serial: string };
  readonly orientation: 'portrait' | 'landscape';
  /** The pushed content; absent before the first message (INV-75). */
  readonly content: IntegrationContent | undefined;
  /** The calendars, for integrations that ask for them (PAGE-11). */
  readonly calendarData?: CalendarRead['calendarData'] | undefined;
}

/** A payload. The service itself reads only its settings; the rest is for pages. */
export interface PagePayload extends Record<string, unknown> {
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Builds the payload. It holds no token and nothing of other papers or people. */
export function pagePayload({ paper, meta, frame, orientation, content, calendarData }: PageFacts): PagePayload {
  const saved = isRecord(meta.pluginSettings) ? meta.pluginSettings : {};
  // PAGE-23: pages look for the theme among their settings; the meta's stands in where they have none.
  const color = [saved.color, meta.color].find((name) => typeof name === 'string' && name !== '');
  const settings = color === undefined ? saved : { ...saved, color };
  const language = typeof meta.language === 'string' && meta.language !== '' ? meta.language : 'en';
  const lut = typeof meta.lut === 'string' ? meta.lut : 'default';
  return {
    id: paper.id,
    kind: paper.kind,
    organization: paper.organization_id,
    draft: paper.draft === 1,
    createdAt: isoTime(paper.created_at),
    updatedAt: isoTime(paper.updated_at),
    // with the time of the last picture, a page that shows it would have other pixels, and be offered, each time.
    imageUpdatedAt: isoTime(paper.updated_at),
    meta: {
      pluginConfigUrl: meta.pluginConfigUrl,
      pluginManifest: withLanguage(meta.pluginManifest, language),
      pluginSettings: settings,
      language,
      orientation,
      frameKind: frame.kind,
      lut,
      color: color ?? 'light',
    },
    settings,
    nativeSettings: { orientation, quality: meta.quality ?? null, lut },
    paper: { id: paper.id, kind: paper.kind, organization: paper.organization_id },
    device: { kind: frame.kind, deviceId: frame.serial },
    app: { language },
    ...(calendarData !== undefined && { calendarData }),
    ...(content !== undefined && { integrationContent: content }),
  };
}

/** The payload with other settings, in both of their places. */
export function withSettings(payload: PagePayload, settings: PagePayload['settings']): PagePayload {
  return { ...payload, settings, meta: { ...copiedRecord(payload.meta), pluginSettings: settings } };
}

/** Pages choose their texts by the manifest's list too, and stay German without one (PAGE-08). */
function withLanguage(manifest: unknown, language: string): Record<string, unknown> {
  const saved = isRecord(manifest) ? manifest : {};
  return Array.isArray(saved.language) ? saved : { ...saved, language: [language] };
}
