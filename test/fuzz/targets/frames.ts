/**
 * Frames: messages over the broker, calls of frames that poll, and packets before the broker's parser. The first line of an
 * input says which of them follows. A gateway with a database in memory takes them, and what it then has written is judged.
 */
import { decodeClassic } from '../../../firmware-protocol/classic.ts';
import { decode, encode } from '../../../firmware-protocol/codec.ts';
import { type MessageName, messages } from '../../../firmware-protocol/messages.ts';
import { readBasic, readOfflineSleep } from '../../../firmware-protocol/offline/wire.ts';
import { pictureTag, readPictureTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { classicTopics, nativeTopic, topicUse, unknownVersion } from '../../../firmware-protocol/topics.ts';
import { readPictureName } from '../../../firmware-protocol/trmnl/picture-name.ts';
import { PacketMeter } from '../../../gateway/broker/packet-guard.ts';
import type { Conversation } from '../../../gateway/dialects/dialect.ts';
import { type FuzzTarget, insist, mustEqual } from '../target.ts';
import { callGateway, type FrameWorld, frameKey, openFrameWorld, serials } from './frame-world.ts';

const words =
  'hello\n|report\n|bye\n|log\n|update\n|reply\n|activate\n|request\n|state\n|trmnl /api/display\n|trmnl /api/setup\n|trmnl /api/log\n|plain\n|plain /report\n|offline\n|packets\n|"firmware":"1.0.0"|"fileVersion":1|"sleepSeconds":60|"wake":"timer"|"batteryMv":3900|"rssi":-60|"boot":1|"sha256":"|"upload":"|"stage":"shown"|"stage":"failed"|"stage":"fetched"|"pictureSynced":true|"reason":"x"|"level":"warn"|"message":"|"panel":"epd7"|"orientation":|"act":1|"act":0|"file":"|"bat":"|"wifi":"1, -60"|"orient":"0"|"timeout":"|"func":"request"|"state":"|\\u0000|\\ud800|null|true|1e400|-1|\nid: AA:BB:CC:00:11:22|\naccess-token: |\nfw-version: 1.6.10|\nrefresh-rate: |\nbattery-voltage: 3.9|\nrssi: -60|\nmodel: og|\nwidth: 800|\nheight: 480|\nspecial_function: true|\nsensors: kind=a;value=1;unit=%|\nauthorization: Bearer |\nx-frame-state: {"bat_mv":3900,"fw":"1"}|\nif-none-match: "1-|\nx-config-last-updated: 1|\nx-battery-voltage: 3.9|\npng-width: 600|\nuser-agent: curl/1|\n\n|{"logs":[{"message":"display: updated pgate-|{"etag":"|{"error":"x"}|\x10|\x30|\xe0\x00|\xff\xff\xff\x7f'.split(
    '|',
  );

/** Follows packets in pieces of this size; returns how many began, or why they are refused. */
function metered(bytes: Uint8Array, pieceBytes: number): number | undefined {
  const meter = new PacketMeter();
  let begun = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    const taken = meter.accept(piece, 4_096);
    if (taken === undefined) return undefined;
    insist(taken === piece.length, 'packets that are within the limit are held back');
    begun += meter.begun;
  }
  return begun;
}

function packets(bytes: Buffer): void {
  const whole = metered(bytes, bytes.length || 1);
  for (const size of [1, 3, 64])
    insist(metered(bytes, size) === whole, 'packets in pieces count in another way than in one');
  const [limited, meter] = [4, new PacketMeter()];
  const taken = meter.accept(bytes, 4_096, limited);
  insist(
    taken === undefined || (taken <= bytes.length && meter.begun <= limited),
    'more packets at once than were allowed',
  );
}

/** Reads what no state depends on. */
function readAlone(name: string, payload: Buffer): void {
  const text = payload.toString('latin1').trim();
  if (name in messages) {
    const read = decode(name as MessageName, payload);
    if (read.ok) {
      const again = decode(name as MessageName, encode(name as MessageName, read.value));
      mustEqual(again, read, 'a message is not the same once it is written');
    } else insist(!read.problem.includes('\0') && read.problem.length <= 400, 'a problem that cannot be repeated');
  }
  for (const topic of ['activate', 'request', 'state'] as const) decodeClassic(topic, payload);
  const tag = readPictureTag(text);
  if (tag !== undefined)
    mustEqual(
      readPictureTag(pictureTag(tag.digestStart, tag.version)),
      tag,
      'a tag is not the same once it is written',
    );
  readPictureName(text);
  readBasic(text);
  const sleep = readOfflineSleep(text);
  insist(sleep === undefined || (sleep >= 60 && sleep <= 86_400), 'a sleep that no frame takes');
  for (const serial of Object.values(serials)) {
    insist(topicUse(serial, text, 'publish') === undefined || text.includes(serial), 'a topic of another frame');
    unknownVersion(serial, text);
  }
}

