/** One run of the conformance kit: credentials for a frame, a stage of its own, every story of its dialect. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Panel } from '../../firmware-protocol/panels.ts';
import { readStories, type Story } from '../../firmware-protocol/stories.ts';
import { fingerprintOf } from '../broker/authority.ts';
import { provisionFrame, writeCredentials } from '../frames/provision-frame.ts';
import { frameRegistry, serialKey } from '../frames/registry.ts';
import { gatewayTables } from '../gateway.ts';
import { checkFrameUrl } from '../pictures/frame-url.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, openDatabase } from '../runtime/database.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Random } from '../runtime/random.ts';
import { classicJudge } from './judge-classic.ts';
import { nativeJudge } from './judge-native.ts';
import { type Patience, playStories, type StepResult, type Summary } from './play-stories.ts';
import { openStage } from './stage.ts';

/** What a run is handed. Ports of 0 take a free one. */
export interface CheckEdges {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly serial: string;
  /** What the pictures are made for. */
  readonly panel: Panel;
  readonly dialect: 'native' | 'classic';
  /** Holds the authority, what it issued, and the frame's credentials; made when it is not there. */
  readonly folder: string;
  /** Name or address by which the frame reaches this machine. */
  readonly host: string;
  readonly port: number;
  readonly httpPort: number;
  readonly patience: Patience;
  /** Everything listens: the frame may connect. */
  readonly ready: (where: { readonly mqtts: string; readonly http: string; readonly files: readonly string[] }) => void;
  readonly tell: (result: StepResult) => void;
}

/** Plays the stories of one dialect against the frame that connects as `serial`. */
export async function checkFrame(edges: CheckEdges): Promise<Summary> {
  const { panel, folder, clock, random } = edges;
  const db = await openDatabase({ file: join(folder, 'conformance.sqlite') }, gatewayTables);
  try {
    const files = await credentialsOf(db, edges);
    const stage = await openStage({ ...edges, db });
    try {
      if (edges.dialect === 'classic') checkFrameUrl(stage.http);
      edges.ready({ mqtts: stage.mqtts, http: stage.http, files });
      const judge = (edges.dialect === 'native' ? nativeJudge : classicJudge)({ stage, panel, clock, random });
      return await playStories(storiesOf(edges.dialect), stage, judge, edges.patience, edges.tell);
    } finally {
      await stage.close();
    }
  } finally {
    await db.destroy();
  }
}

/** The stories of a dialect. Those for a frame without a picture come first: the others would give it one. */
function storiesOf(dialect: CheckEdges['dialect']): readonly Story[] {
  const own = readStories().filter((story) => story.dialect === dialect);
  const isUnpaired = ({ name }: Story): boolean => name === 'unpaired frame';
  return [...own.filter(isUnpaired), ...own.filter((story) => !isUnpaired(story))];
}

/** The frame's credential files: those of an earlier run as long as they hold, so that it need not be flashed again. */
async function credentialsOf(db: Database, edges: CheckEdges): Promise<readonly string[]> {
  const { serial, panel, folder, clock, random } = edges;
  const pem = await readFile(join(folder, `${serial}.crt`), 'utf8').catch(() => undefined);
  if (pem !== undefined) {
    const owner = await frameRegistry(db).serialOfCertificate(fingerprintOf(new X509Certificate(pem)));
    const names = [`${serial}.key`, `${serial}.crt`, 'ca.crt', `${serial}.password`];
    if (owner === serialKey(serial)) return names.map((name) => join(folder, name));
  }
  const frame = await provisionFrame(
    { db, clock, random, dataFolder: folder },
    { serial, kind: panel.name, withPassword: true },
  );
  return writeCredentials(folder, frame);
}
