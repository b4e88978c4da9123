/** The steps that make the console an app of a phone: its service worker, and a look again when the connection is back. */
import { consoleBase } from './ground/base.ts';
import { findSession, me, sessionProblem } from './ground/session.ts';

/** The part of Trusted Types that is used; TypeScript's library does not have it yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

const lookAgainMs = 5_000;

/** Looks whether the service is there again, while the page says that it is not. */
function lookAgain(): void {
  if (me.peek() === undefined && sessionProblem.peek()?.status === 0 && !document.hidden) void findSession();
}

/** Registers the worker where browsers allow one: over https, and on this very machine. */
export async function becomeInstallable(): Promise<void> {
  addEventListener('online', lookAgain);
  setInterval(lookAgain, lookAgainMs);
  if (!('serviceWorker' in navigator)) return;
  const address = `${consoleBase}sw.js`;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('papergate-worker', {
    createScriptURL(url) {
      if (url !== address) throw new TypeError('the console has one worker');
      return url;
    },
  });
  const script = (policy?.createScriptURL(address) ?? address) as string;
  await navigator.serviceWorker.register(script, { scope: consoleBase });
}
