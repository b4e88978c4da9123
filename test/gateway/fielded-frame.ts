/**
 * A frame in the field, as its unmodified firmware behaves on the wire: raw TLS and MQTT, its waits, its two downloads,
 * its quirks. Written from the wire contract alone and sharing no code with the service, so that both must agree.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { type LineAddress, type MqttLine, openLine } from './mqtt-line.ts';
import { type Got, getPicture } from './picture-get.ts';

/** The flags that a frame is sent where nobody set any (W-27). */
export const factoryFlags = { sleepdisabled: false, overlay: true, clearscreen: true } as const;

/** The parts that are built into the frame: fixed for its life. */
export interface Build {
  readonly identity: string;
  /** Broker, certificate authority and client certificate; asked again for every connection. */
  readonly broker: () => LineAddress;
  /** Compiled download prefix. */
  readonly prefix: string;
  /** Stands for the half minute the panel takes to draw. */
  readonly draw?: () => Promise<void>;
  /** Picture bytes after the 4 ignored ones. */
  readonly pixelBytes?: number;
}

/** How one cycle departs from the firmware's ordinary course. */
export interface Mischief {
  readonly wake?: '0' | '1' | '2' | '3';
  /** The probe only, then claims success. */
  readonly skipSecondGet?: boolean;
  /** The radio breaks in the middle of the second download. */
  readonly cutSecondGet?: boolean;
  /** Claims success without any download. */
  readonly neverGet?: boolean;
  /** Asks for this path instead of the given one. */
  readonly otherPath?: string;
  /** Cannot reach the broker again after drawing. */
  readonly loseState?: boolean;
  /** Runs between download and report. */
  readonly beforeState?: () => Promise<void>;
  /** Runs between the answer and the download. */
  readonly beforeDownload?: () => Promise<void>;
  /** Sends its report this often before it listens for the answer. */
  readonly reports?: number;
}

/** One cycle from the frame's side. */
export interface Cycle {
  /** All messages of the broker, parsed. */
  readonly said: Record<string, unknown>[];
  readonly gets: (Got | undefined)[];
  /** The state it reported, undefined when it kept silent. */
  state?: 'update_ok' | 'update_failed';
  outcome: 'slept' | 'updated' | 'failed' | 'pairing' | 'factory reset' | 'unanswered' | 'no picture';
}

const packetBuffer = 512;
const urlBuffer = 49;
/** The firmware's wait between repeats. Were it shorter, it would repeat messages on a loaded machine. */
const retryMs = 5_000;

