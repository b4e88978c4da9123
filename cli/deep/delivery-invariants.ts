/** Invariants of deliveries. */
import { attemptsBeforeFailure, deliveryStates, openDeliveryStates } from '../../api/delivery-state/states.ts';
import { askForHelp, type Invariant, sqlList } from './invariant.ts';

const pushAgain = 'push the content once more; papergate devices why SERIAL says what the frame lacks';
const open = sqlList(openDeliveryStates);
const ended = sqlList(deliveryStates.filter((state) => !openDeliveryStates.includes(state)));
/** No claim and no wait is as long as this. */
const maxWaitMs = 3_600_000;

/** All of them. */
export const deliveryInvariants: readonly Invariant[] = [
  {
    name: 'delivery-state',
    rule: 'INV-24',
    means: 'a delivery is in a state that does not exist',
    next: askForHelp,
    find: () => `select id from deliveries where state not in ${sqlList(deliveryStates)}`,
  },
  {
    name: 'ended-delivery-due',
    rule: 'INV-25',
    means: 'a delivery is over and still due',
    next: askForHelp,
    find: () => `select id from deliveries where state in ${ended} and due_at is not null`,
  },
  {
    name: 'open-delivery-due',
    rule: 'INV-28',
    means: 'an open delivery is not looked at again, or not for more than an hour',
    next: pushAgain,
    find: (now) =>
      `select d.id from deliveries d join content_requests r on r.id = d.request_id
       where d.state in ${open} and r.state <> 'revoked' and (d.due_at is null or d.due_at > ${now + maxWaitMs})`,
  },
  {
    name: 'delivery-of-ended-request',
    rule: 'INV-21',
    means: 'a delivery is open though its request is superseded or closed',
    next: pushAgain,
    find: () =>
      `select d.id from deliveries d join content_requests r on r.id = d.request_id
       where d.state in ${open} and r.state in ('superseded', 'closed')`,
  },
  {
    name: 'one-open-delivery',
    rule: 'INV-36',
    means: 'a device has two open deliveries of one paper',
    next: pushAgain,
    find: () =>
      `select d.device_id as id from deliveries d join content_requests r on r.id = d.request_id
       where d.state in ${open} and r.state <> 'revoked' group by d.device_id, d.paper_id having count(*) > 1`,
  },
  {
    name: 'delivery-offer',
    rule: 'INV-34',
    means: 'a delivery is prepared or synced without an offer of its content to its frame',
    next: pushAgain,
    find: () =>
      `select d.id from deliveries d left join uploads u on u.id = d.upload_id
       where d.state in ('prepared', 'synced') and (u.id is null or u.revision <> d.request_id or u.serial <> d.serial)`,
  },
  {
    name: 'proof-of-synced',
    rule: 'INV-38',
    means: 'a delivery is synced though its picture was never announced to the frame, so nothing can have proven it',
    next: pushAgain,
    find: () =>
      `select d.id from deliveries d join uploads u on u.id = d.upload_id
       where d.state = 'synced' and u.cycle = 0 and u.announced_at is null`,
  },
  {
    name: 'attempts',
    rule: 'INV-28',
    means: `a delivery has had more than ${attemptsBeforeFailure} attempts, or failed before them`,
    next: askForHelp,
    find: () =>
      `select id from deliveries where attempts < 0 or attempts > ${attemptsBeforeFailure}
         or (state = 'failed' and attempts <> ${attemptsBeforeFailure})`,
  },
  {
    name: 'delivery-in-window',
    rule: 'INV-36',
    means: 'a delivery is of another paper than its request, or was made before its request was accepted',
    next: askForHelp,
    find: () =>
      `select d.id from deliveries d join content_requests r on r.id = d.request_id
       where d.paper_id <> r.paper_id or r.accepted_at is null`,
  },
  {
    name: 'delivery-claim',
    rule: 'INV-33',
    means: 'a delivery that is no longer attempted is claimed by a node',
    next: 'papergate nodes list shows the nodes; report it',
    find: () => `select id from deliveries where claimed_by is not null and state <> 'pending'`,
  },
];
