/**
 * The rollouts in memory: the image of every running rollout, and the manifests of classic frames, which wait for
 * theirs at every wake. The cache is refreshed by the clock, because people change rollouts from other processes.
 */
import { classicManifestPath, encodeClassicManifest } from '../../firmware-protocol/classic-manifest.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type FrameRow, serialKey } from '../frames/registry.ts';
import { firmwareKind } from './images.ts';
import { type Rollout, rolloutLog } from './rollouts.ts';

export interface RolloutCacheDeps extends Pick<CommonDeps, 'db' | 'logger'> {
  readonly images: DurableFolder;
  /** The base of the addresses in classic manifests. */
  readonly frameUrl: () => string;
}

export interface RolloutCache {
  /** Reads rollouts and images again; when that fails, the cache stays as it was. */
  refresh(): Promise<void>;
  rollouts(): readonly Rollout[];
  /** The live rollout for a frame, running or paused: one of its owner that lists it, else the operator's. */
  live(frame: Pick<FrameRow, 'serial' | 'kind'>, dialect: string): Rollout | undefined;
  /** The version that a frame took last from a finished rollout to itself alone. */
  finished(serial: string): string | undefined;
  /** The bytes of a running rollout's image; undefined when the file is missing or damaged. */
  image(rollout: Pick<Rollout, 'sha256'>): Buffer | undefined;
  /** The manifest under a path such as `/ota/epd7`. */
  manifest(path: string): Uint8Array | undefined;
  /** The image that a manifest names. */
  imageOfManifest(path: string): Buffer | undefined;
}

/** Returns the ids of owners' live rollouts for each frame that they list. */
async function listedFrames(db: Database): Promise<Map<string, readonly string[]>> {
  const listed = new Map<string, readonly string[]>();
  for (const { serial, rollout_id: id } of await rolloutLog(db).reached()) {
    listed.set(serial, [...(listed.get(serial) ?? []), id]);
  }
  return listed;
}

/** Finds the live rollout for a frame among those of its kind and dialect: one that lists it, else the operator's. */
function rolloutFor(
  rollouts: readonly Rollout[],
  { kind, dialect }: { readonly kind: string; readonly dialect: string },
  listed: readonly string[] = [],
): Rollout | undefined {
  const known = firmwareKind(kind);
  const fitting = rollouts.filter((rollout) => rollout.kind === known && rollout.dialect === dialect);
  return fitting.find(({ id }) => listed.includes(id)) ?? fitting.find(({ owner }) => owner === null);
}

/** Creates an empty cache. */
export function openRolloutCache(deps: RolloutCacheDeps): RolloutCache {
  const { db, images, logger } = deps;
  let rollouts: readonly Rollout[] = [];
  let reached: ReadonlyMap<string, readonly string[]> = new Map();
  let finished: ReadonlyMap<string, string> = new Map();
  let bytes: ReadonlyMap<string, Buffer> = new Map();
  let manifests: ReadonlyMap<string, Uint8Array> = new Map();
  let classic: ReadonlyMap<string, Buffer> = new Map();
  /** The rollouts whose problem was reported already. */
  const complained = new Set<string>();

  function complain(rollout: Rollout, problem: string): void {
    if (complained.has(rollout.id)) return;
    complained.add(rollout.id);
    const { id, kind, dialect, version } = rollout;
    logger.error({ rollout: id, kind, dialect, version }, `firmware is not offered: ${problem}`);
  }

  async function load(rollout: Rollout): Promise<Buffer | undefined> {
    const known = bytes.get(rollout.sha256);
    if (known !== undefined) return known;
    const file = await images.get(rollout.sha256);
    if (file !== undefined) complained.delete(rollout.id);
    else complain(rollout, 'its image is missing or damaged');
    return file;
  }

  function manifestOf(rollout: Rollout): Uint8Array | undefined {
    const url = deps.frameUrl() + rollout.path;
    if (url.startsWith('http://')) return encodeClassicManifest({ version: rollout.version, url });
    complain(rollout, 'classic frames fetch over plain http, and PAPERGATE_FRAME_URL is another address');
    return undefined;
  }

  return {
    async refresh() {
      const live = await rolloutLog(db).live();
      const ended = await rolloutLog(db).finished();
      const listed = await listedFrames(db);
      const loaded = new Map<string, Buffer>();
      const encoded = new Map<string, Uint8Array>();
      const named = new Map<string, Buffer>();
      for (const rollout of live.filter(({ state }) => state === 'running')) {
        const file = await load(rollout);
        if (file === undefined) continue;
        loaded.set(rollout.sha256, file);
        const manifest = rollout.dialect === 'classic' ? manifestOf(rollout) : undefined;
        if (manifest === undefined) continue;
        encoded.set(classicManifestPath(rollout.kind), manifest);
        named.set(rollout.path, file);
      }
      rollouts = live;
      reached = listed;
      finished = new Map(ended.map(({ serial, version }) => [serial ?? '', version]));
      bytes = loaded;
      manifests = encoded;
      classic = named;
    },
    rollouts: () => rollouts,
    live: ({ serial, kind }, dialect) => rolloutFor(rollouts, { kind, dialect }, reached.get(serialKey(serial))),
    finished: (serial) => finished.get(serial),
    image: ({ sha256 }) => bytes.get(sha256),
    manifest: (path) => manifests.get(path),
    imageOfManifest: (path) => classic.get(path),
  };
}
