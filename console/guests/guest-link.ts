/** The guest's link: its secret stands behind the `#` of the address, and goes to the service in a header alone. */
import { signal } from '@preact/signals';
import { type AnswerOf, callApi, type Problem } from '../ground/call-api.ts';
import { asProblem } from '../ground/resource.ts';

type GuestPicture = AnswerOf<'GET /guest/pictures/'>[number];
type GuestShown = AnswerOf<'GET /guest/'>;

/** The secret of the link that is open. */
const secret = signal(location.hash.slice(1));

/** The guest and the paper of the link; undefined while nobody knows. */
export const guest = signal<GuestShown | undefined>(undefined);
/** The pictures that were sent with the link, the newest first. */
export const guestPictures = signal<readonly GuestPicture[]>([]);
/** Why the link could not be opened. */
export const guestProblem = signal<Problem | undefined>(undefined);

/** A name for the data that the link's guest keeps in the browser, from which nobody can derive the secret. */
export function guestName(): string {
  let [low, high] = [0x811c9dc5, 0xdeadbeef];
  for (const letter of secret.value) {
    low = Math.imul(low ^ letter.charCodeAt(0), 0x01000193);
    high = Math.imul(high ^ letter.charCodeAt(0), 0x85ebca6b);
  }
  return secret.value === '' ? '' : `guest ${(low >>> 0).toString(16)}${(high >>> 0).toString(16)}`;
}

/** The header that proves the link. */
export const guestHeaders = (): Readonly<Record<string, string>> => ({ 'x-guest-link': secret.value });

/** Reads again what the link is for and what was sent with it. What is shown stays when the service cannot be reached. */
export async function readGuest(): Promise<void> {
  try {
    const headers = guestHeaders();
    const [link, pictures] = [
      await callApi('GET /guest/', { headers }),
      await callApi('GET /guest/pictures/', { headers }),
    ];
    guest.value = link;
    guestPictures.value = pictures;
    guestProblem.value = undefined;
  } catch (error) {
    // What was chosen and typed stays on the page, also when the link has just ended.
    guestProblem.value = asProblem(error);
  }
}

/**
 * Pictures move on their own: they are asked for again and again while one is still to come to a glass, sooner while it
 * is likely to move. Without one, nothing is asked until the page is looked at again or something is sent.
 */
const [soonMs, laterMs] = [5_000, 30_000];
/** A picture that waits for longer than this waits for its turn in a large album. */
const freshMs = 10 * 60_000;

/** Returns the delay until the next poll; undefined when there is nothing to wait for. */
function nextLook(pictures: readonly GuestPicture[]): number | undefined {
  if (hasEnded()) return undefined;
  const pending = pictures.filter(({ state }) => state === 'accepted' || state === 'on-its-way');
  if (pending.length === 0) return guest.peek() === undefined ? laterMs : undefined;
  const isMoving = ({ state, sentAt }: GuestPicture): boolean =>
    state === 'on-its-way' || Date.now() - Date.parse(sentAt) < freshMs;
  return pending.some(isMoving) ? soonMs : laterMs;
}

/** Whether the service has answered that the link opens nothing. */
const hasEnded = (): boolean => guestProblem.peek()?.code.startsWith('guest-link-') === true;

/** Keeps the page up to date until the returned function is called. */
export function followGuest(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const plan = (): void => {
    clearTimeout(timer);
    const wait = isOver ? undefined : nextLook(guestPictures.peek());
    if (wait !== undefined) timer = setTimeout(() => void look(), wait);
  };
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    if (!document.hidden) await readGuest();
    plan();
  };
  // What was just sent is followed as well.
  const planned = guestPictures.subscribe(plan);
  const again = (): void => {
    if (!document.hidden) void look();
  };
  const changed = (): void => {
    secret.value = location.hash.slice(1);
    guest.value = undefined;
    guestPictures.value = [];
    void look();
  };
  document.addEventListener('visibilitychange', again);
  addEventListener('hashchange', changed);
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
    planned();
    document.removeEventListener('visibilitychange', again);
    removeEventListener('hashchange', changed);
  };
}
