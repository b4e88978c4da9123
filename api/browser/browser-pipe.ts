/**
 * The pipe between a browser and puppeteer. Messages that no render needs (pages' console texts and errors) are read
 * and dropped as they come, so that a talkative page fills neither end of the pipe. A context whose pages send more
 * than anybody can use is given up.
 */
import type { Readable, Writable } from 'node:stream';
import type { ConnectionTransport } from 'puppeteer';
import type { Clock } from '../../runtime/clock.ts';
import { type BrowserMessage, cutMessages } from './cut-messages.ts';

/** The events that puppeteer works by. */
const wantedEvents = new Set(
  `Fetch.authRequired Fetch.requestPaused Inspector.targetCrashed
Network.loadingFailed Network.loadingFinished Network.requestServedFromCache Network.requestWillBeSent
Network.requestWillBeSentExtraInfo Network.responseReceived Network.responseReceivedExtraInfo
Page.domContentEventFired Page.frameAttached Page.frameDetached Page.frameNavigated Page.frameStartedLoading
Page.frameStoppedLoading Page.javascriptDialogOpening Page.lifecycleEvent Page.loadEventFired Page.navigatedWithinDocument
Runtime.bindingCalled Runtime.executionContextCreated Runtime.executionContextDestroyed Runtime.executionContextsCleared
Target.attachedToTarget Target.detachedFromTarget Target.targetCreated Target.targetDestroyed Target.targetInfoChanged`.split(
    /\s/,
  ),
);

