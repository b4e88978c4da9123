/**
 * Objects in a bucket: signed requests with limits of time and size, tried again while the store is busy. Addresses are in
 * path style, which every store understands. The bucket is the operator's own choice, so requests to it go directly.
 */
import { AwsV4Signer } from 'aws4fetch';
import type { CommonDeps } from '../database/common-deps.ts';
import { sha256Of } from '../digest.ts';
import { faultOfAnswer, faultOfConnection, isPassing, ObjectStoreFault } from './s3-fault.ts';

/** Where the bucket is, and who asks. */
export interface S3Settings {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ListedObject {
  readonly key: string;
  readonly modifiedAt: number;
}

/** A bucket. Every function throws an `ObjectStoreFault` when the store does not do what it is asked. */
export interface Bucket {
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads an object, and of a longer one than was stored one byte more; undefined when there is none. */
  get(key: string, most: number): Promise<Buffer | undefined>;
  /** Removes an object; one that is not there is no fault. */
  remove(key: string): Promise<void>;
  /** Lists the objects whose keys begin so, and with a store that overlooks that, others. */
  list(prefix: string): AsyncIterable<ListedObject>;
}

const attempts = 4;
const firstPauseMs = 200;
/** The time limit of one attempt: 20 MiB take 20 seconds over eight megabits. */
const attemptMs = 30_000;
const maxListBytes = 4 * 1024 * 1024;
const maxFaultBytes = 64 * 1024;

/** Other dependencies of a bucket. */
export type BucketDeps = Pick<CommonDeps, 'clock' | 'random'>;

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Opens a bucket; nothing is asked yet. */
export function openBucket(settings: S3Settings, { clock, random }: BucketDeps): Bucket {
  /** Asks until there is an answer that would be the same at another time. */
  async function ask(asked: Asked, most = maxFaultBytes): Promise<Answer> {
    for (let made = 1; ; made++) {
      let fault: ObjectStoreFault;
      try {
        const answer = await askOnce(settings, asked, { now: clock.now(), most });
        if (!isPassing(answer.status)) return answer;
        fault = faultOfAnswer(asked.method, answer.status, answer.body.toString());
      } catch (error) {
        fault = error instanceof ObjectStoreFault ? error : faultOfConnection(asked.method, error);
      }
      if (!fault.passes || made === attempts) throw fault;
      const pauseMs = firstPauseMs * 3 ** (made - 1) * (0.5 + random.jitter());
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }

  async function require(asked: Asked, most?: number): Promise<Answer> {
    const answer = await ask(asked, most);
    if (answer.status < 300) return answer;
    throw faultOfAnswer(asked.method, answer.status, answer.body.toString());
  }

  return {
    async put(key, bytes) {
      // The digest of the body is signed, so that the store refuses a body that did not arrive whole.
      await require({ method: 'PUT', key, body: bytes });
    },
    get: async (key, most) => foundIn(await ask({ method: 'GET', key }, most), 'GET')?.body,
    async remove(key) {
      foundIn(await ask({ method: 'DELETE', key }), 'DELETE');
    },
    async *list(prefix) {
      const isRepeated = repetitions();
      for (let from: string | undefined; ; ) {
        const query = { 'list-type': '2', prefix, ...(from !== undefined && { 'continuation-token': from }) };
        const { body } = await require({ method: 'GET', query }, maxListBytes);
        const page = readList(body.toString());
        yield* page.objects;
        if (page.next === undefined) return;
        if (isRepeated(page.next)) throw endlessList();
        from = page.next;
      }
    },
  };
}

/** The pages of the longest list: a hundred million objects, from a store that gives a thousand a page. */
const maxPages = 100_000;

/**
 * Notices when a list goes round in circles, or goes on for ever. One token is remembered at a time, each for twice as many
 * pages as the one before, so that every circle is found, whatever its length (Brent).
 */
function repetitions(): (token: string) => boolean {
  let remembered: string | undefined;
  let pages = 0;
  let next = 1;
  return (token) => {
    if (token === remembered || ++pages > maxPages) return true;
    if (pages === next) {
      remembered = token;
      next *= 2;
    }
    return false;
  };
}

function endlessList(): ObjectStoreFault {
  return new ObjectStoreFault(
    'S3_ENDPOINT: the list of the object store repeats itself and never ends',
    'look at the store, or use another: it gives the same continuation token again',
  );
}

/** Asks once, signed for this moment. */
async function askOnce(
  settings: S3Settings,
  { method, key = '', query = {}, body }: Asked,
  { now, most }: { readonly now: number; readonly most: number },
): Promise<Answer> {
  const base = `${settings.endpoint.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(settings.bucket)}`;
  const url = new URL(`${base}/${key.split('/').map(encodeURIComponent).join('/')}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const signer = new AwsV4Signer({
    url: url.href,
    method,
    headers: { 'x-amz-content-sha256': await sha256Of(body ?? new Uint8Array()) },
    service: 's3',
    region: settings.region,
    accessKeyId: settings.accessKeyId,
    secretAccessKey: settings.secretAccessKey,
    datetime: new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  const signed = await signer.sign();
  const response = await fetch(signed.url, {
    method,
    headers: signed.headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(attemptMs),
    ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
  });
  const { status } = response;
  return { status, body: await readBody(response, status < 300 ? most : maxFaultBytes) };
}

/** The answer about an object that is there; undefined for one that is not. A missing bucket is a fault. */
function foundIn(answer: Answer, method: string): Answer | undefined {
  if (answer.status < 300) return answer;
  const body = answer.body.toString();
  if (answer.status === 404 && !body.includes('<Code>NoSuchBucket</Code>')) return undefined;
  throw faultOfAnswer(method, answer.status, body);
}

/** Reads a body, at most one byte more than it may have: a longer one is not what was stored. */
async function readBody(response: Response, most: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    parts.push(part);
    if (bytes > most) break;
  }
  return Buffer.concat(parts).subarray(0, most + 1);
}

/** Reads a page of a list. Keys of ours need no escapes but one, and anything else is not a key of ours. */
function readList(xml: string): { readonly objects: readonly ListedObject[]; readonly next: string | undefined } {
  if (!xml.includes('<ListBucketResult') || !xml.includes('</ListBucketResult>')) {
    throw new ObjectStoreFault('S3_ENDPOINT: what answers a list is not an object store', 'correct S3_ENDPOINT');
  }
  const objects = xml.split('<Contents>').slice(1);
  return {
    objects: objects.map((text) => ({
      key: element(text, 'Key') ?? '',
      modifiedAt: Date.parse(element(text, 'LastModified') ?? ''),
    })),
    next: element(xml, 'IsTruncated') === 'true' ? element(xml, 'NextContinuationToken') : undefined,
  };
}

function element(xml: string, name: string): string | undefined {
  const from = xml.indexOf(`<${name}>`);
  const until = xml.indexOf(`</${name}>`, from);
  if (from === -1 || until === -1) return undefined;
  const text = xml.slice(from + name.length + 2, until);
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
