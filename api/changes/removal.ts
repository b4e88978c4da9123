/** A record that was removed, or went out of somebody's sight: no row records that, so nodes notify each other. */
import { z } from 'zod';
import type { OwnedRecord } from './read-records.ts';

/** A removal, and when it was; epoch milliseconds. */
export interface Removal {
  readonly at: number;
  readonly record: OwnedRecord;
}

const audience = z.object({
  organizationId: z.string(),
  viewers: z.array(z.string()),
  isPaper: z.boolean().exactOptional(),
});

/** A removal as nodes publish it. */
export const removalWord = z.object({
  at: z.int(),
  record: z.object({
    change: z.object({
      id: z.string(),
      at: z.string(),
      record: z.enum(['device', 'paper']),
      recordId: z.string(),
      what: z.literal('removed'),
    }),
    audience,
    except: audience.optional(),
  }),
});
