/** The INIT payload of a render page: the union of the shapes that real pages read (P-01, P-07, P-08, P-14). */
import { isoTime } from '../../gateway/runtime/clock.ts';
import type { CalendarRead } from '../calendar/read-calendars.ts';
import type { IntegrationContent } from '../integration/integration-content.ts';
import type { PaperRow } from '../papers/store.ts';

/** What a payload is made of. `meta` is the paper's, decoded. */
export interface PageFacts {
  readonly paper: Pick<PaperRow, 'id' | 'kind' | 'organization_id' | 'created_at' | 'updated_at' | 'image_updated_at'>;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly frame: { readonly kind: string; readonly serial: string };
  readonly orientation: 'portrait' | 'landscape';
  /** Absent before the first message (INV-75). */
  readonly content: IntegrationContent | undefined;
  /** For integrations that ask for calendars (P-11, P-12). */
  readonly calendarData?: CalendarRead['calendarData'] | undefined;
}

/** Builds the payload. It holds no token and nothing of other papers or people. */
export function pagePayload({
  paper,
  meta,
  frame,
  orientation,
  content,
  calendarData,
}: PageFacts): Record<string, unknown> {
  const saved = isRecord(meta.pluginSettings) ? meta.pluginSettings : {};
  // P-23: pages look for the theme among their settings too.
  const color = [meta.color, saved.color].find((name) => typeof name === 'string' && name !== '');
  const settings = color === undefined ? saved : { ...saved, color };
  const language = typeof meta.language === 'string' && meta.language !== '' ? meta.language : 'en';
  const lut = typeof meta.lut === 'string' ? meta.lut : 'default';
  return {
    id: paper.id,
    kind: paper.kind,
    organization: paper.organization_id,
    draft: false,
    createdAt: isoTime(paper.created_at),
    updatedAt: isoTime(paper.updated_at),
    imageUpdatedAt: isoTime(paper.image_updated_at ?? paper.updated_at),
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

/** Pages choose their texts by the manifest's list too, and stay German without one (P-08). */
function withLanguage(manifest: unknown, language: string): Record<string, unknown> {
  const saved = isRecord(manifest) ? manifest : {};
  return Array.isArray(saved.language) ? saved : { ...saved, language: [language] };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
