/** One run of the conformance kit: credentials for a frame, a stage of its own, and every story of its dialect. */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Panel } from '../../firmware-protocol/panels.ts';
import { readStories, type Story } from '../../firmware-protocol/stories.ts';
import { frameRegistry, serialKey } from '../../gateway/frames/registry.ts';
import { gatewayTables } from '../../gateway/gateway.ts';
import { fingerprintOf } from '../../gateway/identity/authority.ts';
import { checkFrameUrl } from '../../gateway/pictures/frame-url.ts';
import { provisionFrame, writeCredentials } from '../../gateway/provisioning/provision-frame.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { classicJudge } from './judge-classic.ts';
import { nativeJudge } from './judge-native.ts';
import { type Patience, playStories, type StepResult, type Summary } from './play-stories.ts';
import { openStoryStage } from './stage.ts';
import { type Exchange, recordExchanges } from './transcript.ts';

/** Dependencies of a run. Ports of 0 take a free one. */
export interface CheckDeps extends Pick<CommonDeps, 'clock' | 'random' | 'logger'> {
  readonly serial: string;
  /** The panel for which the pictures are made. */
  readonly panel: Panel;
  readonly dialect: 'native' | 'classic';
  /** The folder of the authority, its certificates and the frame's credentials; it is created when it is missing. */
  readonly folder: string;
  /** Name or address by which the frame reaches this machine. */
  readonly host: string;
  readonly port: number;
  readonly httpPort: number;
  readonly patience: Patience;
  /** Called when everything listens: the frame may connect. */
  readonly ready: (where: { readonly mqtts: string; readonly http: string; readonly files: readonly string[] }) => void;
  readonly tell: (result: StepResult) => void;
  /** Called with every message and download as it comes, without secrets. */
  readonly heard?: (exchange: Exchange) => void;
}

/** Plays the stories of one dialect against the frame that connects as `serial`. */
export async function checkFrame(deps: CheckDeps): Promise<Summary> {
  const { panel, folder, clock, random } = deps;
  const db = await openDatabase({ file: join(folder, 'conformance.sqlite') }, gatewayTables);
  try {
    const files = await credentialsOf(db, deps);
    const password = await readFile(join(folder, `${deps.serial}.password`), 'utf8').catch(undefinedIfMissing);
    const record = recordExchanges(clock, [password?.trim() ?? ''], deps.heard ?? (() => undefined));
    const stage = await openStoryStage({ ...deps, db, record });
    try {
      if (deps.dialect === 'classic') checkFrameUrl(stage.http);
      deps.ready({ mqtts: stage.mqtts, http: stage.http, files });
      const judge = (deps.dialect === 'native' ? nativeJudge : classicJudge)({ stage, panel, clock, random });
      const { dialect, patience, tell: report } = deps;
      return await playStories(storiesOf(dialect), { stage, judge, patience, report });
    } finally {
      await stage.close();
    }
  } finally {
    await db.destroy();
  }
}

/** The stories of a dialect, in the order of a run. Stories for a frame without a picture come first, because the others would give it one. */
export function storiesOf(dialect: CheckDeps['dialect']): readonly Story[] {
  const own = readStories().filter((story) => story.dialect === dialect);
  const isUnpaired = ({ name }: Story): boolean => name === 'unpaired frame';
  return [...own.filter(isUnpaired), ...own.filter((story) => !isUnpaired(story))];
}

/**
 * The frame's credential files. Those of an earlier run are used as long as they are valid, so that the frame need not
 * be flashed again.
 */
async function credentialsOf(db: Database, deps: CheckDeps): Promise<readonly string[]> {
  const { serial, panel, folder, clock, random } = deps;
  const pem = await readFile(join(folder, `${serial}.crt`), 'utf8').catch(() => undefined);
  if (pem !== undefined) {
    const issued = await frameRegistry(db).certificate(fingerprintOf(new X509Certificate(pem)));
    const owner = issued?.revoked_at === null ? issued.serial : undefined;
    const names = [`${serial}.key`, `${serial}.crt`, 'ca.crt', `${serial}.password`];
    if (owner === serialKey(serial)) return names.map((name) => join(folder, name));
  }
  const frame = await provisionFrame(
    { db, clock, random, dataFolder: folder },
    { serial, kind: panel.name, withPassword: true },
  );
  return writeCredentials(folder, frame);
}
