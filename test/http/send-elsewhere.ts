/**
 * Node's own client in a process of its own: it sends while the server answers, as clients elsewhere do. On the server's
 * thread it would have sent, or looked, by the time the server goes on; a thread that is ended while `fetch` still sends
 * takes the whole process with it (Node 20).
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The request to send so many times, one after another. */
interface Sending {
  readonly urls: readonly string[];
  readonly times: number;
  readonly key: string;
  /** Bytes of the picture in a form, or of one text in JSON. */
  readonly bytes: number;
  readonly as: 'form' | 'json';
}

const client = `
const { urls, times, key, bytes, as } = JSON.parse(process.argv[1]);
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
  process.stdout.write(JSON.stringify(seen), () => process.exit());
}
void run();
`;

/**
 * Returns the outcome of each: its status, `429 after 9` where it says when to come again, or the code of a connection
 * error.
 */
export async function sendElsewhere(sending: Sending): Promise<string[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--eval', client, JSON.stringify(sending)]);
  const seen: string[] = JSON.parse(stdout);
  return seen;
}
