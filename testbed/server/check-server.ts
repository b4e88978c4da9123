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
  /** Called with each call and its answer, as it was made. */
  readonly heard?: (call: ServerCall) => void;
}

/** A call of the played frame, and the server's answer. */
export interface ServerCall {
  /** The purpose of the frame's call: its checks begin with the same word. */
  readonly wants: 'strangers' | 'setup' | 'display' | 'picture' | 'log' | 'glass';
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly answer: ServerAnswer;
}

/** How often a waiting frame asks; a real one asks every quarter of an hour. */
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
  const strange = judgeStranger(await setup(trial, 'strangers', addressOfSerial(`trmnl-${stranger}`) ?? ''));
  const { key, checks } = await keyOf(trial);
  if (key === undefined) return [strange, ...checks];
  const asks = { trial, panel, key };
  const first = await display(asks, 'display', { 'Refresh-Rate': '900' });
  const said = readSaid(first);
  const own = { ...identity(trial), 'Access-Token': key };
  const picture = await call(trial, 'picture', String(said?.image_url ?? ''), {
    headers: { 'Accept-Encoding': 'identity', ...own },
  });
  const logs = [{ id: 1, message: 'Connection failed! WL Status: 6', level: 'fatal' }];
  const log = await call(trial, 'log', `${trial.base}/api/log`, {
    headers: { ...own, 'Content-Type': 'application/json' },
    body: JSON.stringify({ logs }),
  });
  // Its Wi-Fi failed meanwhile: it drew an error screen, stored 60 s, and remembers the name of the picture below.
  const afterFailure = await display(asks, 'glass', { 'Refresh-Rate': '60' });
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

/** Makes a call as the firmware does: what has a body is posted. */
async function call(
  { heard }: ServerTrial,
  wants: ServerCall['wants'],
  url: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body?: string },
): Promise<ServerAnswer> {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = { method, ...(body !== undefined && { body }) } as const;
  const answer = await callServer(url, headers, sent);
  heard?.({ wants, headers, answer, ...sent });
  return answer;
}

function setup(trial: ServerTrial, wants: ServerCall['wants'], mac: string): Promise<ServerAnswer> {
  const { base, model, firmware } = trial;
  const headers = { ID: mac, 'Content-Type': 'application/json', 'FW-Version': firmware, Model: model };
  return call(trial, wants, `${base}/api/setup`, { headers });
}

/** Gets the key of the frame: the one it has, or the one that it is given when its owner adopts it in time. */
async function keyOf(trial: ServerTrial): Promise<{ key: string | undefined; checks: readonly ServerCheck[] }> {
  if (trial.key !== undefined) return { key: trial.key, checks: [] };
  const mac = addressOfSerial(trial.serial) ?? trial.serial;
  const until = trial.clock.now() + trial.waitMs;
  for (let round = 0; ; round++) {
    const answer = await setup(trial, 'setup', mac);
    const said = readSaid(answer);
    const key = said?.status === 200 && typeof said.api_key === 'string' ? said.api_key : undefined;
    if (key !== undefined || trial.clock.now() + askEveryMs > until) return { key, checks: judgeSetup(answer) };
    if (round === 0) trial.waits(mac);
    await new Promise<void>((resolve) => trial.clock.after(askEveryMs, resolve));
  }
}

function display(
  { trial, panel, key }: { readonly trial: ServerTrial; readonly panel: Panel; readonly key: string },
  wants: ServerCall['wants'],
  more: Readonly<Record<string, string>>,
): Promise<ServerAnswer> {
  const headers = {
    ...identity(trial),
    'Content-Type': 'application/json',
    'Access-Token': key,
    'Battery-Voltage': '4.05',
    'FW-Version': trial.firmware,
    Model: trial.model,
    RSSI: '-61',
    Width: String(panel.width),
    Height: String(panel.height),
    'Update-Source': 'timer',
    'Image-Cached': 'false',
    'Wake-Time': '9000',
    ...more,
  };
  return call(trial, wants, `${trial.base}/api/display`, { headers });
}
