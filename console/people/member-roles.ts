/** The roles that somebody can have. */
import type { MemberRole } from '../ground/session.ts';

/** All of them, in the order in which they are offered. */
export const memberRoles: readonly MemberRole[] = ['admin', 'user', 'patient', 'onlyself'];

/** Whether a role shows only what is linked to its holder. */
export const seesLinksAlone = (role: MemberRole): boolean => role === 'patient' || role === 'onlyself';

/** With up to this many members in such roles their links are read at once; with more, when somebody asks for them. */
export const fewLinked = 20;
