/** Bugs that somebody could make, each as a small patch. The simulation has to find every one of them. */
import { plantedArchiveBugs } from './planted-archive-bugs.ts';
import type { PlantedBug } from './planted-bug.ts';
import { plantedDeadlineBugs } from './planted-deadline-bugs.ts';
import { plantedNodeBugs } from './planted-node-bugs.ts';
import { plantedOfflineBugs } from './planted-offline-bugs.ts';
import { plantedPolledBugs } from './planted-polled-bugs.ts';
import { plantedRestoreBugs } from './planted-restore-bugs.ts';
import { plantedRowBugs } from './planted-row-bugs.ts';
import { plantedTimeBugs } from './planted-time-bugs.ts';

const move = 'api/delivery-state/move-delivery.ts';
const claim = 'api/delivery/offer-content.ts';
const attempt = 'api/delivery/attempt-delivery.ts';
const end = 'api/delivery/end-attempt.ts';
const accept = 'api/submissions/accept-content.ts';
const supersede = 'api/submissions/supersede.ts';
const weigh = 'api/delivery-state/weigh-evidence.ts';
const close = 'api/delivery/close-window.ts';
const outbox = 'api/callbacks/drain-outbox.ts';
const log = 'gateway/pictures/upload-log.ts';

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a delivery moves from any state',
    why: 'the compare-and-set forgets the states it may come from, so a late step overwrites a final one',
    breaks: ['INV-24', 'INV-25', 'INV-27'],
    edits: [{ file: move, find: "    .whereIn('state', from)\n", replace: '' }],
  },
  {
    name: 'a change without its callback',
    why: 'prepared is not reported, on the grounds that synced will follow soon',
    breaks: ['INV-60'],
    edits: [{ file: move, find: 'if (moved === 1) {', replace: "if (moved === 1 && move.to !== 'prepared') {" }],
  },
  {
    name: 'a callback after the commit',
    why: 'the event is written once the transaction is through, to keep it short',
    breaks: ['INV-60'],
    edits: [
      {
        file: accept,
        find: "  await oweCallback(trx, { request: row, state: 'available' }, now, deps.random);",
        replace:
          "  void deps.db.transaction((late) => oweCallback(late, { request: row, state: 'available' }, now, deps.random));",
      },
    ],
  },
  {
    name: 'an overtaken message takes over',
    why: 'completing an intake does not ask whether a newer one was accepted meanwhile',
    breaks: ['INV-15', 'INV-16', 'INV-17', 'INV-18', 'INV-19'],
    edits: [
      {
        file: accept,
        find: 'const isOvertaken = source !== undefined && source.sequence > request.sequence;',
        replace: 'const isOvertaken = false;',
      },
    ],
  },
  {
    name: 'the answer before the commit',
    why: '202 is sent while the acceptance is still being written',
    breaks: ['INV-01'],
    edits: [
      {
        file: 'api/submissions/submit-content.ts',
        find: 'return acceptIntake(deps, connection, opened, await deps.files.put(png, organization_id));',
        replace:
          "const key = await deps.files.put(png);\n  setImmediate(() => void acceptIntake(deps, connection, opened, key).catch(() => {}));\n  return { ...opened, state: 'accepted' };",
      },
    ],
  },
  {
    name: 'a retry reinstates what was superseded',
    why: 'a repeated message runs through the acceptance again',
    breaks: ['INV-08', 'INV-15', 'INV-24', 'INV-19', 'INV-60'],
    edits: [
      {
        file: accept,
        find: "request.state === 'receiving' ? accepted(trx, deps, connection, stored) : request",
        replace: 'accepted(trx, deps, connection, stored)',
      },
      {
        file: accept,
        find: "request.state === 'receiving' ? accepted(trx, deps, connection, request) : request",
        replace: 'accepted(trx, deps, connection, request)',
      },
      {
        file: 'api/submissions/submit-content.ts',
        find: "  if (opened.state !== 'receiving') return opened;\n",
        replace: '',
      },
      {
        file: 'api/submissions/submit-content.ts',
        find: " && known.state !== 'receiving') {",
        replace: " && known.state === 'revoked') {",
      },
    ],
  },
  {
    name: 'old text next to a new image',
    why: 'a message without text leaves the text of the one before',
    breaks: ['INV-20'],
    edits: [
      {
        file: accept,
        find: 'Object.keys(content).map(',
        replace: "Object.keys(content).filter((column) => column !== 'text' || content.text !== '').map(",
      },
    ],
  },
  {
    name: 'the row before the picture',
    why: 'the picture is stored after the request that names it was accepted',
    breaks: ['INV-03'],
    edits: [
      {
        file: 'api/submissions/submit-content.ts',
        find: 'return acceptIntake(deps, connection, opened, await deps.files.put(png, organization_id));',
        replace:
          "const { createHash } = await import('node:crypto');\n  const accepted = await acceptIntake(deps, connection, opened, createHash('sha256').update(png).digest('hex'));\n  await deps.files.put(png);\n  return accepted;",
      },
    ],
  },
  {
    name: 'acceptance in pieces',
    why: 'source and request are written one after the other, without a transaction',
    breaks: ['INV-15', 'INV-18', 'INV-19', 'INV-22', 'INV-60'],
    edits: [
      {
        file: accept,
        find: '  return await transactOnPaper(deps.db, begun.paper_id, async (trx) => {',
        replace:
          '  const inPieces = async (work: (trx: Transaction) => Promise<RequestRow>): Promise<RequestRow> => work(deps.db as Transaction);\n  return await inPieces(async (trx) => {',
      },
    ],
  },
  {
    name: 'only images count for a conflict',
    why: 'the content hash leaves the text out',
    breaks: ['INV-06'],
    edits: [
      {
        file: 'api/delivery-state/requests.ts',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source as it stands there
        find: 'const begun = `${Buffer.byteLength(text)}:${text}`',
        replace: 'const begun = text.slice(0, 0)',
      },
    ],
  },
  {
    name: 'newer content spares what is active',
    why: 'only accepted requests are superseded',
    breaks: ['INV-18', 'INV-19'],
    edits: [{ file: supersede, find: "['accepted', 'active', 'closed']", replace: "['accepted', 'closed']" }],
  },
  {
    name: 'closed requests stay closed',
    why: 'a request that is over is not looked at when newer content comes',
    breaks: ['INV-19', 'D-1'],
    edits: [{ file: supersede, find: "['accepted', 'active', 'closed']", replace: "['accepted', 'active']" }],
  },
  {
    name: 'superseded requests keep their deliveries',
    why: 'the loop over the deliveries is left out, since the offer checks the request anyway',
    breaks: ['INV-21', 'INV-31'],
    edits: [
      {
        file: supersede,
        find: 'for (const delivery of deliveries) {',
        replace: 'for (const delivery of deliveries.slice(1)) {',
      },
    ],
  },
  {
    name: 'checked before the transaction',
    why: 'the last check before an upload happens outside of the transaction that makes the offer',
    breaks: ['INV-30', 'INV-24', 'INV-31', 'INV-53'],
    edits: [
      {
        file: attempt,
        find: 'const picture = await deps.store.picture(wanted);',
        replace:
          'const request = await openRequest(deps, deps.db, delivery);\n  if (request === undefined) return;\n  const picture = await deps.store.picture(wanted);',
      },
      {
        file: attempt,
        find: 'return offer(deps, delivery, wanted, picture);',
        replace: 'return offer({ ...deps, request }, delivery, wanted, picture);',
      },
      {
        file: attempt,
        find: '      const request = await openRequest(deps, trx, delivery);\n      if (request === undefined) return undefined;\n',
        replace: '      const { request } = deps;\n',
      },
    ],
  },
  {
    name: 'a frame that left is still sent to',
    why: 'the assignment is not checked again before the offer',
    breaks: ['INV-30'],
    edits: [
      {
        file: attempt,
        find: 'if (source?.request_id !== request.id || assigned === undefined) return undefined;',
        replace: 'if (source?.request_id !== request.id) return undefined;',
      },
    ],
  },
  {
    name: 'a changed integration goes on',
    why: 'the connection is not asked again before the offer',
    breaks: ['INV-30'],
    edits: [
      {
        file: attempt,
        find: 'return (await authorized(trx, request.connection_id, request.generation)) ? request : undefined;',
        replace: 'return request;',
      },
    ],
  },
  {
    name: 'one attempt too many',
    why: 'the count of attempts is compared one off',
    breaks: ['INV-28'],
    edits: [
      {
        file: 'api/delivery-state/states.ts',
        find: 'export const attemptsBeforeFailure = 4;',
        replace: 'export const attemptsBeforeFailure = 5;',
      },
    ],
  },
  {
    name: 'a claim without an end',
    why: 'a claimed delivery has no lease, so a crash leaves it claimed for ever',
    breaks: ['INV-32', 'INV-28'],
    edits: [
      { file: claim, find: 'due_at: clock.now() + leaseMs };', replace: 'due_at: clock.now() + 1000 * leaseMs };' },
    ],
  },
  {
    name: 'frames that leave keep their delivery',
    why: 'nobody lets go of the deliveries of a frame that shows another paper now',
    breaks: ['INV-37'],
    edits: [
      {
        file: 'api/delivery/assign-frames.ts',
        find: 'if (openDeliveryStates.includes(delivery.state) && !matches(delivery)) {',
        replace: "if (delivery.state === 'failed' && !matches(delivery)) {",
      },
    ],
  },
  {
    name: 'deliveries after the window',
    why: 'frames that are assigned after 48 hours get a delivery too',
    breaks: ['INV-36'],
    edits: [
      {
        file: 'api/delivery/assign-frames.ts',
        find: 'if (now > request.accepted_at + observationWindowMs) return;',
        replace: '',
      },
    ],
  },
  {
    name: 'synced when fetched',
    why: 'a frame that took every byte is taken to show it',
    breaks: ['INV-43'],
    edits: [
      { file: weigh, find: '    fetchedAt <= reportedAt;', replace: '    reportedAt >= 0;' },
      {
        file: weigh,
        find: 'evidence.reportedVersion === evidence.fileVersion && evidence.fileVersion > evidence.previousVersion',
        replace: 'evidence.fileVersion > evidence.previousVersion',
      },
      { file: weigh, find: 'evidence.digestMatches !== false]', replace: 'true]' },
    ],
  },
  {
    name: "synced on a frame's word",
    why: 'the download record is not asked: a frame that says it shows a picture is believed',
    breaks: ['INV-43'],
    edits: [
      { file: weigh, find: '    fetchedAt !== null &&\n    evidence.offeredAt', replace: '    evidence.offeredAt' },
      {
        file: weigh,
        find: '    announcedAt <= fetchedAt &&\n    fetchedAt <= reportedAt;',
        replace: '    announcedAt <= reportedAt;',
      },
      {
        file: weigh,
        find: 'lastContactAt !== null && fetchedAt !== null && lastContactAt >= fetchedAt &&',
        replace: 'lastContactAt !== null &&',
      },
      { file: weigh, find: "    ['not-fetched', fetchedAt !== null],\n", replace: '' },
      { file: weigh, find: 'evidence.pictureSynced === true]', replace: 'true]' },
    ],
  },
  {
    name: 'an older upload counts',
    why: 'evidence is weighed although something newer was offered since',
    breaks: ['INV-39', 'INV-43'],
    edits: [
      {
        file: weigh,
        find: '!evidence.replaced && evidence.revision === revision',
        replace: 'evidence.revision === revision',
      },
    ],
  },
  {
    name: 'fetched when sent',
    why: 'a download counts when the response is finished, whether or not the frame took it',
    breaks: ['W-13', 'INV-43'],
    edits: [
      {
        file: 'gateway/pictures/sent-whole.ts',
        find: '      // A peer that ended before it can have read everything',
        replace: '      resolve(clock.now());\n      // A peer that ended before it can have read everything',
      },
    ],
  },
  {
    name: 'an earlier cycle attests',
    why: 'a fielded frame to which the same picture is announced again keeps the download record of the cycle before',
    breaks: ['INV-43'],
    edits: [{ file: log, find: '...(anew ? noProof : {}),', replace: '' }],
  },
  {
    name: 'versions by the clock',
    why: 'a version is what the frame reported or the time, so two offers in one second share it',
    breaks: ['INV-32'],
    edits: [
      {
        file: log,
        find: 'nextFileVersion(frame.reported_version, frame.announced_version, now)',
        replace: 'nextFileVersion(frame.reported_version, 0, now)',
      },
    ],
  },
  {
    name: 'the same version again',
    why: 'a picture that a frame marked as stored without taking it is offered under the version it has',
    breaks: ['INV-32'],
    edits: [
      {
        file: log,
        find: '      file_version: await takeVersion(this.#db, frame, now),\n      previous_version',
        replace: '      file_version: upload.file_version,\n      previous_version',
      },
    ],
  },
  {
    name: 'two offers at once',
    why: 'a newer offer does not replace the one before',
    breaks: ['INV-39'],
    edits: [
      {
        file: log,
        find: '    await this.#uploads().where({ serial, replaced_at: null }).update({ replaced_at: now });\n',
        replace: '',
      },
    ],
  },
  {
    name: 'one picture for all contents',
    why: 'rendered pictures are kept by paper, panel and orientation, without the revision',
    breaks: ['INV-43', 'INV-32'],
    edits: [
      {
        file: 'api/delivery/picture-store.ts',
        find: '[wanted.paperId, revision, wanted.edition, wanted.panel.name, wanted.orientation]',
        replace: '[wanted.paperId, wanted.edition, wanted.panel.name, wanted.orientation]',
      },
    ],
  },
  {
    name: 'closing without weighing',
    why: 'the one who closes rests on what was weighed before; a crash forgets that a frame reported in time',
    breaks: ['INV-45'],
    edits: [
      {
        file: close,
        find: "delivery.state === 'prepared' && (await isProven(deps, delivery, now, trx))",
        replace: 'isProven === undefined',
      },
    ],
  },
  {
    name: '202 after the revocation',
    why: 'a submission that was committed before the revocation is answered whenever its turn comes',
    breaks: ['INV-53'],
    edits: [
      {
        file: 'api/routes/integration/connection-routes.ts',
        find: "      await deps.at?.('intake.before-202');\n      await requireUnrevoked(deps.db, connection);\n",
        replace: '',
      },
    ],
  },
  {
    name: 'closed an hour early',
    why: 'the window is 47 hours long',
    breaks: ['INV-47'],
    edits: [{ file: close, find: 'now - observationWindowMs)', replace: 'now - observationWindowMs + 3_600_000)' }],
  },
  {
    name: 'requests that never close',
    why: 'a request that is active is left to itself',
    breaks: ['INV-44'],
    edits: [
      {
        file: close,
        find: "    .whereIn('state', ['accepted', 'active'])\n    .whereNotNull",
        replace: "    .whereIn('state', ['accepted'])\n    .whereNotNull",
      },
    ],
  },
  {
    name: 'the paper is notified too',
    why: 'every closed request notifies its paper, also when its frames were notified',
    breaks: ['INV-44', 'INV-60'],
    edits: [{ file: close, find: 'if (deliveries.length === 0) await', replace: 'await' }],
  },
  {
    name: 'a new event id for each attempt',
    why: 'the body is put together again when it is sent',
    breaks: ['INV-59'],
    edits: [
      {
        file: outbox,
        find: 'body: event.body,',
        replace: `body: event.attempts === 0 ? event.body : event.body.replace(/"eventId":"./, '"eventId":"x'),`,
      },
    ],
  },
  {
    name: 'every answer is success',
    why: 'a callback that was answered with an error counts as delivered',
    breaks: ['INV-59', 'INV-63'],
    edits: [
      {
        file: outbox,
        find: "return sent.delivered ? { kind: 'delivered', status } : { kind: 'failed', status, problem: sent.problem };",
        replace: "return { kind: 'delivered', status };",
      },
    ],
  },
  {
    name: 'one failure ends a callback',
    why: 'a callback that failed is not tried again',
    breaks: ['INV-59'],
    edits: [
      {
        file: 'api/callbacks/settle-callback.ts',
        find: 'due_at: next ?? null,',
        replace: 'due_at: null,',
      },
    ],
  },
  {
    name: 'a claimed callback is never given back',
    why: 'a claim has no end, so a crash between claim and answer loses the event',
    breaks: ['INV-59', 'INV-61'],
    edits: [
      {
        file: outbox,
        find: 'const due_at = clock.now() + leaseMs;',
        replace: 'const due_at = clock.now() + 10_000 * leaseMs;',
      },
    ],
  },
  {
    name: 'callbacks outlive their connection',
    why: 'a revocation leaves the queue alone, and the sender does not ask',
    breaks: ['INV-53', 'INV-56'],
    edits: [
      {
        file: 'api/integration/stop-work.ts',
        find: ".update({ due_at: null, problem: storedReasons(reasonOf('connection-ended')) });",
        replace: ".update({ problem: storedReasons(reasonOf('connection-ended')) });",
      },
      {
        file: outbox,
        find: 'const authorization = await transactAlone(db, (trx) => authorizeWork(trx, { connectionId, generation }, rules));',
        replace:
          "const connection = await db('connections').where({ id: connectionId }).first();\n  const authorization = { ok: true as const, connection };\n  void [authorizeWork, transactAlone, generation, rules];",
      },
    ],
  },
  {
    name: 'somebody who left is still notified',
    why: 'a callback asks for revocation and generation, and leaves membership to those who look after requests',
    breaks: ['INV-57', 'INV-53', 'INV-56'],
    edits: [
      {
        file: outbox,
        find: 'await transactAlone(db, (trx) => authorizeWork(trx, { connectionId, generation }, rules));',
        replace:
          "await transactAlone(db, async (trx) => {\n    const judged = await authorizeWork(trx, { connectionId, generation }, rules);\n    const connection = await trx('connections').where({ id: connectionId }).first();\n    return !judged.ok && judged.code !== 'connection-unauthorized' ? { ok: true as const, connection } : judged;\n  });",
      },
    ],
  },
  {
    name: 'the right to send in two looks',
    why: 'revocation and membership are looked at one after the other, outside of a transaction',
    breaks: ['INV-53', 'INV-56'],
    edits: [
      {
        file: outbox,
        find: 'const authorization = await transactAlone(db, (trx) => authorizeWork(trx, { connectionId, generation }, rules));',
        replace:
          "const { readAuthorizationFacts, authorizationOf } = await import(['..', 'integration', 'authorize.ts'].join('/'));\n  const connection = await db('connections').where({ id: connectionId, generation, revoked_at: null }).first();\n  const facts = connection && (await readAuthorizationFacts(db, connectionId));\n  const isAllowed = facts !== undefined && authorizationOf(facts, rules).ok;\n  const authorization = isAllowed ? { ok: true as const, connection } : { ok: false as const, code: 'integration-changed' };\n  void [transactAlone, authorizeWork];",
      },
    ],
  },
  {
    name: 'told as failed after the end',
    why: 'a rendering that fails does not ask whether its connection ended meanwhile',
    breaks: ['INV-53'],
    edits: [
      {
        file: end,
        find: "if (request === undefined || request.state === 'revoked') return undefined;",
        replace: 'if (request === undefined) return undefined;',
      },
    ],
  },
  {
    name: 'requests forgotten too soon',
    why: 'requests are kept as long as callbacks are sent',
    breaks: ['INV-01', 'INV-71'],
    edits: [
      {
        file: 'api/retention/forget-old-rows.ts',
        find: 'now - requestLifetimeMs);',
        replace: 'now - requestLifetimeMs / 5);',
      },
    ],
  },
  ...plantedTimeBugs,
  ...plantedPolledBugs,
  ...plantedOfflineBugs,
  ...plantedRestoreBugs,
  ...plantedArchiveBugs,
  ...plantedDeadlineBugs,
  ...plantedRowBugs,
  ...plantedNodeBugs,
];
