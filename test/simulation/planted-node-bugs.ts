// biome-ignore-all lint/suspicious/noTemplateCurlyInString: patches hold sources as they are.
/** Bugs that somebody could make who forgets that there are other nodes. */
import type { PlantedBug } from './planted-bug.ts';

const messages = 'cluster/nodes/by-messages.ts';
const map = 'cluster/nodes/session-map.ts';
const node = 'cluster/nodes/open-node.ts';
const life = 'cluster/nodes/node-life.ts';
const clocks = 'cluster/nodes/compare-clocks.ts';
const leases = 'cluster/nodes/leases.ts';
const goneNodes = 'cluster/nodes/gone-nodes.ts';
const epochs = 'gateway/dialects/session-epoch.ts';
const outbox = 'api/callbacks/drain-outbox.ts';
const events = 'api/callbacks/due-events.ts';
const takeOver = 'api/delivery/take-over.ts';
const share = 'api/delivery/share-line.ts';
const taking = 'if (!cluster.single.isOurs() && !cluster.isSteady()) return;';

export const plantedNodeBugs: readonly PlantedBug[] = [
  {
    name: 'a callback is claimed in two looks',
    why: 'what is due is read first and claimed then, by its ids',
    breaks: ['INV-78', 'INV-59'],
    amongNodes: true,
    edits: [
      {
        file: events,
        find: '  const claimed = await allRows<WaitingEvent>(\n    db,\n    `with due (due_id) as materialized (${eventsSql(limit)}${skips})\n     update callback_events set due_at = ?, claimed_by = ? from due where id = due_id and due_at <= ? returning ${eventColumns}`,\n    [connectionId, isRetry ? 1 : 0, now, until, by, now],\n  );',
        replace:
          "  void skips;\n  const due = await allRows<{ id: string }>(db, eventsSql(limit), [connectionId, isRetry ? 1 : 0, now]);\n  const claimed: WaitingEvent[] = await db('callback_events')\n    .whereIn('id', due.map(({ id }) => id))\n    .update({ due_at: until, claimed_by: by })\n    .returning(eventColumns.split(', '));",
      },
    ],
  },
  {
    name: 'a claim is not looked at before the bytes',
    why: 'a node that claimed a callback sends it, however long it was held up',
    breaks: ['INV-78'],
    amongNodes: true,
    edits: [
      {
        file: outbox,
        find: 'if (event.claimed_by === null) return authorizeEvent(deps, event);',
        replace: 'if (event !== undefined) return authorizeEvent(deps, event);',
      },
    ],
  },
  {
    name: 'a lease is not checked',
    why: 'the node that was given the single tasks does them',
    breaks: ['INV-77'],
    amongNodes: true,
    edits: [
      { file: leases, find: '    if (held === undefined) throw new LeaseLost(lease);\n', replace: '    void held;\n' },
    ],
  },
  {
    name: 'an epoch is not compared',
    why: 'a lease that is held is found by its name',
    breaks: ['INV-77'],
    amongNodes: true,
    edits: [
      {
        file: leases,
        find: '      .where({ name, epoch })\n      .whereRaw(',
        replace: '      .where({ name })\n      .whereRaw(',
      },
    ],
  },
  {
    name: 'a lease that has run out is good for a write',
    why: 'nobody else has taken it yet',
    breaks: ['INV-77'],
    amongNodes: true,
    edits: [
      {
        file: leases,
        find: '      .whereRaw(`until_at > ${databaseNow(trx)}`);',
        replace: '      .whereRaw(`until_at > ${databaseNow(trx)} - 3600000`);',
      },
    ],
  },
  {
    name: 'the older session goes on',
    why: 'a node notes that a frame came to another one, and leaves its connection to the keepalive',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: messages,
        find: 'if (ended !== undefined) receiveMessage(',
        replace: 'if (ended === -1) receiveMessage(',
      },
    ],
  },
  {
    name: 'dead nodes keep their frames',
    why: 'a node says when it stops',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: messages,
        find: '      map.keep(nodes);\n',
        replace: '      void nodes;\n',
      },
    ],
  },
  {
    name: 'a late arrival takes over',
    why: 'what was heard last is what is so: a message that comes late, or twice, counts again',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: map,
        find: 'if (before !== undefined && !isLater({ at, node }, before)) return undefined;',
        replace: 'void isLater;',
      },
    ],
  },
  {
    name: 'any end of a session empties the map',
    why: 'a frame has one session, so its number is not compared',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: map,
        find: 'if (known?.node === node && known.session === session) this.#sessions.delete(serial);',
        replace: 'if (known?.node !== undefined && node !== undefined && session > 0) this.#sessions.delete(serial);',
      },
    ],
  },
  {
    name: 'a list undoes what came after it',
    why: 'a list says all that there is',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: map,
        find: 'if (one.node === node && one.count < count)',
        replace: 'if (one.node === node && count > 0)',
      },
      { file: map, find: '    if (count < received.listed) return;\n', replace: '' },
    ],
  },
  {
    name: 'nobody answers a node that joins',
    why: 'nodes tell their sessions from time to time anyway',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: messages,
        find: "else if (received.say === 'who') publishSessions(node);",
        replace: "else if (received.say === 'who') return;",
      },
    ],
  },
  {
    name: 'a node that was cut off asks nobody',
    why: 'it tells what it has, as the others will',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: messages,
        find: "        post(undefined, { say: 'who' });\n        publishSessions(undefined);",
        replace: '        publishSessions(undefined);',
      },
    ],
  },
  {
    name: 'a node that was held up waits to tell',
    why: 'sessions are published at every third heartbeat',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: node,
        find: 'if (isMissed || beats % beatsBetweenLists === 0)',
        replace: 'if (beats % beatsBetweenLists === 0 && isMissed !== undefined)',
      },
    ],
  },
  {
    name: 'logins are ordered by the machine',
    why: 'every machine has a clock',
    breaks: ['INV-80'],
    amongNodes: true,
    edits: [
      {
        file: node,
        find: 'nodesByMessages(topics(topicOf.sessions), now);',
        replace: 'nodesByMessages(topics(topicOf.sessions), clock.now);',
      },
    ],
  },
  {
    name: 'work is timed by the machine',
    why: 'clocks are set by NTP',
    breaks: ['INV-16', 'INV-28', 'INV-36', 'INV-37', 'INV-44', 'INV-45', 'INV-47', 'INV-78', 'INV-80'],
    amongNodes: true,
    edits: [{ file: node, find: '    clock: ownClock,', replace: '    clock,' }],
  },
  {
    name: 'a pause goes into the clock',
    why: 'the answer of the database was given in the middle of the time that it took',
    breaks: [
      'INV-16',
      'INV-28',
      'INV-32',
      'INV-36',
      'INV-37',
      'INV-44',
      'INV-45',
      'INV-47',
      'INV-61',
      'INV-78',
      'INV-80',
    ],
    amongNodes: true,
    edits: [
      {
        file: clocks,
        find: 'const maxMeasurements = 3;',
        replace: 'const maxMeasurements = 1;',
      },
    ],
  },
  {
    name: 'heartbeats by the machine',
    why: 'the row says when the node was last well, by its own clock',
    breaks: ['INV-77', 'INV-78', 'INV-79', 'INV-80'],
    amongNodes: true,
    edits: [
      {
        file: life,
        find: '      .update({ heartbeat_at: db.raw(databaseNow(db)), deaf: deps.isDeaf?.() === true ? 1 : 0 })\n',
        replace: '      .update({ heartbeat_at: clock.now(), deaf: deps.isDeaf?.() === true ? 1 : 0 })\n',
      },
    ],
  },
  {
    name: 'callbacks of a dead node wait for their leases',
    why: 'a claim ends by itself',
    breaks: ['INV-79'],
    amongNodes: true,
    edits: [{ file: takeOver, find: ".whereNotNull('due_at')", replace: ".whereNull('due_at')" }],
  },
  {
    name: 'deliveries of a dead node wait for their leases',
    why: 'a claim ends by itself',
    breaks: ['INV-79'],
    amongNodes: true,
    edits: [{ file: takeOver, find: "and state = 'pending'", replace: "and state = 'failed'" }],
  },
  {
    name: 'only rows of nodes count',
    why: 'a node whose row is there is there',
    breaks: ['INV-79'],
    amongNodes: true,
    edits: [
      { file: goneNodes, find: 'const alive = isSteady() ?', replace: 'const alive = isSteady() && deadAfterMs < 0 ?' },
    ],
  },
  {
    name: 'nobody takes over',
    why: 'the node that does the single tasks looks for what is due',
    breaks: ['INV-79'],
    amongNodes: true,
    edits: [{ file: share, find: taking, replace: 'if (cluster !== undefined) return;' }],
  },
  {
    name: 'only the holder of the single tasks takes over',
    why: 'it is one of them, and has the lease for it',
    breaks: ['INV-79'],
    amongNodes: true,
    edits: [{ file: share, find: taking, replace: 'if (!cluster.single.isOurs()) return;' }],
  },
  {
    name: 'evidence has the time of its node',
    why: 'all nodes follow the clock of the database',
    breaks: ['INV-45'],
    amongNodes: true,
    edits: [
      {
        file: 'gateway/pictures/not-before.ts',
        find: 'return db.raw(`case when ${column} > ? then ${column} else ? end`, [at, at]);',
        replace: 'void column;\n  return db.raw("?", [at]);',
      },
    ],
  },
  {
    name: 'a session has the epoch of its first message',
    why: 'a login says nothing yet',
    breaks: ['INV-76'],
    amongNodes: true,
    edits: [
      {
        file: epochs,
        find: 'return conversation.isOver === true ||',
        replace:
          'const spoke = conversation as { spoke?: boolean };\n  if (!spoke.spoke) conversation.epoch = session_epoch;\n  spoke.spoke = true;\n  return conversation.isOver === true ||',
      },
    ],
  },
  {
    name: 'an earlier session proves',
    why: 'what a frame says it shows it shows, in whichever session',
    breaks: ['INV-76'],
    amongNodes: true,
    edits: [
      {
        file: epochs,
        find: 'return conversation.isOver === true || conversation.epoch < session_epoch;',
        replace: 'return false;',
      },
    ],
  },
  {
    name: 'a wake raises no epoch',
    why: 'the epoch counts sessions, which nobody writes down',
    breaks: ['INV-76'],
    amongNodes: true,
    edits: [
      {
        file: 'gateway/frames/record-report.ts',
        find: 'session_epoch: frame.session_epoch + 1,',
        replace: 'session_epoch: frame.session_epoch,',
      },
    ],
  },
];
