/** Brings back the pictures that were not sent yet, and goes on with those on their way, whatever page is open. */
import { effect } from '@preact/signals';
import { followFleet } from '../ground/fleet.ts';
import { noteOnItsWay } from '../ground/on-its-way.ts';
import { readPicturePapers } from '../ground/picture-papers.ts';
import { hasEnded, me, organizationId } from '../ground/session.ts';
import { drafts } from '../parts/drafts/drafts.ts';
import { areRestored, keepDraftsOf } from '../parts/drafts/keep-drafts.ts';
import { keepSendingsOf } from './keep-sendings.ts';
import { followNetwork } from './send-queue.ts';

let isFollowing = false;

/** Does so from now on, for whoever is signed in: nobody sees the pictures of another account or organization. */
export function followDrafts(): void {
  if (isFollowing) return;
  isFollowing = true;
  followFleet();
  effect(() => {
    const account = me.value?.account.id;
    const organization = organizationId.value;
    // Whoever signs in again after a session that ended finds what they had.
    if (account === undefined && !hasEnded.value) keepSendingsOf('');
    if (account === undefined || organization === '') return;
    keepDraftsOf(`${account} ${organization}`);
    keepSendingsOf(`${account} ${organization}`);
    void readPicturePapers().catch(() => undefined);
  });
  effect(() => {
    if (areRestored.value) noteOnItsWay(drafts.value.some(({ going }) => going.value !== undefined));
  });
  followNetwork();
}
