/**
 * Node's own client on a thread of its own: it sends while the server answers, as clients elsewhere do. On the server's
 * thread it would have sent, or looked, by the time the server goes on.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** What is sent so many times, one after another. */
export interface Sending {
  readonly urls: readonly string[];
  readonly times: number;
  readonly key: string;
  /** Bytes of the picture in a form, or of one text in JSON. */
  readonly bytes: number;
  readonly as: 'form' | 'json';
}

const client = `
const { parentPort, workerData } = require('node:worker_threads');
const { urls, times, key, bytes, as } = workerData;
const form = new FormData();
form.append('picture', new Blob([new Uint8Array(bytes)]), 'image.jpg');
const json = JSON.stringify({ name: 'x'.repeat(bytes) });
const sent = as === 'form' ? { body: form } : { body: json, headers: { 'content-type': 'application/json' } };
async function send(url) {
  try {
    const answer = await fetch(url, { ...sent, method: 'POST', headers: { ...sent.headers, 'x-api-key': key } });
    await answer.arrayBuffer();
    const seconds = answer.headers.get('retry-after');
    return answer.status + (seconds === null ? '' : ' after ' + seconds);
  } catch (error) {
    return String(error.cause?.code ?? error);
  }
}
async function run() {
  const seen = [];
  for (let count = 0; count < times; count++) for (const url of urls) seen.push(await send(url));
  parentPort.postMessage(seen);
}
void run();
`;

/** What came of each: its status, `429 after 9` where it says when to come again, or the code of a connection error. */
export async function sendElsewhere(sending: Sending): Promise<string[]> {
  const worker = new Worker(client, { eval: true, workerData: sending });
  try {
    const [seen] = await once(worker, 'message');
    return seen.map(String);
  } finally {
    await worker.terminate();
  }
}
