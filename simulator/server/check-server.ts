/** Plays a frame of TRMNL's protocol against a server, through setup, a picture, and a failure of its Wi-Fi. */
import { createHash } from 'node:crypto';
import { type Panel, panelOfKind } from '../../firmware-protocol/panels.ts';
import { addressOfSerial } from '../../firmware-protocol/trmnl/mac-address.ts';
import { panelOfCall } from '../../firmware-protocol/trmnl/models.ts';
import type { Clock } from '../../runtime/clock.ts';
import { callServer, type ServerAnswer } from './call-server.ts';
import {
  judgeDisplay,
  judgeHealed,
  judgeLog,
  judgePicture,
  judgeSetup,
  judgeStranger,
  readSaid,
  type ServerCheck,
} from './judge-answers.ts';

/** The frame to play, and the server. */
export interface ServerTrial {
  /** The base address as its owner enters it into a frame, without a slash at its end. */
  readonly base: string;
  /** The serial of the frame, of which its MAC address is a part. */
  readonly serial: string;
  readonly model: string;
  readonly firmware: string;
  /** Its pixels, where the model does not tell them. */
  readonly size?: { readonly width: number; readonly height: number } | undefined;
  /** The key that it has; without it asks for one. */
  readonly key?: string | undefined;
  /** How long it waits to be adopted, milliseconds. */
  readonly waitMs: number;
  readonly clock: Clock;
  /** Is called once, when the frame has to wait for its owner. */
  readonly waits: (mac: string) => void;
}

/** How often a frame asks that waits; a real one asks every quarter of an hour. */
const askEveryMs = 2000;

/** The panel of a trial; undefined when neither its model nor its size names one. */
export function panelOfTrial({
  model,
  firmware,
  size,
}: Pick<ServerTrial, 'model' | 'firmware' | 'size'>): Panel | undefined {
  return panelOfKind(panelOfCall({ model, firmware, width: size?.width, height: size?.height }) ?? '');
}

/** Plays the frame, and returns every check that could be made. Without a key there are those of the setup call alone. */
export async function checkServer(trial: ServerTrial): Promise<readonly ServerCheck[]> {
  const panel = panelOfTrial(trial);
  if (panel === undefined) throw new Error(`no panel is known for ${trial.model}`);
  const stranger = createHash('sha256').update(`${trial.serial} stranger`).digest('hex').slice(0, 12);
  const strange = judgeStranger(await setup(trial, addressOfSerial(`trmnl-${stranger}`) ?? ''));
  const { key, checks } = await keyOf(trial);
  if (key === undefined) return [strange, ...checks];
  const first = await display(trial, panel, key, { 'Refresh-Rate': '900' });
  const said = readSaid(first);
  const picture = await callServer(String(said?.image_url ?? ''), {
    'Accept-Encoding': 'identity',
    ...identity(trial),
    'Access-Token': key,
  });
  const log = await callServer(
    `${trial.base}/api/log`,
    { ...identity(trial), 'Access-Token': key, 'Content-Type': 'application/json' },
    {
      method: 'POST',
      body: JSON.stringify({ logs: [{ id: 1, message: 'Connection failed! WL Status: 6', level: 'fatal' }] }),
    },
  );
  // Its Wi-Fi failed meanwhile: it drew an error screen, stored 60 s, and remembers the name of the picture below.
  const afterFailure = await display(trial, panel, key, { 'Refresh-Rate': '60' });
  return [
    strange,
    ...checks,
    ...judgeDisplay(first, trial.base),
    ...judgePicture(picture, panel),
    judgeLog(log),
    judgeHealed(String(said?.filename ?? ''), afterFailure),
  ];
}

function identity({ serial }: ServerTrial): Record<string, string> {
  return { ID: addressOfSerial(serial) ?? serial };
}

function setup({ base, model, firmware }: ServerTrial, mac: string): Promise<ServerAnswer> {
  const headers = { ID: mac, 'Content-Type': 'application/json', 'FW-Version': firmware, Model: model };
  return callServer(`${base}/api/setup`, headers);
}

/** Gets the key of the frame: the one it has, or the one that it is given when its owner adopts it in time. */
async function keyOf(trial: ServerTrial): Promise<{ key: string | undefined; checks: readonly ServerCheck[] }> {
  if (trial.key !== undefined) return { key: trial.key, checks: [] };
  const mac = addressOfSerial(trial.serial) ?? trial.serial;
  const until = trial.clock.now() + trial.waitMs;
  for (let round = 0; ; round++) {
    const answer = await setup(trial, mac);
    const said = readSaid(answer);
    const key = said?.status === 200 && typeof said.api_key === 'string' ? said.api_key : undefined;
    if (key !== undefined || trial.clock.now() + askEveryMs > until) return { key, checks: judgeSetup(answer) };
    if (round === 0) trial.waits(mac);
    await new Promise<void>((resolve) => trial.clock.after(askEveryMs, resolve));
  }
}

function display(
  trial: ServerTrial,
  { width, height }: Panel,
  key: string,
  more: Readonly<Record<string, string>>,
): Promise<ServerAnswer> {
  return callServer(`${trial.base}/api/display`, {
    ...identity(trial),
    'Content-Type': 'application/json',
    'Access-Token': key,
    'Battery-Voltage': '4.05',
    'FW-Version': trial.firmware,
    Model: trial.model,
    RSSI: '-61',
    Width: String(width),
    Height: String(height),
    'Update-Source': 'timer',
    'Image-Cached': 'false',
    'Wake-Time': '9000',
    ...more,
  });
}
