/**
 * Checks of what must hold when faults have ended: all current content is on its displays, every callback has arrived,
 * nothing is open.
 */
import { readReasons } from '../../reasons/reason.ts';
import type { HungFrame } from './home.ts';
import type { Broken } from './machine/checker.ts';
import type { World } from './world.ts';

/** Returns the first promise that does not hold yet. */
export function unconverged(world: World): Broken | undefined {
  return (
    openSubmission(world) ?? strayDelivery(world) ?? openDelivery(world) ?? wrongGlass(world) ?? openCallback(world)
  );
}

function openSubmission({ backends }: World): Broken | undefined {
  for (const { submissions } of backends) {
    const open = submissions.find(({ isOpen }) => isOpen);
    if (open !== undefined) return { rule: 'INV-08', sentence: `${open.messageId} has no answer` };
  }
  return undefined;
}

/** Finds an open delivery to a frame that does not show the paper (INV-37). */
function strayDelivery({ judge, disk }: World): Broken | undefined {
  for (const {
    request_id: requestId,
    device_id: deviceId,
    assignment,
    state,
    serial,
  } of judge.rows.deliveries.values()) {
    const request = judge.rows.requests.get(requestId);
    if (request?.state !== 'active' || (state !== 'pending' && state !== 'prepared')) continue;
    const isHere = devicesOf(disk, request.paper_id).some(
      (one) => one.id === deviceId && one.assignment === assignment,
    );
    if (!isHere) return { rule: 'INV-37', sentence: `${serial} is ${state} for a paper that it does not show` };
  }
  return undefined;
}

/** Finds a frame without a delivery of the active content of its paper, or an honest frame that is not synced. */
function openDelivery(world: World): Broken | undefined {
  const { judge, disk, home } = world;
  const { requests, deliveries } = judge.rows;
  for (const request of requests.values()) {
    if (request.state === 'accepted') return { rule: 'INV-36', sentence: `request ${request.id} never became active` };
    if (request.state !== 'active') continue;
    for (const device of devicesOf(disk, request.paper_id)) {
      const frame = home.frames.find(({ deviceId }) => deviceId === device.id);
      const delivery = [...deliveries.values()].find(
        (row) => row.request_id === request.id && row.device_id === device.id && row.assignment === device.assignment,
      );
      if (delivery === undefined)
        return { rule: 'INV-36', sentence: `${frame?.serial} has no delivery of ${request.id}` };
      // An image that was sent to the frame itself came after the content (INV-39).
      const isCovered = delivery.state === 'prepared' && frame !== undefined && sentImage(world, frame) !== undefined;
      const isDone = delivery.state === 'synced' || delivery.state === 'failed' || isCovered;
      if (frame?.isHonest === true && !judge.truth.isBlind(frame.serial) && !isDone) {
        return { rule: 'INV-32', sentence: `${frame.serial} is ${delivery.state} for ${request.message_id}` };
      }
    }
  }
  return undefined;
}

/** Finds an honest frame whose display does not show the newest content of its paper (INV-32). */
function wrongGlass(world: World): Broken | undefined {
  const { judge, disk, home } = world;
  const { truth, rows } = judge;
  for (const frame of home.frames.filter(({ isHonest, serial }) => isHonest && !truth.isBlind(serial))) {
    const [now] = truth.showsNow(frame.serial);
    const image = sentImage(world, frame);
    if (image !== undefined) {
      if (now === image) continue;
      return { rule: 'INV-32', sentence: `${frame.serial} does not show the image that was sent to it last` };
    }
    const shown = disk.sqlite
      .prepare(
        `select papers.kind, devices.kind as panel, papers.id, paper_contents.request_id from devices
           join papers on papers.id = devices.paper_id
           left join paper_contents on paper_contents.paper_id = papers.id where devices.id = ?`,
      )
      .get(frame.deviceId) as { kind: string; panel: string; id: string; request_id: string | null } | undefined;
    if (shown?.kind !== 'plugin' || shown.request_id === null) continue;
    const request = rows.requests.get(shown.request_id);
    const sent = request && truth.submission(request);
    if (sent === undefined || request === undefined) continue;
    const hasFailed = [...rows.deliveries.values()].some(
      (row) => row.request_id === request.id && row.device_id === frame.deviceId && row.state === 'failed',
    );
    if (!hasFailed && now !== truth.pictureOf(sent, shown.panel)) {
      return {
        rule: 'INV-32',
        sentence: `${frame.serial} does not show ${request.message_id}, its paper's newest content`,
      };
    }
  }
  return undefined;
}

/** Returns the digest of the picture that a frame was offered last, if somebody sent its image to the frame itself. */
function sentImage({ judge, operator }: World, { serial, deviceId, kind, dialect }: HungFrame): string | undefined {
  const newest = [...judge.rows.uploads.values()].find((row) => row.serial === serial && row.replaced_at === null);
  // Without a paper nothing records how a frame hangs: it counts as upright, and an adopted one as its panel is built.
  const hangs = dialect === 'trmnl' ? 'landscape' : 'portrait';
  const images = operator.imagesOf(deviceId).map((image) => judge.truth.sentPicture(image, kind, hangs));
  return images.find((digest) => digest === newest?.picture_sha256);
}

/**
 * Finds a callback that the receiver has not received, unless it was dropped for a reason that allows this (INV-59).
 */
function openCallback({ judge, receiver, time }: World): Broken | undefined {
  const heard = new Set(receiver.heard.map(({ eventId }) => eventId));
  for (const event of judge.rows.events.values()) {
    const { id, state, due_at: dueAt, delivered_at: deliveredAt } = event;
    if (dueAt !== null) return { rule: 'INV-59', sentence: `callback ${id} (${state}) is still to be sent` };
    if (deliveredAt !== null && !heard.has(id)) {
      return { rule: 'INV-59', sentence: `callback ${id} (${state}) counts as delivered, but nobody heard it` };
    }
    const isAllowed =
      deliveredAt !== null ||
      readReasons(event.problem).some((one) => endings.has(typeof one === 'string' ? one : one.code)) ||
      time.now() - event.created_at >= lastAttemptMs;
    if (!isAllowed) return { rule: 'INV-59', sentence: `callback ${id} (${state}) was dropped: ${event.problem}` };
  }
  return undefined;
}

/** From this age on, the next attempt of a callback may be due after its seven days (INV-61). */
const lastAttemptMs = (7 * 24 - 1) * 3_600_000;

/**
 * The problems with which a callback may be dropped: the right to send it ended, which is judged at the moment it ends.
 */
const endings = new Set(['connection-ended', 'connection-unauthorized', 'paper-access-denied', 'integration-changed']);

function devicesOf(disk: World['disk'], paperId: string): readonly { id: string; assignment: number }[] {
  return disk.sqlite.prepare('select id, assignment from devices where paper_id = ?').all(paperId) as {
    id: string;
    assignment: number;
  }[];
}