/** The answers that a frame may get. */
const statuses = new Set([200, 204, 206, 304, 400, 401, 403, 404, 405, 409, 413, 416, 429, 503]);

async function polled(world: FrameWorld, prefix: string, method: string, name: string, text: string): Promise<void> {
  const given =
    name === 'trmnl'
      ? `id: AA:BB:CC:00:11:22\naccess-token: ${frameKey}`
      : `authorization: ${name === 'offline' ? `Basic ${Buffer.from(`x:${frameKey}`).toString('base64')}` : `Bearer ${frameKey}`}`;
  const { status, body } = await callGateway(world.gateway, method, prefix, `${given}\n${text}`);
  const [error] = world.errors;
  if (error !== undefined) throw error;
  insist(statuses.has(status), `an answer of status ${status}`);
  if (body.startsWith('{')) JSON.parse(body);
}

/** Publishes a message of a frame, a hello or a wake before it, and judges the answers. */
async function published(
  world: FrameWorld,
  dialect: 'native' | 'classic',
  name: string,
  payload: Buffer,
): Promise<void> {
  const serial = serials[dialect];
  const conversation: Conversation = {
    serial,
    clientId: serial,
    session: 1,
    address: undefined,
    lastSeenAt: 0,
    awake: false,
    suspect: false,
    epoch: 0,
    answer: undefined,
    logs: 0,
  };
  const topic =
    dialect === 'native' ? nativeTopic(serial, name as MessageName) : classicTopics[name as 'state'](serial);
  const use = topicUse(serial, topic, 'publish');
  insist(use !== undefined, 'a frame may not publish its own message');
  // The same message twice: the second one finds what the first one left.
  for (let times = 0; times < 2; times++) {
    const answers = await world.broker.receive(conversation, use, payload);
    for (const answer of answers) {
      const allowed = topicUse(serial, answer.topic, 'subscribe');
      insist(allowed !== undefined, 'an answer under a topic that the frame may not read');
      if (allowed.dialect === 'native')
        insist(decode(allowed.name, answer.payload).ok, 'an answer that no frame can read');
      else JSON.parse(Buffer.from(answer.payload).toString());
    }
    world.passes(5_000);
  }
}

type Kind = (world: FrameWorld, payload: Buffer, text: string) => void | Promise<void>;

const kinds: Readonly<Record<string, Kind>> = {
  packets: (_, payload) => packets(payload),
  ...Object.fromEntries(
    ['hello', 'report', 'bye', 'log', 'update', 'reply'].map((name): [string, Kind] => [
      name,
      (world, payload) => published(world, 'native', name, payload),
    ]),
  ),
  ...Object.fromEntries(
    ['activate', 'request', 'state'].map((name): [string, Kind] => [
      name,
      (world, payload) => published(world, 'classic', name, payload),
    ]),
  ),
  'trmnl /api/display': (world, _, text) => polled(world, '/trmnl/api/display', 'GET', 'trmnl', text),
  'trmnl /api/setup': (world, _, text) => polled(world, '/trmnl/api/setup', 'GET', 'trmnl', text),
  'trmnl /api/log': (world, _, text) => polled(world, '/trmnl/api/log', 'POST', 'trmnl', text),
  plain: (world, _, text) => polled(world, `/plain/${serials.plain}`, 'GET', 'plain', text),
  'plain /report': (world, _, text) => polled(world, `/plain/${serials.plain}/report`, 'POST', 'plain', text),
  offline: (world, _, text) => polled(world, `/offline/${serials.offline}`, 'GET', 'offline', text),
};

export async function openFrames(): Promise<FuzzTarget> {
  const world = await openFrameWorld();
  return {
    guides: ['firmware-protocol/', 'gateway/'],
    words,
    maxBytes: 4_096,
    maxMs: 2_000,
    async run(input) {
      const end = input.indexOf(10);
      const name = input.toString('latin1', 0, Math.max(0, end));
      const payload = input.subarray(end + 1);
      readAlone(name, payload);
      if (!Object.hasOwn(kinds, name)) return;
      world.begin();
      await kinds[name]?.(world, payload, payload.toString('latin1'));
      const [error] = world.errors;
      if (error !== undefined) throw error;
      const wrong = world.wrongRow();
      insist(wrong === undefined, wrong ?? '');
    },
    close: world.close,
  };
}