/** Commands of puppeteer that no render needs: they are answered as done. */
const unasked = /^\{"method":"(?:Audits|Log|Performance|WebMCP)\.enable"/;

const mebibyte = 1024 * 1024;
/**
 * The most that is taken of one context in all: its frames, workers and pictures, and requests, those to itself too
 * (`data:`, `blob:`). A frame costs a dozen messages, and puppeteer more work than a request does.
 */
const maxReceived = { messages: 12_000, requests: 1_500, frames: 300, bytes: 64 * mebibyte };
/** The limit of one message: the picture of the largest panel takes less. */
const maxMessageBytes = 32 * mebibyte;
/**
 * The limit of one message about a request. A longer one is about a long `data:` address: it is counted, and not passed
 * on, because puppeteer would keep its text for as long as the page is open.
 */
const maxRequestBytes = 64 * 1024;
/** The most that is passed on about the requests of one context in all. */
const maxRequestBytesInAll = 16 * mebibyte;
/** The most that may be dropped of one context in a second. Less than this is read without effort. */
const maxDropped = { messages: 2_000, requests: 0, frames: 0, bytes: 4 * mebibyte };
const secondMs = 1_000;

interface Counts {
  messages: number;
  requests: number;
  /** The frames that were attached, whether they are still there or not. */
  frames: number;
  bytes: number;
}

const isAboutRequest = (event: string | undefined): boolean => event?.startsWith('Network.') === true;

const maxBytesOf = (event: string | undefined): number => {
  if (!isWanted(event)) return 0;
  return isAboutRequest(event) ? maxRequestBytes : maxMessageBytes;
};

/** The account of one context's messages. */
interface Account {
  readonly exceeded: () => void;
  readonly received: Counts;
  readonly dropped: Counts & { since: number };
  /** The bytes of messages about requests that were passed on. */
  requestBytes: number;
  isOver: boolean;
}

/** The pipe as puppeteer takes it. */
export interface BrowserPipe extends ConnectionTransport {
  /**
   * Watches how much the pages of a browser context send.
   * @param exceeded called once when it is too much; nothing of them is passed on from then on
   * @returns a function that ends the watch
   */
  watch(contextId: string, exceeded: () => void): () => void;
}

const isBeyond = (counts: Counts, most: Counts): boolean =>
  counts.messages > most.messages ||
  counts.requests > most.requests ||
  counts.frames > most.frames ||
  counts.bytes > most.bytes;

/**
 * Opens a pipe over the two ends that a browser was started with.
 * @param broken called when the browser sends something unreadable: nothing more is read from it after that (T-75)
 */
export function openBrowserPipe(
  commands: Writable,
  events: Readable,
  clock: Clock,
  broken: () => void = () => {},
): BrowserPipe {
  const accounts = new Map<string, Account>();
  const contextOf = contextFinder();

  const pipe: BrowserPipe = {
    send(message) {
      if (unasked.test(message)) {
        const { id, sessionId } = JSON.parse(message);
        passOn(JSON.stringify({ id, result: {}, sessionId }));
        return;
      }
      commands.write(`${message}\0`);
    },
    close() {
      events.off('data', read);
      events.resume();
    },
    watch(contextId, exceeded) {
      const counts = { messages: 0, requests: 0, frames: 0, bytes: 0 };
      const dropped = { ...counts, since: clock.now() };
      accounts.set(contextId, { exceeded, received: { ...counts }, dropped, requestBytes: 0, isOver: false });
      return () => {
        accounts.delete(contextId);
      };
    },
  };

  /**
   * Passes messages on one by one and not at once: a thing that puppeteer begins on one message has to exist at the
   * next.
   */
  function passOn(text: string): void {
    // puppeteer reads the message in an asynchronous function, although the type of the handler hides that.
    setImmediate(() => new Promise((resolve) => resolve(pipe.onmessage?.(text))).catch(breakOff));
  }

  function receive(message: BrowserMessage): void {
    const account = accounts.get(contextOf(message) ?? '');
    if (account !== undefined && !account.isOver && isTooMuch(account, message, clock.now())) {
      account.isOver = true;
      account.exceeded();
    }
    if (message.text === undefined) return;
    const isPassedOn = message.event === undefined || message.event.startsWith('Target.') || account?.isOver !== true;
    if (isPassedOn) passOn(message.text);
  }

  function breakOff(): void {
    pipe.close();
    broken();
  }

  const cut = cutMessages({ maxBytesOf }, receive);
  function read(chunk: Buffer): void {
    try {
      cut(chunk);
    } catch {
      breakOff();
    }
  }
  events.on('data', read);
  events.once('close', () => pipe.onclose?.());
  for (const stream of [commands, events]) stream.on('error', () => {}); // It ended; `close` reports it.
  return pipe;
}

/**
 * Returns the function that finds the context a message belongs to. Messages about targets come from the browser itself, and
 * name the context.
 */
function contextFinder(): (message: BrowserMessage) => string | undefined {
  const contexts = new Map<string, string>();
  return ({ event, sessionId, text = '' }) => {
    if (event === 'Target.attachedToTarget') {
      const { params } = JSON.parse(text);
      contexts.set(params.sessionId, params.targetInfo.browserContextId);
      return params.targetInfo.browserContextId;
    }
    if (event === 'Target.detachedFromTarget') contexts.delete(JSON.parse(text).params.sessionId);
    // Quotes in a page's own texts are escaped, so they cannot match this.
    if (sessionId === undefined) return /"browserContextId":"(\w+)"/.exec(text)?.[1];
    return contexts.get(sessionId);
  };
}

const isWanted = (event: string | undefined): boolean => event === undefined || wantedEvents.has(event);

/** Counts a message for its context, and returns whether its pages have sent too much. */
function isTooMuch(account: Account, { event, bytes, text }: BrowserMessage, now: number): boolean {
  const { received, dropped } = account;
  if (isWanted(event)) {
    received.messages++;
    received.bytes += bytes;
    if (event === 'Network.requestWillBeSent') received.requests++;
    if (event === 'Page.frameAttached') received.frames++;
    if (isAboutRequest(event) && text !== undefined) account.requestBytes += bytes;
    return bytes > maxMessageBytes || account.requestBytes > maxRequestBytesInAll || isBeyond(received, maxReceived);
  }
  if (now - dropped.since > secondMs) Object.assign(dropped, { messages: 0, bytes: 0, since: now });
  dropped.messages++;
  dropped.bytes += bytes;
  return isBeyond(dropped, maxDropped);
}
