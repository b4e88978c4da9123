/** Routes behind the making of a paper: what it would show, before it is saved or even made. */

import { z } from 'zod';
import { viewSize } from '../../../firmware-protocol/panels.ts';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { spellOut, wordsOf } from '../../../reasons/words.ts';
import { isoTime } from '../../../runtime/clock.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { newRow } from '../../../runtime/database/table.ts';
import { type Principal, requireMembership } from '../../access/principal.ts';
import { playlistPapers } from '../../calendar/choose-entry.ts';
import { type PlaylistWeek, playlistWeek } from '../../calendar/playlist-week.ts';
import { noPanelFor, panelOf } from '../../devices/device-panel.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { showablePapers } from '../../drawing/draw-composed.ts';
import type { DrawDraft } from '../../drawing/draw-paper.ts';
import type { PaperSheet } from '../../drawing/paper-sheet.ts';
import { remarkFields, tellRemarks } from '../../files/tell-remark.ts';
import { objectId, storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledReasons } from '../../http/spelled-reasons.ts';
import { drawPanelFile, drawQueued } from '../../inks/renditions.ts';
import { draftableKind } from '../../papers/kinds.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { metaIsRead, paperMeta } from '../../papers/paper-meta.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import type { PaperRow } from '../../papers/store.ts';
import { papersTables } from '../../papers/tables.ts';
import { withRecipeForm } from '../../recipes/paper-form.ts';
import { draftFields, draftLogins, readLogins } from './draft-fields.ts';

export interface DraftDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly drawDraft: DrawDraft;
}

/** The drafts of one organization that are drawn at once: each may hold a page of the browser for half a minute. */
const maxUnderWay = 3;

const entries = z.array(z.unknown()).max(100);

const place = z.number().int().describe('the place of an entry in the list, from 0 on');

const weekShown = z.object({
  days: z.array(
    z.object({
      date: z.string(),
      from: z.string().describe('the midnight at which the day begins'),
      until: z.string().describe('the next midnight: a day in which clocks are changed has 23 hours, or 25'),
      blocks: z.array(
        z.object({
          entry: place.nullable().describe('null before the first entry begins: the frame keeps its picture'),
          from: z.string(),
          until: z.string(),
          stays: z.boolean().describe('whether the entry is over, and stays because nothing else is planned'),
        }),
      ),
    }),
  ),
  covered: z
    .array(z.object({ entry: place, by: place, isHidden: z.boolean() }))
    .describe('entries that another one cuts short, or hides because both begin at one time'),
  absent: z.array(place).describe('entries that do not come in these days'),
  unshowable: z.array(place).describe('entries whose paper is gone, or is made of other papers itself'),
  problems: z
    .array(z.object({ entry: place, problem: z.string(), problems: spelledReasons }))
    .describe('entries whose times cannot be read'),
});

const draftDrawn = z.object({
  width: z.number().describe('pixels as a person sees them'),
  height: z.number(),
  png: z
    .string()
    .optional()
    .describe(
      'the picture in the measured colours of the inks, as PNG in Base64, kept nowhere; absent where there is none',
    ),
  problem: z.string().optional().describe('why there is no picture'),
  problems: spelledReasons.optional(),
  ...remarkFields,
});

/** Returns the routes. Nothing that they take or make is stored. */
export function draftRoutes(deps: DraftDeps): AnyRoute[] {
  const bounded = boundedByOrganization();
  return [
    weekRoute(deps),
    route('POST /previews/paper', {
      audit: { none: 'it changes nothing' },
      summary: 'How a paper would look on the panel of a device, before it is saved or made; nothing of it is kept',
      noStore: true,
      body: z.object({
        deviceId: objectId,
        kind: z
          .union([draftableKind, z.literal('album')])
          .describe('an album shows its next picture, with the words and the pair that it would have'),
        meta: z.unknown().describe(metaIsRead),
        paperId: objectId
          .describe('The paper whose draft it is, for its logins; left out, one that is not made yet')
          .optional(),
        logins: draftLogins.optional(),
      }),
      output: draftDrawn,
      refuses: ['not-found', 'access-denied', 'rate-limited'],
      async handle({ body, principal, caller: { signal } }) {
        const { sheet, sharer } = await sheetOf(deps, principal, body);
        const { panel, orientation } = sheet.wanted;
        const drawn = await bounded(sheet.paper.organization_id, () => deps.drawDraft(sheet, readLogins(body.logins)));
        const size = viewSize(panel, orientation);
        if (!drawn.ok) return { ...size, problem: wordsOf(drawn.reason), problems: [...spellOut(drawn.reason)] };
        const png = await drawQueued({ sharer, signal }, () => drawPanelFile(panel, orientation, drawn.file));
        if (png === undefined) throw new Error(`a draft for ${panel.name} cannot be drawn`);
        return { ...size, png: png.toString('base64'), ...tellRemarks(drawn.remarks ?? []) };
      },
    }),
  ];
}

