/** Invariants of the outbox of callbacks. */
import { deliveryStates } from '../../api/delivery-state/states.ts';
import { askForHelp, type Invariant, sqlList } from './invariant.ts';

/** Callbacks are forgotten after seven days; a row younger than this still has all of its callbacks. */
const rememberedMs = 6 * 86_400_000;
const told = sqlList(deliveryStates.filter((state) => state !== 'pending'));
const tellThem = 'the receiver can read the status of its connection, which is right; report it';

/** All of them. */
export const callbackInvariants: readonly Invariant[] = [
  {
    name: 'callback-of-delivery',
    rule: 'INV-60',
    means: 'a delivery is in a state that no callback reports',
    next: tellThem,
    find: (now) =>
      `select d.id from deliveries d left join callback_events e on e.delivery_id = d.id and e.state = d.state
       where d.state in ${told} and d.updated_at > ${now - rememberedMs} and e.id is null`,
  },
  {
    name: 'callback-of-request',
    rule: 'INV-22',
    means: 'a request is available or superseded, and no callback reports it',
    next: tellThem,
    find: (now) =>
      `select r.id from content_requests r left join callback_events e on e.request_id = r.id and e.delivery_id is null
         and e.state = case when r.state = 'superseded' then 'superseded' else 'available' end
       where e.id is null and ((r.state in ('accepted', 'active', 'closed') and r.accepted_at > ${now - rememberedMs})
         or (r.state = 'superseded' and r.updated_at > ${now - rememberedMs}))`,
  },
  {
    name: 'one-callback',
    rule: 'INV-21',
    means: 'one change of a request or delivery is reported by two callbacks with different ids',
    next: tellThem,
    find: () =>
      `select min(id) as id from callback_events group by request_id, coalesce(delivery_id, ''), state having count(*) > 1`,
  },
  {
    name: 'callback-subject',
    rule: 'INV-71',
    means: 'a callback is about a request or delivery that does not exist',
    next: askForHelp,
    find: () =>
      `select e.id from callback_events e left join content_requests r on r.id = e.request_id
         left join deliveries d on d.id = e.delivery_id
       where r.id is null or (e.delivery_id is not null and d.id is null)`,
  },
  {
    name: 'callback-wait',
    rule: 'INV-61',
    means: 'a callback waits longer than any pause between two attempts',
    next: 'set the clocks of all machines by NTP; papergate papers callbacks lists it, and can have it sent again',
    find: (now) => `select id from callback_events where due_at > ${now + 2 * 3_600_000}`,
  },
  {
    name: 'callback-attempts',
    rule: 'INV-59',
    means: 'a callback counts as delivered without an attempt',
    next: tellThem,
    find: () => 'select id from callback_events where attempts < 0 or (delivered_at is not null and attempts < 1)',
  },
];
