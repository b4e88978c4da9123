/** A whole wake of a native frame over TLS, by hand: login, hello, desired, bye. */
import { setTimeout as pause } from 'node:timers/promises';
import { type MqttLine, openLine } from '../../gateway/mqtt-line.ts';
import type { OwnedFrame, Scene } from './stage.ts';

const answerLimitMs = 15_000;

/**
 * Wakes.
 * @returns milliseconds that the frame waited for an answer, the longest of them: TLS with CONNACK, or desired after hello
 */
export async function wakeFrame(scene: Scene, frame: OwnedFrame | undefined, boot: number): Promise<number> {
  if (frame === undefined) throw new Error('no such frame');
  const began = performance.now();
  const { certificate, key, serial } = frame;
  const opening = openLine({ port: scene.mqttsPort, root: scene.root, credential: { certificate, key } });
  const late = pause(answerLimitMs, undefined, { ref: false });
  const line = await Promise.race([opening, late]);
  if (line === undefined) {
    opening.then((came) => came.vanish()).catch(() => {});
    throw new Error('no handshake in time');
  }
  try {
    const code = await line.login({ clientId: serial });
    if (code !== 0) throw new Error(`login answered ${code}`);
    const loggedIn = performance.now() - began;
    await line.subscribe(`frames/1/${serial}/desired`, `frames/1/${serial}/command`);
    const asked = performance.now();
    say(line, serial, 'hello', {
      boot: boot + 1,
      firmware: '1.0.0',
      panel: 'epd7',
      fileVersion: 0,
      pictureSynced: false,
      batteryMv: 4900,
      rssi: -60,
      wake: 'timer',
      orientation: 2,
      sleepSeconds: 3600,
    });
    await desired(line);
    const answered = performance.now() - asked;
    say(line, serial, 'bye', { sleepSeconds: 3600 });
    line.send({ cmd: 'disconnect' });
    return Math.max(loggedIn, answered);
  } finally {
    line.socket.end();
    void pause(500, undefined, { ref: false }).then(() => line.vanish());
  }
}

function say(line: MqttLine, serial: string, name: string, message: object): void {
  const topic = `frames/1/${serial}/${name}`;
  const payload = JSON.stringify(message);
  line.send({ cmd: 'publish', topic, payload, qos: 1, messageId: name === 'bye' ? 12 : 11, dup: false, retain: false });
}

async function desired(line: MqttLine): Promise<void> {
  for (;;) {
    const { topic } = await line.take('publish', answerLimitMs);
    if (topic.endsWith('/desired')) return;
  }
}
