/** Frames that are logged in and flood. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { generate, type Packet } from 'mqtt-packet';
import { type Abuse, householdOf, sendJson, type Tally } from './attack.ts';
import type { OwnedFrame, Scene } from './stage.ts';
import { wakeFrame } from './wake-frame.ts';

const lumpBytes = 64 * 1024;

/** A message that a frame sends again and again, as one lump. */
type Lump = (serial: string) => Packet;

const publish = (serial: string, name: string, bytes: number, qos: 0 | 1): Packet => ({
  cmd: 'publish',
  topic: `frames/1/${serial}/${name}`,
  payload: Buffer.alloc(bytes, 'x'),
  qos,
  retain: false,
  dup: false,
  ...(qos === 1 && { messageId: 7 }),
});

function lumpOf(packet: Packet): Buffer {
  const one = generate(packet);
  return Buffer.concat(Array.from({ length: Math.max(1, Math.floor(lumpBytes / one.length)) }, () => one));
}

async function flood(scene: Scene, frame: OwnedFrame, lump: Buffer, reads: boolean, over: AbortSignal, tally: Tally) {
  while (!over.aborted) {
    const socket = connect({ host: '127.0.0.1', port: scene.mqttPort });
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    const leave = (): void => void socket.destroy();
    over.addEventListener('abort', leave, { once: true });
    const { serial, password } = frame;
    const login = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true, keepalive: 60 } as const;
    socket.write(generate({ ...login, clientId: serial, username: serial, password: Buffer.from(password) }));
    const [answer] = (await Promise.race([once(socket, 'data').catch(() => []), ended.then(() => [])])) as [Buffer?];
    tally(answer === undefined ? 'no CONNACK' : `CONNACK ${answer[3]}`);
    if (reads) socket.on('data', () => {});
    else socket.pause();
    while (socket.writable && !over.aborted) {
      if (!socket.write(lump)) await Promise.race([once(socket, 'drain').catch(() => {}), ended]);
    }
    over.removeEventListener('abort', leave);
    socket.destroy();
    if (!over.aborted) tally('cut off');
    await pause(200);
  }
}

/** Five frames of two households at once. */
function floods(what: string, said: Lump, reads = true): Abuse {
  return {
    what,
    attack: async (scene, tally) => (over) => {
      const frames = [0, 1].flatMap((at) => householdOf(scene, at).frames).slice(0, 5);
      return Promise.all(frames.map((frame) => flood(scene, frame, lumpOf(said(frame.serial)), reads, over, tally)));
    },
  };
}

const zones = ['Pacific/Auckland', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe'];
/** Windows whose next opening is far to seek. */
const windows = Array.from({ length: 50 }, (_, at) => ({
  durationMinutes: 1 + at,
  rrule: [
    `DTSTART;TZID=${zones[at % zones.length]}:20000101T0${at % 10}0000\nRRULE:FREQ=DAILY;INTERVAL=${997 - at}`,
    `DTSTART;TZID=${zones[at % zones.length]}:20000131T0${at % 10}0000\nRRULE:FREQ=MONTHLY;INTERVAL=${500 + at};BYMONTHDAY=31`,
    `DTSTART;TZID=${zones[at % zones.length]}:20000101T0${at % 10}0000\nRRULE:FREQ=WEEKLY;INTERVAL=${500 + at};BYDAY=MO`,
  ][at % 3],
}));

const manyWindows: Abuse = {
  what: 'five frames with 50 update windows each that wake all the time, and their owner, who looks',
  async attack(scene, tally) {
    const household = householdOf(scene, 0);
    const meta = { updateSchedule: { enabled: true, timezone: 'Europe/Berlin', windows } };
    for (const { deviceId } of household.frames) {
      const status = await sendJson(scene, household, `/devices/${deviceId}`, { meta });
      if (status !== 200) throw new Error(`the windows were answered with ${status}`);
    }
    const wake = async (frame: OwnedFrame, over: AbortSignal): Promise<void> => {
      for (let turn = 0; !over.aborted; turn++) {
        await wakeFrame(scene, frame, turn).then(
          () => tally('woke'),
          () => tally('no answer'),
        );
        await pause(20);
      }
    };
    const look = async (over: AbortSignal): Promise<void> => {
      for (let turn = 0; !over.aborted; turn++) {
        const { deviceId } = household.frames[turn % household.frames.length] ?? { deviceId: '' };
        tally(await sendJson(scene, household, `/devices/${deviceId}`, { meta }).catch(() => 'error'));
        await pause(400);
      }
    };
    return (over) => Promise.all([...household.frames.map((frame) => wake(frame, over)), look(over)]);
  },
};

/** Abuses of this sort. */
export const floodAbuses = {
  'flood-tiny': floods('five frames that send messages of one byte as fast as they can', (serial) =>
    publish(serial, 'log', 1, 0),
  ),
  'flood-60k': floods('five frames that send messages of 60 kB', (serial) => publish(serial, 'hello', 60_000, 0)),
  'flood-60k-acked': floods('the same, each to be acknowledged', (serial) => publish(serial, 'report', 60_000, 1)),
  'flood-60k-unread': floods(
    'the same, and the frames read no acknowledgement',
    (serial) => publish(serial, 'report', 60_000, 1),
    false,
  ),
  'flood-4k': floods('five frames that send messages of 4,000 bytes', (serial) => publish(serial, 'hello', 3_950, 0)),
  'flood-unread': floods(
    'five frames that send, and never read an acknowledgement',
    (serial) => publish(serial, 'log', 1, 1),
    false,
  ),
  'flood-ping': floods('five frames that send PINGREQ', () => ({ cmd: 'pingreq' })),
  'flood-subscribe': floods('five frames that subscribe again and again', (serial) => ({
    cmd: 'subscribe',
    messageId: 9,
    subscriptions: [{ topic: `frames/1/${serial}/desired`, qos: 1 }],
  })),
  windows: manyWindows,
} satisfies Record<string, Abuse>;
