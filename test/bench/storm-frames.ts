/**
 * Process entry: frames that all come back at once, on raw sockets. Each logs in, subscribes, says hello, waits for
 * desired, says bye. What is refused or not answered in time comes again after a random, growing wait (T-46).
 */
import { connect } from 'node:net';
import { generate, type Packet, parser } from 'mqtt-packet';

/** The outcome of the storm. */
export interface StormReport {
  readonly settled: number;
  readonly settledMs: number;
  /** CONNACK 3, closed before the login, or no CONNACK within a second. */
  readonly turnedAway: number;
  /** A hello that was never answered with desired, although its connection lived. */
  readonly unanswered: number;
  /** Milliseconds from hello to desired. */
  readonly answerMs: { readonly median: number; readonly p99: number };
}

const connackMs = 1000;
const answerLimitMs = 10_000;
const hello = {
  boot: 1,
  firmware: '1.0.0',
  panel: 'epd7',
  fileVersion: 0,
  pictureSynced: false,
  wake: 'timer',
  orientation: 2,
  sleepSeconds: 3600,
};

const [, , portText = '', countText = '', giveUpText = ''] = process.argv;
const port = Number(portText);
const count = Number(countText);
const began = performance.now();
const answers: number[] = [];
let settled = 0;
let turnedAway = 0;
let unanswered = 0;
let lastMs = 0;

/** One attempt: `settled`, `turned away` before the login was through, or `unanswered`. */
function attempt(serial: string): Promise<'settled' | 'turned away' | 'unanswered' | 'lost'> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let loggedIn = false;
    let askedAt = 0;
    let timer = setTimeout(() => end('turned away'), connackMs);
    const end = (outcome: 'settled' | 'turned away' | 'unanswered' | 'lost') => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const send = (packet: Packet) => void socket.write(generate(packet));
    const say = (name: string, message: object, messageId: number) =>
      send({
        cmd: 'publish',
        topic: `frames/1/${serial}/${name}`,
        payload: JSON.stringify(message),
        qos: 1,
        messageId,
        dup: false,
        retain: false,
      });
    const heard: Partial<Record<Packet['cmd'], (packet: never) => void>> = {
      connack({ returnCode }: { returnCode: number }) {
        if (returnCode !== 0) return end('turned away');
        loggedIn = true;
        clearTimeout(timer);
        timer = setTimeout(() => end('unanswered'), answerLimitMs);
        const subscriptions = [{ topic: `frames/1/${serial}/desired`, qos: 1 as const }];
        send({ cmd: 'subscribe', messageId: 1, subscriptions });
      },
      suback() {
        askedAt = performance.now();
        say('hello', hello, 2);
      },
      publish({ messageId }: { messageId: number }) {
        answers.push(performance.now() - askedAt);
        send({ cmd: 'puback', messageId });
        say('bye', { sleepSeconds: 3600 }, 3);
      },
      puback({ messageId }: { messageId: number }) {
        if (messageId !== 3) return;
        send({ cmd: 'disconnect' });
        end('settled');
      },
    };
    const reading = parser({ protocolVersion: 4 });
    reading.on('packet', (packet) => heard[packet.cmd]?.(packet as never));
    socket.on('connect', () =>
      send({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clientId: serial,
        username: serial,
        password: Buffer.from(serial),
        clean: true,
        keepalive: 60,
      }),
    );
    socket.on('data', (bytes) => reading.parse(bytes));
    socket.on('error', () => {});
    socket.on('close', () => end(loggedIn ? 'lost' : 'turned away'));
  });
}

async function comeBack(serial: string): Promise<void> {
  for (let time = 0; performance.now() - began < Number(giveUpText); time++) {
    const outcome = await attempt(serial);
    if (outcome === 'settled') {
      settled++;
      lastMs = performance.now() - began;
      return;
    }
    if (outcome === 'turned away') turnedAway++;
    else unanswered++;
    const waitMs = Math.random() * Math.min(8000, 500 * 2 ** time);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

await Promise.all(Array.from({ length: count }, (_, at) => comeBack(`epd7-${at.toString(16).padStart(12, '0')}`)));
answers.sort((a, b) => a - b);
const report: StormReport = {
  settled,
  settledMs: lastMs,
  turnedAway,
  unanswered,
  answerMs: { median: answers[answers.length >> 1] ?? 0, p99: answers[Math.floor(answers.length * 0.99)] ?? 0 },
};
process.send?.(report);
process.disconnect?.();
