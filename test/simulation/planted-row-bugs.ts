/** Planted bugs in what is written into a row: columns that are left out, or that hold what was meant for another moment. */
import type { PlantedBug } from './planted-bug.ts';

const accept = 'api/submissions/accept-content.ts';

/** Bugs by which a row records too little, too early or too late. */
export const plantedRowBugs: readonly PlantedBug[] = [
  {
    name: 'nobody looks at what was accepted',
    why: 'the line is notified of the request when it is accepted, so its row needs no time',
    breaks: ['INV-48', 'INV-28', 'INV-15', 'INV-59'],
    edits: [
      {
        file: accept,
        find: 'accepted_at: now, updated_at: now, due_at: now }',
        replace: 'accepted_at: now, updated_at: now, due_at: null }',
      },
    ],
  },
  {
    name: 'an overtaken id is used up',
    why: 'a message that newer content replaced is over, and so is its id',
    breaks: ['INV-05', 'INV-08'],
    edits: [
      {
        file: accept,
        find: 'if (existing !== undefined && existing.content_hash !== intake.contentHash)',
        replace:
          "if (existing !== undefined && (existing.state === 'superseded' || existing.content_hash !== intake.contentHash))",
      },
    ],
  },
  {
    name: 'accepted without its picture',
    why: 'the picture is stored by then, and anyone who needs it finds it by its digest',
    breaks: ['INV-10', 'INV-20', 'INV-43'],
    edits: [
      {
        file: accept,
        find: '    image_key: request.image_key,\n  };\n  const row: RequestRow = { ...request, ...change };',
        replace: '  };\n  const row: RequestRow = { ...request, ...change };',
      },
    ],
  },
  {
    name: 'the paper does not remember its last place',
    why: 'the place of the newest request is one more than that of its source',
    breaks: ['INV-16', 'INV-15', 'INV-19'],
    edits: [
      {
        file: accept,
        find: "  await changeRows(trx, 'update papers set sequence = ? where id = ?', [sequence, connection.paper_id]);\n",
        replace: '',
      },
    ],
  },
  {
    name: 'graded as it was offered',
    why: 'a delivery has the grade that was known when its picture was offered',
    breaks: ['INV-64'],
    edits: [
      {
        file: 'api/delivery-state/move-delivery.ts',
        find: '{ grade: gradeOf(offer), dataAt',
        replace: "{ grade: gradeOf({ ...offer, fetched_at: null, shown_at: null, grade: 'offered' }), dataAt",
      },
    ],
  },
  {
    name: 'retries by seconds, minutes, hours',
    why: 'each wait is one in the next unit: a receiver that did not answer within minutes will not within the hour',
    breaks: ['INV-61'],
    edits: [
      {
        file: 'api/callbacks/retry-schedule.ts',
        find: 'Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1))',
        replace: 'firstDelayMs * 60 ** (attempts - 1)',
      },
    ],
  },
  {
    name: 'a callback is forgotten after a day',
    why: 'a receiver that does not answer within a day does not care',
    breaks: ['INV-71', 'INV-59', 'INV-61'],
    edits: [
      {
        file: 'api/retention/forget-old-rows.ts',
        find: 'forgetEvents(db, now - retentionDays.callbacks * dayMs);',
        replace: 'forgetEvents(db, now - dayMs);',
      },
    ],
  },
  {
    name: 'a stop ends what was under way',
    why: 'an attempt that a planned stop interrupts has reached its receiver by then',
    breaks: ['INV-59'],
    edits: [
      {
        file: 'api/callbacks/settle-callback.ts',
        find: '      await claimed.update({ due_at: now, claimed_by: null });',
        replace: '      await claimed.update({ due_at: null, claimed_by: null });',
      },
    ],
  },
  {
    name: 'the offer is found by its content',
    why: 'a delivery and its offer name the same request, so that its id is not needed next to it',
    breaks: ['INV-34', 'INV-45', 'INV-64'],
    edits: [
      {
        file: 'api/delivery/attempt-delivery.ts',
        find: "to: 'prepared', set: { upload_id: uploadId }, expected } as const;",
        replace: "to: 'prepared', set: {}, expected } as const;",
      },
    ],
  },
];
