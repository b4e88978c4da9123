/** Integrations: each connection pushes content, repeats itself until it has a definite answer, and remembers what it was told. */
import type { Principal } from '../directory/principal.ts';
import type { Call } from './calls.ts';
import type { Chance } from './chance.ts';
import type { Climate } from './climate.ts';
import { normalized, type PageContent, sha256Hex } from './drawing.ts';
import { manifestUrl } from './home.ts';
import type { Court } from './verdict.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What a grant's exchange gave. */
interface Credentials {
  readonly connectionId: string;
  readonly token: string;
}

/** One message, with what its sender knows of it. */
export interface Submission {
  readonly messageId: string;
  readonly paperId: string;
  readonly credentials: Credentials;
  readonly content: PageContent;
  readonly imageBase64: string | undefined;
  readonly sentAt: number;
  /** The service's 202, when the sender saw it. */
  requestId: string | undefined;
  /** No definite answer yet, and the sender is still trying. */
  isOpen: boolean;
}

/** One person's connection of one paper. */
export interface Backend {
  readonly paperId: string;
  readonly member: Principal;
  readonly credentials: () => Credentials | undefined;
  readonly submissions: readonly Submission[];
  /** Other contents that were sent under the ids of earlier messages. */
  readonly contradictions: readonly Submission[];
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  submit(): Promise<void>;
  /** Sends an earlier message again, as it was. */
  repeat(): Promise<void>;
  /** Sends other content under an earlier message's id. */
  contradict(): Promise<void>;
}

export interface BackendEdges {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly weather: () => Climate;
  readonly call: Call;
  readonly court: Court;
  readonly note: (what: string) => void;
}

const contentRoute = 'POST /v1/integration-papers/connections/:connectionId/content';

/** Sets a backend up; `connect` makes its connection. */
export function backendOf(edges: BackendEdges, paperId: string, member: Principal): Backend {
  const { time, chance, call, court, note } = edges;
  const submissions: Submission[] = [];
  const contradictions: Submission[] = [];
  /** Tokens whose revocation was answered. */
  const ended = new Set<string>();
  let credentials: Credentials | undefined;
  let messages = 0;

  async function connect(): Promise<void> {
    const wish = { configUrl: manifestUrl, settingsPage: './settings' };
    const path = { paperId };
    const granted = await call({
      route: 'POST /v1/integration-papers/papers/:paperId/grants',
      params: path,
      body: wish,
      as: member,
    });
    if (granted.kind !== 'ok') return;
    const body = { grant: (granted.value as { grant: string }).grant };
    const exchanged = await call({ route: 'POST /v1/integration-papers/exchange', body });
    if (exchanged.kind !== 'ok') return;
    credentials = exchanged.value as Credentials;
    note(`connected ${credentials.connectionId}`);
  }

  async function disconnect(): Promise<void> {
    if (credentials === undefined) return;
    const { connectionId, token } = credentials;
    const headers = { authorization: `Bearer ${token}` };
    const answer = await call({
      route: 'DELETE /v1/integration-papers/connections/:connectionId',
      params: { connectionId },
      headers,
    });
    if (answer.kind === 'unknown') return;
    note(`disconnected ${connectionId}`);
    credentials = undefined;
    if (answer.kind !== 'ok') return;
    ended.add(token);
    const after = await call({
      route: contentRoute,
      params: { connectionId },
      headers,
      body: { messageId: 'late', text: 'late' },
    });
    court.holds(after.kind !== 'ok', 'INV-53', () => 'a revoked token was answered with success');
  }

  function compose(): Submission | undefined {
    if (credentials === undefined) return undefined;
    const word = chance.whole(0, 9999);
    const text = chance.hits(0.7) ? `text ${word}` : '';
    const image = text === '' || chance.hits(0.3) ? Buffer.from(`image ${chance.whole(0, 999)}`) : undefined;
    const png = image && normalized(image);
    return {
      messageId: `${credentials.connectionId.slice(-4)}-${member.accountId.slice(-2)}-${++messages}`,
      paperId,
      credentials,
      content: { text, imageKey: png && sha256Hex(png) },
      imageBase64: image?.toString('base64'),
      sentAt: time.now(),
      requestId: undefined,
      isOpen: true,
    };
  }

  async function send(submission: Submission): Promise<void> {
    const { messageId, imageBase64, content } = submission;
    const { connectionId, token } = submission.credentials;
    const answer = await call({
      route: contentRoute,
      params: { connectionId },
      headers: { authorization: `Bearer ${token}` },
      body: { messageId, text: content.text, ...(imageBase64 !== undefined && { imageBase64 }) },
    });
    const isCurrent = credentials?.token === token;
    const isAskedAgain = answer.kind === 'refused' && answer.status === 503;
    if (answer.kind === 'unknown' || isAskedAgain || chance.hits(edges.weather().answerLost)) {
      // Who has no answer repeats the same message, and some give up.
      submission.isOpen = isCurrent && chance.hits(0.95);
      if (submission.isOpen) time.after(chance.whole(500, 60_000), () => void send(submission));
      return;
    }
    submission.isOpen = false;
    if (answer.kind === 'refused') {
      note(`refused ${messageId} ${answer.code}`);
      const gone = ['connection-unauthorized', 'paper-access-denied', 'integration-changed'].includes(answer.code);
      court.holds(gone, 'INV-05', () => `an identical ${messageId} was refused with ${answer.code}`);
      if (gone && isCurrent) credentials = undefined;
      return;
    }
    court.holds(!ended.has(token), 'INV-53', () => `${messageId} got its 202 after the 204 of the revocation`);
    const { requestId } = answer.value as { requestId: string };
    note(`accepted ${messageId} as ${requestId}`);
    const before = submission.requestId ?? requestId;
    const days = (time.now() - submission.sentAt) / 86_400_000;
    court.holds(
      before === requestId || days >= 30,
      'INV-05',
      () => `${messageId} was ${before}, now it is ${requestId}`,
    );
    submission.requestId = requestId;
  }

  const ofNow = (): Submission[] =>
    submissions.filter((one) => one.credentials === credentials && time.now() - one.sentAt < 29 * 86_400_000);

  return {
    paperId,
    member,
    credentials: () => credentials,
    submissions,
    contradictions,
    connect,
    disconnect,
    async submit() {
      const submission = compose();
      if (submission === undefined) return;
      submissions.push(submission);
      await send(submission);
    },
    async repeat() {
      const known = ofNow();
      if (known.length > 0) await send(chance.pick(known));
    },
    async contradict() {
      const known = ofNow().filter(({ requestId }) => requestId !== undefined);
      if (known.length === 0) return;
      const earlier = chance.pick(known);
      const { messageId, credentials: mine, sentAt } = earlier;
      const { connectionId, token } = mine;
      const text = `something else than ${messageId}`;
      contradictions.push({ ...earlier, content: { text, imageKey: undefined }, requestId: undefined, isOpen: false });
      const body = { messageId, text };
      const headers = { authorization: `Bearer ${token}` };
      const answer = await call({ route: contentRoute, params: { connectionId }, headers, body });
      // It may have been under way while weeks passed.
      const isFree = time.now() - sentAt >= 30 * 86_400_000;
      court.holds(answer.kind !== 'ok' || isFree, 'INV-06', () => `${messageId} was accepted with other content`);
    },
  };
}
