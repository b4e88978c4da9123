/** An unexpected answer of an object store, in one sentence with what to do. */

/** A fault of the object store. One that passes was met by trying again, and may be over soon. */
export class ObjectStoreFault extends Error {
  readonly hint: string;
  readonly passes: boolean;

  constructor(message: string, hint: string, { passes = false } = {}) {
    super(message);
    this.hint = hint;
    this.passes = passes;
  }
}

/** Hints by the code in the body of a refusal. The store's own sentence is not repeated: it may quote the key. */
const hints: Readonly<Record<string, string>> = {
  AccessDenied: 'let the key of S3_ACCESS_KEY_ID get, put and delete objects below S3_PREFIX, and list the bucket',
  InvalidAccessKeyId: 'correct S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'correct S3_SECRET_ACCESS_KEY and S3_REGION',
  AuthorizationHeaderMalformed: 'correct S3_REGION',
  RequestTimeTooSkewed: 'set the clock of this machine, or of the store, by NTP',
  NoSuchBucket: 'make the bucket, or correct S3_BUCKET',
  PermanentRedirect: 'correct S3_REGION and S3_ENDPOINT: the bucket is elsewhere',
  TemporaryRedirect: 'correct S3_REGION and S3_ENDPOINT: the bucket is elsewhere',
  QuotaExceeded: 'make room in the bucket',
  XAmzContentSHA256Mismatch: 'what was sent did not arrive: look at what is between this machine and the store',
};

/** Statuses that are answered by trying again. */
export function isPassing(status: number): boolean {
  return status === 429 || status === 408 || (status >= 500 && status !== 501);
}

/** The fault for an answer that is not a success. `body` is the beginning of an XML document, or anything else. */
export function faultOfAnswer(method: string, status: number, body: string): ObjectStoreFault {
  const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body)?.[1];
  const said = code === undefined ? `${status}` : `${status} ${code}`;
  const message = `S3_ENDPOINT: the object store answers ${said} to ${method}`;
  const known = code === undefined ? undefined : hints[code];
  if (isPassing(status)) {
    return new ObjectStoreFault(message, known ?? 'it is tried again by itself; look at the store if it goes on', {
      passes: true,
    });
  }
  if (status === 403) return new ObjectStoreFault(message, known ?? hints.AccessDenied ?? '');
  if (status >= 300 && status < 400) return new ObjectStoreFault(message, known ?? hints.PermanentRedirect ?? '');
  return new ObjectStoreFault(message, known ?? 'correct S3_ENDPOINT and S3_BUCKET');
}

/** The fault for a request that got no whole answer. */
export function faultOfConnection(method: string, error: unknown): ObjectStoreFault {
  const causes = error instanceof Error ? [error, error.cause] : [];
  const code = causes.map((cause) => (cause as { code?: unknown } | undefined)?.code).find((one) => one !== undefined);
  const isTimeout = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  const why = isTimeout ? 'no whole answer in time' : typeof code === 'string' ? code : 'the connection ended';
  return new ObjectStoreFault(
    `S3_ENDPOINT: the object store cannot be reached for ${method} (${why})`,
    'start the store, or correct S3_ENDPOINT and what is between it and this machine',
    { passes: true },
  );
}
