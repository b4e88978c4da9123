/** `papergate firmware`: images and rollouts. Works while serve is running, which notices within seconds. */

import { readFile, stat } from 'node:fs/promises';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { addImage, type FirmwareDialect, maxImageBytes, openImages } from '../../gateway/firmware/images.ts';
import { offerLog } from '../../gateway/firmware/offer-log.ts';
import {
  pauseRollout,
  type Rollout,
  raiseRollout,
  resumeRollout,
  rolloutLog,
  startRollout,
} from '../../gateway/firmware/rollouts.ts';
import { requireKind } from '../../gateway/frames/frame-kinds.ts';
import { readReasons } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { withContext } from '../ground/data-folder.ts';
import { printResult, printTable, printWarning, shortTime } from '../ground/print.ts';
import { WrongUsage, wholeNumberOption } from '../ground/usage.ts';

/** Reads a file that may be an image; a file that cannot be one is not read whole. */
async function readImage(path: string): Promise<Buffer> {
  const unreadable = (): Error => refuse('invalid-request', { message: `${path} cannot be read` });
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || !found.isFile()) throw unreadable();
  if (found.size > maxImageBytes) {
    throw refuse('invalid-request', {
      message: `${path} has ${found.size} bytes`,
      hint: `at most ${maxImageBytes} fit on a frame`,
    });
  }
  return readFile(path).catch(() => {
    throw unreadable();
  });
}

const imagesOf = async ({ areas, dataFolder }: ServiceContext): Promise<DurableFolder> =>
  areas?.open('firmware') ?? openImages(dataFolder);

/** Stores an image. */
export async function add(
  path: string,
  options: { kind: string; version: string; dialect: FirmwareDialect; sha256?: string; json?: boolean },
): Promise<void> {
  const file = await readImage(path);
  await withContext(async (context) => {
    const deps = { ...context, images: await imagesOf(context) };
    const { kind, dialect, version, sha256, bytes } = await addImage(deps, { ...options, file }, context.clock.now());
    printResult({ kind, dialect, version, sha256, bytes }, options.json);
  });
}

/** Starts a rollout. */
export async function offer(options: {
  kind: string;
  version: string;
  dialect: FirmwareDialect;
  percent?: string;
  frame?: string;
  json?: boolean;
}): Promise<void> {
  if (options.percent !== undefined && options.frame !== undefined) {
    throw new WrongUsage('--percent and --frame', 'one of them, or none for all frames of the kind');
  }
  const percent = wholeNumberOption('--percent', options.percent ?? '100', 1, 100);
  await withContext(async (context) => {
    const deps = { ...context, images: await imagesOf(context) };
    const { version, dialect, frame: serial } = options;
    const wish = { kind: requireKind(options.kind), dialect, version, percent, serial };
    const { supersedes, ...rollout } = await startRollout(deps, wish, context.clock.now());
    printResult({ ...shown(rollout), supersedes, reaches: reach(rollout) }, options.json);
    if (dialect === 'classic' && readSettings(process.env).PAPERGATE_FRAME_URL?.startsWith('https:') === true) {
      printWarning(
        'Classic frames fetch firmware over plain http only: PAPERGATE_FRAME_URL is https, so nothing is published.',
      );
    }
  });
}

/** Describes the frames that a rollout reaches. */
function reach({ dialect, kind, serial, percent }: Rollout): string {
  if (serial !== null) return `the native frame ${serial}`;
  if (dialect === 'classic') return `every classic ${kind} frame that asks, no matter who owns it`;
  return `${percent === 100 ? 'all' : `${percent} % of the`} native ${kind} frames; classic frames are not reached`;
}

/** Lists rollouts with the numbers of their frames, and images that were never offered. */
export async function listFirmware(options: { json?: boolean }): Promise<void> {
  await withContext(async (context) => {
    const { db } = context;
    const rollouts = await rolloutLog(db).list();
    const images = await imagesOf(context);
    const rows = [];
    for (const rollout of rollouts) {
      const { offered, started, updated, lost } = await offerLog(db).counts(rollout.id, 0);
      const isLive = rollout.state === 'running' || rollout.state === 'paused';
      const missing = isLive && (await images.get(rollout.sha256)) === undefined;
      const reason = missing ? 'the image’s file is missing or damaged' : wordsOf(readReasons(rollout.reason)) || null;
      rows.push({ ...shown(rollout), offered, started, updated, lost, reason });
    }
    const stored = await db('firmware_images')
      .whereNotIn('id', db('firmware_rollouts').select('image_id'))
      .orderBy('added_at')
      .select<Pick<Rollout, 'kind' | 'dialect' | 'version'>[]>('kind', 'dialect', 'version');
    const none = { rollout: null, target: null, state: 'not offered', offered: 0, started: 0, updated: 0, lost: 0 };
    for (const { kind, dialect, version } of stored) rows.push({ ...none, kind, dialect, version, reason: null });
    const numbers = ['offered', 'started', 'updated', 'lost'];
    const columns = ['rollout', 'kind', 'dialect', 'version', 'target', 'state', ...numbers, 'reason'];
    printTable(rows, columns, options.json);
  });
}

/** Lists the reports of a rollout's frames, and how each ended. */
export async function frames(id: string, options: { json?: boolean }): Promise<void> {
  await withContext(async ({ db }) => {
    const rollout = await rolloutLog(db).find(id);
    if (rollout === undefined) throw refuse('not-found', { message: `No rollout ${id.slice(0, 40)}` });
    const rows = (await offerLog(db).ofRollout(id)).map((offer) => ({
      serial: offer.serial,
      before: offer.version_before,
      told: shortTime(offer.told_at),
      phase: offer.phase,
      taken: shortTime(offer.taken_at),
      outcome: offer.outcome,
      at: shortTime(offer.outcome_at),
      reason: wordsOf(readReasons(offer.reason)) || null,
    }));
    printTable(rows, ['serial', 'before', 'told', 'phase', 'taken', 'outcome', 'at', 'reason'], options.json);
  });
}

/** Pauses, resumes or widens a rollout. */
export async function change(
  id: string,
  wish: 'pause' | 'resume' | { readonly percent: string },
  options: { json?: boolean },
): Promise<void> {
  const percent = typeof wish === 'object' ? wholeNumberOption('the percentage', wish.percent, 1, 100) : undefined;
  await withContext(async ({ db, clock }: ServiceContext) => {
    const now = clock.now();
    const changed =
      percent !== undefined
        ? await raiseRollout(db, id, percent, now)
        : await (wish === 'pause' ? pauseRollout : resumeRollout)(db, id, now);
    printResult(shown(changed), options.json);
  });
}

function shown({ id, kind, dialect, version, serial, owner, percent, state }: Rollout) {
  return {
    rollout: id,
    kind,
    dialect,
    version,
    target: serial ?? (owner === null ? `${percent} %` : `listed frames of ${owner}`),
    state,
  };
}
