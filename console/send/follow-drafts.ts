/** Brings back the pictures that were not sent yet, and goes on with those on their way, whatever page is open. */
import { effect } from '@preact/signals';
import { followFleet } from '../ground/fleet.ts';
import { noteOnItsWay } from '../ground/on-its-way.ts';
import { followPicturePapers, readPicturePapers } from '../ground/picture-papers.ts';
import { hasEnded, me, organizationId } from '../ground/session.ts';
import { drafts, removeDraft } from '../parts/drafts/drafts.ts';
import { areRestored, keepDraftsOf } from '../parts/drafts/keep-drafts.ts';
import { fateOf, goesOn } from '../parts/drafts/outbox.ts';
import { followNetwork } from './send-queue.ts';
import { followOutbox, sendings, tidyOutbox } from './sendings.ts';

let isFollowing = false;

/** Does so from now on, for anyone who is signed in: nobody sees the pictures of another account or organization. */
export function followDrafts(): void {
  if (isFollowing) return;
  isFollowing = true;
  followFleet();
  followPicturePapers();
  effect(() => {
    const account = me.value?.account.id;
    const organization = organizationId.value;
    // Anyone who signs in again after a session that ended finds what they had.
    if (account === undefined && !hasEnded.value) void followOutbox('');
    if (account === undefined || organization === '') return;
    keepDraftsOf(`${account} ${organization}`);
    void followOutbox(`${account} ${organization}`);
    void readPicturePapers().catch(() => undefined);
  });
  effect(() => {
    if (!areRestored.value) return;
    noteOnItsWay(sendings.value.some(goesOn));
  });
  effect(() => {
    if (areRestored.value) void tidyOutbox();
  });
  effect(followFates);
  followNetwork();
}

/** A picture that any tab sends is on its way in all of them, and gone from all when it has arrived. */
function followFates(): void {
  for (const draft of drafts.value) {
    const fate = fateOf(draft.key, sendings.value);
    if (fate === 'gone') removeDraft(draft.key);
    else draft.going.value = fate === 'going';
  }
}
