/** Simulated integrations: each one pushes content, repeats it until the answer is definite, and keeps the answers. */
import type { Principal } from '../../api/access/principal.ts';
import type { SimulatedCall } from './calls.ts';
import { type Credentials, composed, type PushedContent } from './compose-message.ts';
import { manifestUrl } from './home.ts';
import type { Chance } from './machine/chance.ts';
import type { Checker } from './machine/checker.ts';
import type { FaultRates } from './machine/fault-rates.ts';
import type { VirtualTime } from './machine/virtual-time.ts';

/** An integration that one person connected to one paper. */
export interface Backend {
  readonly paperId: string;
  readonly member: Principal;
  readonly credentials: () => Credentials | undefined;
  readonly submissions: readonly PushedContent[];
  /** Messages with other content that were sent under the ids of earlier messages. */
  readonly contradictions: readonly PushedContent[];
  /** Forgets what a restored service does not know: its answers to messages, and its revocations. */
  restored(isKnown: (requestId: string) => boolean): void;
  connect(): Promise<void>;
  /** Revokes the connection, and checks that its token is refused afterwards. */
  disconnect(): Promise<void>;
  /** Sends the next message, which is drawn unless its text is given; a given one has to arrive. */
  submit(text?: string): Promise<void>;
  /** Sends an earlier message again, as it was. */
  repeat(): Promise<void>;
  /** Sends other content under an earlier message's id. */
  contradict(): Promise<void>;
}

/** The dependencies of a backend; `currentFaults` are those of the moment. */
export interface BackendDeps {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly currentFaults: () => FaultRates;
  readonly call: SimulatedCall;
  readonly checker: Checker;
  readonly note: (what: string) => void;
  /** Is called with each message before it is sent. */
  readonly sends: (message: PushedContent) => void;
}

/** Everything that one backend remembers. */
interface BackendState {
  readonly deps: BackendDeps;
  readonly paperId: string;
  readonly member: Principal;
  readonly submissions: PushedContent[];
  readonly contradictions: PushedContent[];
  /** Tokens whose revocation was answered with success. */
  readonly revokedTokens: Set<string>;
  credentials: Credentials | undefined;
  messages: number;
}

const contentRoute = 'POST /v1/integration-papers/connections/:connectionId/content';
/** The codes with which even an identical repetition may be refused: the connection has lost its right. */
const lostRightCodes = ['connection-unauthorized', 'paper-access-denied', 'integration-changed'];
const dayMs = 86_400_000;
/** The service remembers message ids for this long. */
const messageLifetimeMs = 30 * dayMs;

/** Creates a backend without a connection; `connect` makes one. */
export function backendOf(deps: BackendDeps, paperId: string, member: Principal): Backend {
  const state: BackendState = {
    deps,
    paperId,
    member,
    submissions: [],
    contradictions: [],
    revokedTokens: new Set(),
    credentials: undefined,
    messages: 0,
  };
  return {
    paperId,
    member,
    credentials: () => state.credentials,
    submissions: state.submissions,
    contradictions: state.contradictions,
    connect: () => connect(state),
    restored(isKnown) {
      state.revokedTokens.clear();
      for (const sent of state.submissions) if (!isKnown(sent.requestId ?? '')) sent.requestId = undefined;
    },
    disconnect: () => disconnect(state),
    async submit(text) {
      const { credentials } = state;
      if (credentials === undefined) return;
      const from = { paperId, member, credentials, sentAt: deps.time.now(), number: ++state.messages };
      const submission = composed(from, deps.chance, text);
      state.submissions.push(submission);
      deps.sends(submission);
      await send(state, submission);
    },
    async repeat() {
      const known = rememberedMessages(state);
      if (known.length > 0) await send(state, deps.chance.pick(known));
    },
    async contradict() {
      const known = rememberedMessages(state).filter(({ requestId }) => requestId !== undefined);
      if (known.length > 0) await contradict(state, deps.chance.pick(known));
    },
  };
}

async function connect(state: BackendState): Promise<void> {
  const { call, note } = state.deps;
  const granted = await call({
    route: 'POST /v1/integration-papers/papers/:paperId/grants',
    params: { paperId: state.paperId },
    body: { configUrl: manifestUrl, settingsPage: './settings' },
    as: state.member,
  });
  if (granted.kind !== 'ok') return;
  const body = { grant: (granted.value as { grant: string }).grant };
  const exchanged = await call({ route: 'POST /v1/integration-papers/exchange', body });
  if (exchanged.kind !== 'ok') return;
  const credentials = exchanged.value as Credentials;
  state.credentials = credentials;
  note(`connected ${credentials.connectionId}`);
}

