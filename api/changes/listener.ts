/** One reader of changes: what it may see, how much it is sent, and until when. */
import { mayDo, membershipIn, type Principal, reachOf } from '../access/principal.ts';
import type { EventStream } from '../http/event-stream.ts';
import { type AreaChange, areas, onceEach } from './read-areas.ts';
import type { Audience, OwnedChange } from './read-changes.ts';
import type { OwnedRecord } from './read-records.ts';
import { streamSharer } from './share-streams.ts';

/** Changes a second that one reader is sent one by one. */
export const maxChangesPerSecond = 50;
/** Devices that `many` names; beyond it the reader reads all of them again. */
export const maxNamedDevices = 100;
/** Areas that one look reports with the papers that are meant. */
export const maxAreas = 20;
/** The silence after which a reader is sent a line without meaning. */
export const beatMs = 20_000;
/** The reader's access is judged again after this time, and counts at most `maxTrustedMs`. */
const judgedEveryMs = 3_000;
const maxTrustedMs = 5_000;

/** The findings of one look. */
export interface News {
  readonly changes: readonly OwnedChange[];
  readonly records: readonly OwnedRecord[];
  readonly areas: readonly AreaChange[];
  /** The users whose links changed. */
  readonly linked: readonly string[];
  /** More happened than was read. */
  readonly overflows: boolean;
  /** The id from which a reader resumes after this news. */
  readonly cursor: string;
}

/** How a reader's permission is asked for again; it rejects when there is none any longer. */
type AskAgain = () => Promise<Principal>;

export class Listener {
  readonly stream: EventStream;
  readonly accountId: string;
  /** Who shares the streams with others: the organization with those made from it, or an account without one. */
  readonly sharer: string;
  #principal: Principal;
  readonly #askAgain: AskAgain;
  #trustedAt: number;
  #isAsking = false;
  #beatenAt: number;
  #allowance = maxChangesPerSecond;
  #refilledAt: number;
  #left: { count: number; devices: Set<string>; overflows: boolean } | undefined;
  #sentManyAt = Number.NEGATIVE_INFINITY;

  constructor(stream: EventStream, principal: Principal, askAgain: AskAgain, now: number) {
    this.stream = stream;
    this.accountId = principal.accountId;
    this.sharer = streamSharer(principal);
    this.#principal = principal;
    this.#askAgain = askAgain;
    this.#trustedAt = now;
    this.#beatenAt = now;
    this.#refilledAt = now;
  }

  /** Sends the reader its roles, first of all and whenever they change. */
  introduce(cursor: string): void {
    const as = this.#principal.memberships.map(({ organizationId, role }) => ({ organization: organizationId, role }));
    this.stream.send({ event: 'ready', data: { as }, id: cursor });
  }

  /** Notifies a reader that resumes that changes were missed. */
  lose(cursor: string): void {
    this.stream.send({ event: 'lost', data: { lost: true }, id: cursor });
  }

  /** Judges the reader's access again when it is time to, and ends the stream when it cannot be judged in time. */
  judge(now: number, cursor: string): void {
    if (now - this.#trustedAt > maxTrustedMs) {
      this.stream.end();
      return;
    }
    if (this.#isAsking || now - this.#trustedAt < judgedEveryMs) return;
    this.#isAsking = true;
    this.#askAgain().then(
      (principal) => {
        this.#isAsking = false;
        this.#trustedAt = now;
        const before = JSON.stringify(this.#principal.memberships);
        this.#principal = principal;
        if (principal.accountId !== this.accountId) this.stream.end();
        else if (JSON.stringify(principal.memberships) !== before) this.introduce(cursor);
      },
      () => this.stream.end(),
    );
  }

  /** Returns whether the reader is one of these users. */
  isOneOf(userIds: readonly string[]): boolean {
    return this.#principal.memberships.some(({ userId }) => userIds.includes(userId));
  }

  /** Sends a line without meaning when nothing was sent for long. */
  beat(now: number): void {
    if (now - this.#beatenAt < beatMs) return;
    this.#beatenAt = now;
    this.stream.beat();
  }

  /** Sends what the reader may see of the news: one by one, or together when there is too much. */
  send(news: News, now: number): void {
    // The reader's links have changed, which counts like a change of role.
    if (this.isOneOf(news.linked)) this.introduce(news.cursor);
    this.#sendAreas(news);
    const changes = news.changes.filter(({ audience }) => this.#sees(audience));
    const records = news.records.filter(
      ({ audience, except }) => this.#sees(audience) && (except === undefined || !this.#sees(except)),
    );
    this.#refill(now);
    const count = changes.length + records.length;
    if (this.#left === undefined && !news.overflows && count <= this.#allowance) {
      this.#allowance -= count;
      for (const { change } of changes) this.stream.send({ event: 'change', data: change, id: news.cursor });
      for (const { change } of records) this.stream.send({ event: 'record', data: change, id: news.cursor });
      return;
    }
    this.#left ??= { count: 0, devices: new Set(), overflows: false };
    this.#left.count += count;
    this.#left.overflows ||= news.overflows;
    for (const { change } of changes) this.#left.devices.add(change.deviceId);
    for (const { change } of records) {
      if (change.record === 'device') this.#left.devices.add(change.recordId);
      else this.#left.overflows = true;
    }
    this.#sendMany(news.cursor, now);
  }

  #sees({ organizationId, viewers, isPaper }: Audience): boolean {
    const membership = membershipIn(this.#principal, organizationId);
    if (membership === undefined) return false;
    const reach = reachOf(membership);
    if (reach === 'organization') return true;
    return (reach === 'linked' || isPaper !== true) && viewers.includes(membership.userId);
  }

  /** However much changes, a look reports few areas: for many papers, it reports only that there were some. */
  #sendAreas({ areas: all, cursor }: News): void {
    const readable = all.filter(({ area, organization }) =>
      mayDo(membershipIn(this.#principal, organization), areas[area]),
    );
    const sent = readable.length > maxAreas ? onceEach(readable.map((one) => ({ ...one, paper: null }))) : readable;
    for (const change of sent) this.stream.send({ event: 'area', data: change, id: cursor });
  }

  #refill(now: number): void {
    const earned = (Math.max(0, now - this.#refilledAt) / 1000) * maxChangesPerSecond;
    this.#allowance = Math.min(maxChangesPerSecond, this.#allowance + earned);
    this.#refilledAt = now;
  }

  /** Sends one `many` a second for as long as too much happens. */
  #sendMany(cursor: string, now: number): void {
    const left = this.#left;
    if (left === undefined || now - this.#sentManyAt < 1000) return;
    this.#left = undefined;
    this.#sentManyAt = now;
    const isAll = left.overflows || left.devices.size > maxNamedDevices;
    if (left.count === 0 && !left.overflows) return;
    this.stream.send({
      event: 'many',
      data: { count: left.count, deviceIds: isAll ? null : [...left.devices] },
      id: cursor,
    });
  }
}
