/** Invariants of requests and of the content that papers show. */
import { requestStates } from '../../api/delivery-state/states.ts';
import { askForHelp, type Invariant, sqlList } from './invariant.ts';

const pushAgain = 'push the content once more: a new message becomes the source and ends all older ones';

/** All of them. */
export const requestInvariants: readonly Invariant[] = [
  {
    name: 'request-state',
    rule: 'INV-24',
    means: 'a request is in a state that does not exist',
    next: askForHelp,
    find: () => `select id from content_requests where state not in ${sqlList(requestStates)}`,
  },
  {
    name: 'request-accepted-at',
    rule: 'INV-10',
    means: 'a request is accepted without a time of acceptance, or has one while it is still being received',
    next: pushAgain,
    find: () =>
      `select id from content_requests where (state = 'receiving' and accepted_at is not null)
         or (state in ('accepted', 'active', 'closed') and accepted_at is null)`,
  },
  {
    name: 'request-due',
    rule: 'INV-48',
    means: 'an open request is never looked at again, or one that is over still is',
    next: pushAgain,
    find: () =>
      `select id from content_requests where (state in ('accepted', 'active') and due_at is null)
         or (state in ('receiving', 'superseded', 'closed', 'revoked') and due_at is not null)`,
  },
  {
    name: 'newest-source',
    rule: 'INV-15',
    means: 'a paper shows older content than the newest that was accepted, or none',
    next: pushAgain,
    find: () =>
      `select distinct r.paper_id as id from content_requests r join papers p on p.id = r.paper_id
         left join paper_contents c on c.paper_id = r.paper_id
       where r.accepted_at is not null and (c.paper_id is null or c.sequence < r.sequence)`,
  },
  {
    name: 'whole-source',
    rule: 'INV-20',
    means: 'a paper’s content is not text and image of one request of its own',
    next: pushAgain,
    find: () =>
      `select c.paper_id as id from paper_contents c join content_requests r on r.id = c.request_id
       where r.paper_id <> c.paper_id or r.sequence <> c.sequence or r.text <> c.text
         or r.image_key is distinct from c.image_key`,
  },
  {
    name: 'one-source',
    rule: 'INV-19',
    means: 'a request is still open though the paper shows newer content',
    next: pushAgain,
    find: () =>
      `select r.id from content_requests r join paper_contents c on c.paper_id = r.paper_id
       where c.sequence > r.sequence and r.state in ('accepted', 'active', 'closed')`,
  },
  {
    name: 'one-sequence',
    rule: 'INV-16',
    means: 'two requests of a paper have one place in its order',
    next: pushAgain,
    find: () => 'select paper_id as id from content_requests group by paper_id, sequence having count(*) > 1',
  },
  {
    name: 'counted-sequence',
    rule: 'INV-16',
    means: 'a paper’s counter of submissions is behind the requests or the content that it counts',
    next: 'end the service, restore the newest backup, and report it: the next message would be taken for an older one',
    find: () =>
      `select p.id from papers p join (
         select paper_id, max(sequence) as taken from content_requests group by paper_id
         union all select paper_id, sequence from paper_contents) counted on counted.paper_id = p.id
       group by p.id, p.sequence having max(counted.taken) > p.sequence`,
  },
  {
    name: 'generation',
    rule: 'INV-56',
    means: 'a request or callback is of a generation that its connection has not reached',
    next: 'revoke the connection and connect the integration again',
    find: () =>
      `select r.id from content_requests r join connections c on c.id = r.connection_id where r.generation > c.generation
       union all
       select e.id from callback_events e join connections c on c.id = e.connection_id where e.generation > c.generation`,
  },
];
