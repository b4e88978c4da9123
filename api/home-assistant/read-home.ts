/** Reads the values published to Home Assistant, through the same routes as the console. */
import type { DeviceOverview } from '../routes/devices/overview-route.ts';
import type { PaperShown } from '../routes/papers/show-paper.ts';
import type { CallRoute } from './call-routes.ts';
import type { HomeFacts, HomeFrame } from './discovery-message.ts';
import { uniqueNames } from './paper-names.ts';

const pageRows = 200;
const idsAtOnce = 100;
/** Names beyond it would make the discovery message of each frame too long for Home Assistant's own pages, too. */
const maxPapers = 200;

export interface ReadHomeDeps {
  readonly call: CallRoute;
  readonly organizationId: string;
  /** Returns those of the serials whose frames carry commands out. */
  readonly knowCommands: (serials: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Draws a picture that was offered to the frame of a device, as PNG; undefined when it is no longer kept. */
  readonly picture: (deviceId: string, uploadId: string) => Promise<Buffer | undefined>;
  readonly publicUrl: () => string;
  readonly version: string;
}

/** The reader of one organization. */
export interface HomeReader {
  facts(): Promise<HomeFacts>;
  all(): AsyncIterable<readonly HomeFrame[]>;
  some(deviceIds: readonly string[]): Promise<HomeFrame[]>;
  picture(deviceId: string, uploadId: string): Promise<Buffer | undefined>;
}

export function homeReader(deps: ReadHomeDeps): HomeReader {
  const { call, organizationId } = deps;

  async function framesOf(rows: readonly DeviceOverview[]): Promise<HomeFrame[]> {
    const bound = rows.flatMap((shown) => (shown.serial === null ? [] : [{ serial: shown.serial, shown }]));
    const able = await deps.knowCommands(bound.map(({ serial }) => serial));
    return bound.map((frame) => ({ ...frame, knowsCommands: able.has(frame.serial) }));
  }

  const overview = (query: Readonly<Record<string, string>>): Promise<DeviceOverview[]> =>
    call('GET /devices/overview', { query: { organization: organizationId, ...query } });

  return {
    picture: deps.picture,
    async facts() {
      const { results } = await call<{ results: PaperShown[] }>('GET /papers/', {
        query: { organization: organizationId, sortBy: 'createdAt:asc', limit: String(maxPapers) },
      });
      const nameOfPaper = uniqueNames(results);
      return {
        nameOfPaper,
        paperNames: [...nameOfPaper.values()],
        publicUrl: deps.publicUrl(),
        version: deps.version,
      };
    },
    async *all() {
      let after: string | undefined;
      for (;;) {
        const rows = await overview({ limit: String(pageRows), ...(after !== undefined && { after }) });
        yield await framesOf(rows);
        after = rows.at(-1)?.id;
        if (rows.length < pageRows) return;
      }
    },
    async some(deviceIds) {
      const frames: HomeFrame[] = [];
      for (let start = 0; start < deviceIds.length; start += idsAtOnce) {
        const rows = await overview({ ids: deviceIds.slice(start, start + idsAtOnce).join(',') });
        frames.push(...(await framesOf(rows)));
      }
      return frames;
    },
  };
}