/** Makes a frame, fresh from the factory. */
export function fieldedFrame(build: Build) {
  const { identity, prefix, pixelBytes = 192_000 } = build;
  const things = `$aws/things/${identity}`;
  /** Flash: what survives sleep. */
  const flash = {
    file: 0,
    activated: false,
    timeoutSeconds: 3600,
    factoryResets: 0,
    glass: undefined as Buffer | undefined,
  };

  /** Up to 21 connects; CONNACK and SUBACK within a second each (section 2). */
  async function connect(): Promise<MqttLine> {
    for (let attempt = 1; ; attempt++) {
      const line = await openLine(build.broker());
      const code = await line.login({ clientId: identity, keepalive: 10 });
      const granted = code === 0 ? await line.subscribe(`${things}/epaper/receive`) : 'closed';
      if (granted !== 'closed' && granted[0] === 0) return line;
      line.vanish();
      if (attempt === 3) throw new Error(`the frame gave up connecting: CONNACK ${code}, SUBACK ${granted}`);
      await pause(20);
    }
  }

  const post = (line: MqttLine, topic: string, payload: string) => line.publish(`${things}/${topic}`, payload);

  /** Section 4.1, byte for byte: one number, else strings, in this order, a space after each colon. */
  function wakeReport(wake: string): string {
    return `{"act": 1,"v": "3.0.21","file": "${flash.file}","bat": "4870","wake": "${wake}","wifi": "1, -61","usb": "0","orient": "2","timeout": "${flash.timeoutSeconds}","timeoutPredict": "${flash.timeoutSeconds}"}`;
  }

  /** Repeats a message until an answer satisfies, as often as the firmware does. */
  async function askUntil(
    line: MqttLine,
    cycle: Cycle,
    ask: { topic: string; payload: string; times: number },
    satisfies: (said: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown> | undefined> {
    for (let time = 0; time < ask.times; time++) {
      await post(line, ask.topic, ask.payload);
      const answer = await hear(line, cycle, retryMs);
      if (answer !== undefined && satisfies(answer)) return answer;
    }
    return undefined;
  }

  async function hear(line: MqttLine, cycle: Cycle, waitMs: number): Promise<Record<string, unknown> | undefined> {
    const packet = await line.take('publish', waitMs).catch(() => undefined);
    if (packet === undefined) return undefined;
    // Sections 2 and 5: both buffers are hard. The library drops a connection, the URL is written past its end.
    if (generate(packet).length > packetBuffer) throw new Error('the connection is dropped: packet over 512 bytes');
    if (packet.qos !== 0 || packet.retain) throw new Error('the frame asked for QoS 0 and nothing retained');
    const answer = JSON.parse(packet.payload.toString()) as Record<string, unknown>;
    if (typeof answer.url === 'string' && (prefix + answer.url).length > urlBuffer) throw new Error('buffer overrun');
    cycle.said.push(answer);
    return answer;
  }

  async function wake(mischief: Mischief = {}): Promise<Cycle> {
    const cycle: Cycle = { said: [], gets: [], outcome: 'unanswered' };
    const line = await connect();
    const payload = wakeReport(mischief.wake ?? '3');
    for (let extra = 1; extra < (mischief.reports ?? 1); extra++) await post(line, 'activateepaper', payload);
    const ask = { topic: 'activateepaper', payload, times: 7 };
    const answer = await askUntil(line, cycle, ask, ({ act }) => act === 'activated' || act === 'not_started');
    for (let extra = 1; extra < (mischief.reports ?? 1); extra++) await hear(line, cycle, retryMs);
    if (answer?.act === 'not_started') cycle.outcome = await unpaired(line, cycle);
    else if (answer !== undefined) await activated(line, cycle, answer, mischief);
    // Deep sleep: the connection just dies.
    line.vanish();
    return cycle;
  }

  /** Section 9: `not_started` wipes a frame that believes it is activated. */
  async function unpaired(line: MqttLine, cycle: Cycle): Promise<'pairing' | 'factory reset'> {
    if (!flash.activated) return 'pairing';
    await deactivate(line, cycle);
    Object.assign(flash, { file: 0, activated: false, timeoutSeconds: 3600, factoryResets: flash.factoryResets + 1 });
    return 'factory reset';
  }

  const deactivate = (line: MqttLine, cycle: Cycle) =>
    askUntil(line, cycle, { topic: 'activateepaper', payload: '{"act": 0}', times: 5 }, ({ act }) => act === 'reset');

  async function activated(line: MqttLine, cycle: Cycle, answer: Record<string, unknown>, mischief: Mischief) {
    flash.activated = true;
    const timeout = answer.timeout;
    flash.timeoutSeconds = typeof timeout === 'number' ? Math.max(60, timeout) : 3600;
    // W-01: without `t` in this message the firmware spins into its failsafe.
    if (!Number.isInteger(answer.t)) throw new Error('the frame spins: no integer t beside activated');
    const version = answer.t as number;
    if (version > 2_147_483_647) throw new Error('t is ignored: no int32');
    if (version <= flash.file || version <= 0) {
      cycle.outcome = version <= 0 ? 'no picture' : 'slept';
      return;
    }
    const url = typeof answer.url === 'string' ? answer.url : await requestUrl(line, cycle);
    line.send({ cmd: 'disconnect' });
    await mischief.beforeDownload?.();
    const drawn = url !== undefined && (await downloadAndDraw(cycle, mischief.otherPath ?? url, mischief));
    if (drawn) flash.file = version;
    cycle.state = drawn ? 'update_ok' : 'update_failed';
    cycle.outcome = drawn ? 'updated' : 'failed';
    await build.draw?.();
    await mischief.beforeState?.();
    if (mischief.loseState !== true) await reportState(cycle.state);
  }

  async function requestUrl(line: MqttLine, cycle: Cycle): Promise<string | undefined> {
    const unsolicited = await hear(line, cycle, retryMs);
    const ask = { topic: 'epaper/getimageurl', payload: '{"func": "request"}', times: 5 };
    const said = unsolicited?.url === undefined ? await askUntil(line, cycle, ask, ({ url }) => !!url) : unsolicited;
    return typeof said?.url === 'string' ? said.url : undefined;
  }

  /** Probe, download, draw; true when something was drawn, right or wrong (W-11, W-12). */
  async function downloadAndDraw(cycle: Cycle, path: string, mischief: Mischief): Promise<boolean> {
    if (mischief.neverGet === true) return true;
    cycle.gets.push(await getPicture(prefix + path, 'drop body'));
    if (mischief.skipSecondGet === true) return true;
    for (let round = 1; round <= 6; round++) {
      const got = await getPicture(prefix + path, mischief.cutSecondGet === true ? 'half' : 'whole');
      cycle.gets.push(got);
      if (got === undefined) continue;
      if (got.status !== 200) return flash.glass !== undefined;
      if (got.headers['content-length'] === undefined) throw new Error('the picture store is erased: no length');
      flash.glass = got.body.subarray(4, 4 + pixelBytes);
      return true;
    }
    return false;
  }

  async function reportState(state: string): Promise<void> {
    const line = await connect();
    await post(line, 'epaper/updatestate', `{"state": "${state}"}`);
    // The firmware waits until its bytes are out; being answered the next packet shows that they were.
    await line.ping();
    line.vanish();
  }

  return {
    flash,
    wake,
    connect,
    wakeReport,
    /** Five quick presses of the button, or the first Wi-Fi set-up: says `act` 0 and waits for `reset`. */
    async sayDeactivate(): Promise<Cycle> {
      const cycle: Cycle = { said: [], gets: [], outcome: 'unanswered' };
      const line = await connect();
      if ((await deactivate(line, cycle)) !== undefined) cycle.outcome = 'pairing';
      line.vanish();
      return cycle;
    },
    /** The first Wi-Fi set-up: `act` 0, then the ordinary report on the same connection. */
    async setUp(): Promise<Cycle> {
      const cycle: Cycle = { said: [], gets: [], outcome: 'unanswered' };
      const line = await connect();
      await deactivate(line, cycle);
      const ask = { topic: 'activateepaper', payload: wakeReport('1'), times: 7 };
      const answer = await askUntil(line, cycle, ask, ({ act }) => act === 'activated' || act === 'not_started');
      if (answer?.act === 'activated') await activated(line, cycle, answer, {});
      else if (answer !== undefined) cycle.outcome = await unpaired(line, cycle);
      line.vanish();
      return cycle;
    },
  };
}

export type FieldedFrame = ReturnType<typeof fieldedFrame>;
