/**
 * How a call is recorded in the log of who did what. Each route that changes something declares that, or why it is not
 * recorded.
 */

/** The actions of people, keys, sessions and integrations. The codes are for programs and for filters, and never change. */
export const auditActions = [
  'organization.created',
  'organization.changed',
  'user.added',
  'user.changed',
  'user.removed',
  'user.joined',
  'user.linked',
  'account.created',
  'account.changed',
  'account.ended',
  'key.made',
  'key.ended',
  'session.started',
  'session.refused',
  'session.changed',
  'session.ended',
  'pairing.refused',
  'passkey.added',
  'passkey.blocked',
  'passkey.removed',
  'passkey.renamed',
  'sign-in-link.made',
  'device.created',
  'device.changed',
  'device.removed',
  'device.registered',
  'device.released',
  'device.adopted',
  'device.pressed',
  'device.provisioned',
  'organization.adopts',
  'device.uploaded',
  'device.shown-again',
  'device.website',
  'device.image-changed',
  'device.rebooted',
  'device.reset',
  'device.simulated',
  'device.identified',
  'device.restored',
  'credential.made',
  'credential.renewed',
  'credential.revoked',
  'recipe.added',
  'recipe.changed',
  'recipe.removed',
  'paper.created',
  'paper.changed',
  'paper.removed',
  'paper.uploaded',
  'paper.upload-taken-back',
  'paper.ordered',
  'paper.picture-removed',
  'guest-link.made',
  'guest-link.revoked',
  'album-source.added',
  'album-source.changed',
  'album-source.listed',
  'album-source.removed',
  'album-address.made',
  'album-address.ended',
  'album-sender.invited',
  'album-sender.removed',
  'album-mail.decided',
  'album-code.made',
  'album-chat.removed',
  'login.set',
  'login.forgotten',
  'picture.cancelled',
  'connection.granted',
  'connection.made',
  'connection.ended',
  'callback.repeated',
  'firmware.offered',
  'firmware.paused',
  'firmware.resumed',
  'group.made',
  'group.changed',
  'group.removed',
  'job.made',
  'job.paused',
  'job.resumed',
  'job.cancelled',
  'job.undone',
  'alert-channel.made',
  'alert-channel.changed',
  'alert-channel.removed',
  'alert-channel.tested',
  'record.changed',
  'record.words-forgotten',
  'deadline.made',
  'deadline.changed',
  'deadline.withdrawn',
  'deadline.acknowledged',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The kinds of objects that entries name. */
export const auditedKinds = [
  'organization',
  'user',
  'account',
  'key',
  'session',
  'passkey',
  'device',
  'paper',
  'picture',
  'connection',
  'rollout',
  'channel',
  'job',
  'group',
  'deadline',
] as const;
export type AuditedKind = (typeof auditedKinds)[number];

/** How the calls of a route are recorded. */
export type Audit =
  | {
      readonly action: AuditAction;
      /** The object's kind. Its id is the parameter of that name in the path, or else stands in the answer. */
      readonly on: AuditedKind;
      /** Fields of the body whose new values are recorded, also such as `meta.name`. None of them holds a secret. */
      readonly values?: readonly string[];
    }
  /** The reason why they are not recorded. */
  | { readonly none: string };

/** Facts about a recorded call that only its handler knows. */
export interface Noted {
  /** Another action than the route's. */
  readonly action?: AuditAction;
  /** The object's id, where neither path nor answer has it. */
  readonly id?: string;
  /** Who acts, where the call itself does not prove it. */
  readonly accountId?: string;
  readonly keyId?: string;
  readonly sessionId?: string;
  /** The organization, where the caller is not or not yet a member of it. */
  readonly organizationId?: string;
  /** The name of who acts, for an integration and for the holder of a guest link. */
  readonly outsider?: { readonly by: 'integration' | 'guest'; readonly name: string };
  /** The call changed nothing: it is not recorded. */
  readonly nothing?: true;
  /** The call is recorded although it is refused. */
  readonly refused?: true;
  readonly values?: Readonly<Record<string, AuditedValue>>;
  /** Further objects that the call made: each gets a separate entry. */
  readonly made?: readonly Made[];
}

/** Something that a call made in addition to its route's own object. */
export interface Made {
  readonly action: AuditAction;
  readonly on: AuditedKind;
  readonly id: string;
}

export type AuditedValue = string | number | boolean | null;