async function disconnect(state: BackendState): Promise<void> {
  if (state.credentials === undefined) return;
  const { call, checker, note } = state.deps;
  const { connectionId, token } = state.credentials;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await call({
    route: 'DELETE /v1/integration-papers/connections/:connectionId',
    params: { connectionId },
    headers,
  });
  if (answer.kind === 'unknown') return;
  note(`disconnected ${connectionId}`);
  state.credentials = undefined;
  if (answer.kind !== 'ok') return;
  state.revokedTokens.add(token);
  const after = await call({
    route: contentRoute,
    params: { connectionId },
    headers,
    body: { messageId: 'late', text: 'late' },
  });
  checker.holds(after.kind !== 'ok', 'INV-53', () => 'a revoked token was answered with success');
}

async function send(state: BackendState, submission: PushedContent): Promise<void> {
  const { call, chance, time, currentFaults } = state.deps;
  const { messageId, imageBase64, content } = submission;
  const { connectionId, token } = submission.credentials;
  const answer = await call({
    route: contentRoute,
    params: { connectionId },
    headers: { authorization: `Bearer ${token}` },
    body: { messageId, text: content.text, ...(imageBase64 !== undefined && { imageBase64 }) },
  });
  const isCurrent = state.credentials?.token === token;
  const isAskedAgain = answer.kind === 'refused' && answer.status === 503;
  if (answer.kind === 'unknown' || isAskedAgain || chance.happens(currentFaults().answerLost, 'answer is lost')) {
    // A sender without an answer repeats the same message; a few senders give up.
    submission.isOpen = isCurrent && (submission.isStubborn || chance.hits(0.95));
    if (submission.isOpen) time.after(chance.whole(500, 60_000), () => void send(state, submission));
    return;
  }
  submission.isOpen = false;
  if (answer.kind === 'refused') recordRefusal(state, submission, answer.code, isCurrent);
  else recordAcceptance(state, submission, (answer.value as { requestId: string }).requestId);
}

/** Checks that the message was refused only because the connection lost its right, which its backend then gives up. */
function recordRefusal(state: BackendState, { messageId }: PushedContent, code: string, isCurrent: boolean): void {
  const { checker, note } = state.deps;
  note(`refused ${messageId} ${code}`);
  const hasLostRight = lostRightCodes.includes(code);
  checker.holds(hasLostRight, 'INV-05', () => `an identical ${messageId} was refused with ${code}`);
  if (hasLostRight && isCurrent) state.credentials = undefined;
}

/** Checks that a repetition is answered with the same request, and that no revoked token is accepted. */
function recordAcceptance(state: BackendState, submission: PushedContent, requestId: string): void {
  const { checker, note, time } = state.deps;
  const { messageId, credentials } = submission;
  const isRevoked = state.revokedTokens.has(credentials.token);
  checker.holds(!isRevoked, 'INV-53', () => `${messageId} got its 202 after the 204 of the revocation`);
  note(`accepted ${messageId} as ${requestId}`);
  const before = submission.requestId ?? requestId;
  const isKept = before === requestId || time.now() - submission.sentAt >= messageLifetimeMs;
  checker.holds(isKept, 'INV-05', () => `${messageId} was ${before}, now it is ${requestId}`);
  submission.requestId = requestId;
}

/** Sends other content under the id of an earlier message, which must be refused. */
async function contradict(state: BackendState, earlier: PushedContent): Promise<void> {
  const { call, checker, time, sends } = state.deps;
  const { messageId, sentAt, credentials } = earlier;
  const { connectionId, token } = credentials;
  const text = `something else than ${messageId}`;
  const content = { text, imageKey: undefined };
  const contradiction = { ...earlier, content, requestId: undefined, isOpen: false };
  state.contradictions.push(contradiction);
  sends(contradiction);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await call({ route: contentRoute, params: { connectionId }, headers, body: { messageId, text } });
  // The call may have been under way while weeks passed, after which the id is free.
  const isForgotten = time.now() - sentAt >= messageLifetimeMs || earlier.requestId === undefined;
  checker.holds(answer.kind !== 'ok' || isForgotten, 'INV-06', () => `${messageId} was accepted with other content`);
}

/** Returns the messages of the current connection that the service still remembers, with a day to spare. */
function rememberedMessages({ submissions, credentials, deps }: BackendState): PushedContent[] {
  const since = deps.time.now() - messageLifetimeMs + dayMs;
  return submissions.filter((sent) => sent.credentials === credentials && sent.sentAt > since);
}
