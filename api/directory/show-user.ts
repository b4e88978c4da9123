/** Presents users: every field that can be written, to callers who may see the user. */
import { z } from 'zod';
import { isoTime } from '../../runtime/clock.ts';
import { open } from '../../runtime/sealed.ts';
import { type Membership, mayDo, roles } from '../access/principal.ts';
import { openObject, storedObject } from '../http/field-shapes.ts';
import { shownAddress } from './address.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { invitedSubject, type ShownUserRow, userCategories } from './store.ts';

export const userAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.email().describe('ends in `@no-address.invalid` where none is known'),
    role: z.enum(roles),
    category: z.enum(userCategories).optional(),
    organization: z.string(),
    timezone: z.string().optional(),
    avatar: z.string().optional(),
    meta: openObject,
    status: z
      .enum(['invited', 'accepted'])
      .describe('`invited` while nobody has redeemed the code; absent for a user whom nobody is to log in as')
      .optional(),
    accountId: z.uuid().describe('The account of the person who is this user').optional(),
    inviteCode: z.string().describe('For admins, while the code works').optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'User' });

export type UserAnswer = z.input<typeof userAnswer>;

/** The purpose that an invitation's code is sealed for (FACT-15). */
export const placeOfCode = (userId: string): string => `users/${userId}/inviteCode`;

/** Presents a user to somebody who may see them. `viewer` is the caller's membership in the user's organization. */
export function showUser(
  deps: Pick<DirectoryDeps, 'clock' | 'sealKey'>,
  row: ShownUserRow,
  viewer: Membership | undefined,
): UserAnswer {
  // The account that an invitation was made with may have become another user, too.
  const hasJoined = row.account_subject !== invitedSubject(row.id);
  const code = mayDo(viewer, 'manage') ? openCode(deps, row) : undefined;
  return {
    id: row.id,
    name: row.name,
    ...shownAddress(row.email, row.id),
    role: row.role,
    ...(row.category === null ? {} : { category: row.category }),
    organization: row.organization_id,
    ...(row.timezone === null ? {} : { timezone: row.timezone }),
    ...(row.avatar === null ? {} : { avatar: row.avatar }),
    meta: storedObject(row.meta),
    ...(hasJoined ? { status: 'accepted', accountId: row.account_id } : {}),
    ...(!hasJoined && row.invite_code !== null ? { status: 'invited' } : {}),
    ...(code === undefined ? {} : { inviteCode: code }),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

/**
 * Returns the code as it was made or chosen, while it works. A code that was sealed under another secret cannot be
 * shown, only replaced.
 */
function openCode(deps: Pick<DirectoryDeps, 'clock' | 'sealKey'>, row: ShownUserRow): string | undefined {
  if (row.invite_sealed === null || row.invite_until === null || row.invite_until <= deps.clock.now()) return undefined;
  try {
    return open(row.invite_sealed, placeOfCode(row.id), deps.sealKey);
  } catch {
    return undefined;
  }
}