interface Draft {
  readonly deviceId: string;
  readonly kind: string;
  readonly meta?: unknown;
  readonly paperId?: string | undefined;
}

/** Makes the sheet of a draft: a row that is stored nowhere, on the panel of the device. */
async function sheetOf({ db, clock, random }: DraftDeps, principal: Principal, draft: Draft) {
  const device = await requireDevice(db, principal, draft.deviceId, 'write');
  const { organization_id: organizationId } = device;
  const saved = draft.paperId === undefined ? undefined : await requirePaper(db, principal, draft.paperId, 'write');
  // A login of one organization is never used for what another one types.
  if (saved !== undefined && saved.organization_id !== organizationId) throw refuse('not-found');
  const panel = panelOf(device);
  if (panel === undefined) throw refuse('invalid-request', { hint: noPanelFor('devices', device.kind) });
  const meta = paperMeta(draft.kind, await withRecipeForm(db, organizationId, draft.kind, draft.meta ?? {}));
  const now = clock.now();
  const id = saved?.id ?? random.id();
  const paper: PaperRow = newRow(papersTables, 'papers', {
    id,
    organization_id: organizationId,
    device_id: '',
    kind: draft.kind,
    meta,
    secrets: draft.kind === 'recipe' ? (saved?.secrets ?? '') : '',
    author: '',
    sequence: 0,
    created_at: 0,
    updated_at: 0,
  });
  const sharer = [organizationId, principal.accountId] as const;
  const sheet: PaperSheet = {
    paper,
    meta: storedObject(meta),
    at: now,
    wanted: {
      sharer,
      paperId: id,
      shown: { kind: 'page', id },
      edition: 0,
      panel,
      orientation: orientationOf(meta, device.meta),
      serial: device.serial ?? '',
      position: 0,
    },
  };
  return { sheet, sharer };
}

/** Has each organization draw a few drafts at once. One more is refused and holds nothing (T-60). */
function boundedByOrganization() {
  const underWay = new Map<string, number>();
  return async <Drawn>(organizationId: string, draw: () => Promise<Drawn>): Promise<Drawn> => {
    const before = underWay.get(organizationId) ?? 0;
    if (before >= maxUnderWay) throw refuse('rate-limited', { message: reasonOf('many-drafts-drawn') });
    underWay.set(organizationId, before + 1);
    try {
      return await draw();
    } finally {
      const left = (underWay.get(organizationId) ?? 1) - 1;
      if (left === 0) underWay.delete(organizationId);
      else underWay.set(organizationId, left);
    }
  };
}

function weekRoute({ db, clock }: DraftDeps): AnyRoute {
  return route('POST /previews/playlist-week', {
    audit: { none: 'it changes nothing' },
    summary: 'What a playlist would show in the next seven days, before it is saved or made',
    noStore: true,
    body: z.object({
      organization: draftFields.organization,
      playlistEntries: entries.describe("As in a paper's meta"),
      timezone: draftFields.timezone,
    }),
    output: weekShown,
    refuses: ['not-found', 'access-denied'],
    async handle({ body: { organization, ...meta }, principal }) {
      requireMembership(principal, organization, 'write');
      const found = await showablePapers(db, organization, playlistPapers(meta));
      return showWeek(playlistWeek(meta, clock.now(), (id) => found.has(id)));
    },
  });
}

function showWeek({ days, problems, covered, absent, unshowable }: PlaylistWeek): z.input<typeof weekShown> {
  return {
    covered: [...covered],
    absent: [...absent],
    unshowable: [...unshowable],
    days: days.map(({ date, from, until, blocks }) => ({
      date,
      from: isoTime(from),
      until: isoTime(until),
      blocks: blocks.map((block) => ({ ...block, from: isoTime(block.from), until: isoTime(block.until) })),
    })),
    problems: problems.map(({ entry, reason }) => ({
      entry,
      problem: wordsOf(reason),
      problems: [...spellOut(reason)],
    })),
  };
}
