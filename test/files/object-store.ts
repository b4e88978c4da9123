/**
 * An object store on loopback that knows the requests of the service: objects in one bucket in path style, signed by
 * version 4, and lists of two keys a page. A test can have it answer as stores in trouble do.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Settings } from '../../runtime/files/s3-client.ts';

/** The trouble of the store in place of the answer. */
export type Trouble =
  | { readonly kind: 'status'; readonly status: number; readonly code?: string }
  /** The answer ends in the middle of the body. */
  | { readonly kind: 'cut' }
  /** The first bytes that ever lay under the name are given out. */
  | { readonly kind: 'old' }
  /** The connection ends without an answer. */
  | { readonly kind: 'gone' }
  /** Lists hold the keys of everybody, whatever they are to begin with. */
  | { readonly kind: 'all-keys' }
  /** Each list claims to continue, with this many tokens in turn. */
  | { readonly kind: 'endless'; readonly tokens: number };

/** A running store. */
export interface ObjectStore {
  readonly settings: {
    readonly S3_ENDPOINT: string;
    readonly S3_BUCKET: string;
    readonly S3_REGION: string;
    readonly S3_ACCESS_KEY_ID: string;
    readonly S3_SECRET_ACCESS_KEY: string;
  };
  /** The objects by their keys. */
  readonly objects: Map<string, { bytes: Buffer; readonly first: Buffer; modifiedAt: number }>;
  /** The requests so far: method and key. */
  readonly asked: string[];
  /** Answers with trouble so many times, to requests of this method. */
  fail(method: string, trouble: Trouble, times: number): void;
}

const pageKeys = 2;
const bucket = 'paper-pictures';
const keyId = 'AKIDTEST';
const secret = 'the/secret+of=the test'.replaceAll(' ', '');
const region = 'eu-central-1';

/** Starts a store, runs the test, and stops it. */
export async function withObjectStore(run: (store: ObjectStore) => Promise<void>): Promise<void> {
  const objects: ObjectStore['objects'] = new Map();
  const asked: string[] = [];
  const troubles: { method: string; trouble: Trouble; left: number }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const trouble = troubles.findLast(({ method, left }) => method === request.method && left > 0);
      if (trouble !== undefined) trouble.left--;
      answer({ request, response, body: Buffer.concat(parts), trouble: trouble?.trouble, objects, asked });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    await run({
      settings: {
        S3_ENDPOINT: `http://127.0.0.1:${port}`,
        S3_BUCKET: bucket,
        S3_REGION: region,
        S3_ACCESS_KEY_ID: keyId,
        S3_SECRET_ACCESS_KEY: secret,
      },
      objects,
      asked,
      fail: (method, trouble, times) => troubles.push({ method, trouble, left: times }),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The store as a client opens it, without a service. */
export function bucketOf({ settings }: ObjectStore): S3Settings {
  return {
    endpoint: settings.S3_ENDPOINT,
    bucket: settings.S3_BUCKET,
    region: settings.S3_REGION,
    accessKeyId: settings.S3_ACCESS_KEY_ID,
    secretAccessKey: settings.S3_SECRET_ACCESS_KEY,
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly trouble: Trouble | undefined;
  readonly objects: ObjectStore['objects'];
  readonly asked: string[];
}

function answer({ request, response, body, trouble, objects, asked }: Exchange): void {
  const { method = '' } = request;
  const url = new URL(request.url ?? '', 'http://store');
  const refuse = (status: number, code: string): void => {
    const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${keyId} may not</Message></Error>`;
    response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
  };
  const problem = problemOfSignature(request, url, body);
  if (problem !== undefined) {
    refuse(403, problem);
    return;
  }
  const [, name = '', ...rest] = url.pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  asked.push(`${method} ${key}`);
  const found = objects.get(key);
  if (trouble?.kind === 'gone') request.socket.destroy();
  else if (trouble?.kind === 'status') refuse(trouble.status, trouble.code ?? 'SlowDown');
  else if (name !== bucket) refuse(404, 'NoSuchBucket');
  else if (url.searchParams.get('list-type') === '2') response.writeHead(200).end(listOf(url, objects, trouble));
  else if (method === 'PUT') {
    // An entity tag is no digest of the content: stores make it of parts, or at random.
    objects.set(key, { bytes: body, first: found?.first ?? body, modifiedAt: Date.now() });
    response.writeHead(200, { etag: '"not-a-digest-2"' }).end();
  } else if (method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else if (found === undefined) refuse(404, 'NoSuchKey');
  else give(response, trouble?.kind === 'old' ? found.first : found.bytes, trouble?.kind === 'cut');
}

/** Gives an object out, or half of it. */
function give(response: ServerResponse, bytes: Buffer, isCut: boolean): void {
  response.writeHead(200, { 'content-length': bytes.length, etag: '"not-a-digest-2"' });
  if (isCut) response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy());
  else response.end(bytes);
}

/** A page of the list, its keys in order. */
function listOf(url: URL, objects: ObjectStore['objects'], trouble: Trouble | undefined): string {
  const prefix = trouble?.kind === 'all-keys' ? '' : (url.searchParams.get('prefix') ?? '');
  if (trouble?.kind === 'endless') {
    const turn = Number(url.searchParams.get('continuation-token') ?? 0) + 1;
    return `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>${turn % trouble.tokens}</NextContinuationToken></ListBucketResult>`;
  }
  const after = url.searchParams.get('continuation-token') ?? '';
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, pageKeys);
  const contents = page.map((key) => {
    const modified = new Date(objects.get(key)?.modifiedAt ?? 0).toISOString();
    return `<Contents><Key>${key}</Key><LastModified>${modified}</LastModified><Size>1</Size></Contents>`;
  });
  const isCut = keys.length > page.length;
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return `<?xml version="1.0"?><ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
}

/** Checks the signature by its definition; the code of the refusal, undefined for a right one. */
function problemOfSignature(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      request.headers.authorization ?? '',
    );
  if (given === null) return 'AccessDenied';
  const [, key, day = '', zone = '', names = '', signature] = given;
  if (key !== keyId) return 'InvalidAccessKeyId';
  if (zone !== region) return 'AuthorizationHeaderMalformed';
  const sha256 = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');
  const digest = String(request.headers['x-amz-content-sha256']);
  if (digest !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const at = String(request.headers['x-amz-date']);
  const time = at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  if (!(Math.abs(Date.parse(time) - Date.now()) < 15 * 60_000)) return 'RequestTimeTooSkewed';
  if (!names.split(';').includes('host') || !names.split(';').includes('x-amz-content-sha256')) return 'AccessDenied';
  const encode = (text: string): string =>
    encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const path = url.pathname.split('/').map((part) => encode(decodeURIComponent(part)));
  const headers = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const canonical = [request.method, path.join('/'), query, headers.join(''), names, digest].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', at, `${day}/${zone}/s3/aws4_request`, sha256(canonical)].join('\n');
  const sign = (by: string | Buffer, text: string): Buffer => createHmac('sha256', by).update(text).digest();
  const signing = [day, zone, 's3', 'aws4_request'].reduce<string | Buffer>(sign, `AWS4${secret}`);
  return sign(signing, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
