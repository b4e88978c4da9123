/** A stage over a whole service with live frames, in a folder of its own that is removed: only time is moved. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { papergate } from '../../../client/papergate.ts';
import { frameRegistry } from '../../../gateway/frames/registry.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { duration } from '../../../runtime/spans.ts';
import type { AnyFrame } from '../../../simulator/dialects/any-frame.ts';
import { trmnlVersions } from '../../../simulator/dialects/trmnl/trmnl-firmware.ts';
import { type Fleet, type FleetMember, startFleet } from '../../../simulator/fleet/fleet.ts';
import { type MovedService, openMovedService } from '../../moved-time/moved-service.ts';
import { peopleOf } from '../../moved-time/people.ts';
import { provisionFleet } from '../../moved-time/provision-fleet.ts';
import { changingFrame, switchOnMs } from '../changing-frame.ts';
import type { Group, Scenario } from '../scenario.ts';
import type { ScenarioStage, StagedFrame, StageListener } from '../stage.ts';
import { followGlasses, type HungLive, type ServiceCall } from './follow-glasses.ts';
import { textPicture } from './text-picture.ts';

/** The options of the stage. */
export interface LiveStageOptions {
  /** How many times faster than the machine time runs while nothing is under way. */
  readonly speed: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
}

/** The frames are switched on within this time, or within one sleep where that is shorter. */
const maxSwitchOnMs = 300_000;
const switchOnMsOf = ({ groups }: Scenario): number =>
  Math.min(maxSwitchOnMs, ...groups.map(({ sleepSeconds }) => sleepSeconds * 1000));
const restartWords = {
  restart: 'the service was stopped',
  kill: 'the service was stopped as planned (live it cannot be killed)',
} as const;
/** Nobody outside calls the service: it listens where there is room, alongside any other one. */
const freePorts = { PAPERGATE_HTTP_PORT: '0', PAPERGATE_MQTT_PORT: '0', PAPERGATE_MQTTS_PORT: '0' };
/** Anyone who pushes tries again after this time while the service is away. */
const againMs = 5_000;

/** Opens it; every frame is switched on. */
export async function openLiveStage(
  scenario: Scenario,
  listener: StageListener,
  { speed, env, logger }: LiveStageOptions,
): Promise<ScenarioStage> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-scenario-'));
  const service = await openMovedService({
    folder,
    env: { ...freePorts, ...env },
    logger,
    startsAt: scenario.startsAt,
  });
  const { clock } = service;
  let fleet: Fleet | undefined;
  const close = async (): Promise<void> => {
    await fleet?.stop();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const { http, mqtt } = await service.start();
    const { organizationId, apiKey } = await peopleOf(service.context, http);
    const { call } = papergate({ url: http, apiKey });
    const { hung, frames } = await hangAll(scenario, service, { call, organizationId });
    const glasses = followGlasses({ call, clock, listener, frameOf: (serial) => fleet?.frames.get(serial) }, hung);
    fleet = await startFleet({
      frames,
      mqttUrl: mqtt,
      picturePrefix: http,
      polledUrl: `${http}/trmnl`,
      speed: 1,
      switchOnWithinMs: switchOnMsOf(scenario),
      seed: scenario.seed,
      clock,
      trace({ serial, event }) {
        if (event === 'woke') listener.wokeUp(serial);
        if (event === 'woke' || event === 'asleep') glasses.look(serial);
      },
    });
    service.plays(fleet);
    const playing = fleet;
    const remove = (serial: string): Promise<void> => playing.remove(serial);
    return {
      frames: hung.map((one) => stagedFrame(one, playing.frames.get(one.serial), { service, call, remove })),
      now: clock.now,
      at: (moment, run) => void clock.after(moment - clock.now(), run),
      async until(moment) {
        clock.run(speed);
        await new Promise<void>((resolve) => clock.after(moment - clock.now(), resolve));
        clock.run(0);
        await glasses.settle();
      },
      async push(number, text, on) {
        const own = hung.filter(({ serial }) => on.some((frame) => frame.serial === serial));
        glasses.expect(number, own);
        await uploadText(text, own, { call, clock, endsAt: scenario.endsAt });
        glasses.accepted(number);
        return true;
      },
      restart: restartOf(service, listener),
      brokenPromise: glasses.brokenPromise,
      hash: () => undefined,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const restartOf =
  (service: MovedService, { noted }: StageListener): ScenarioStage['restart'] =>
  (how, forMs) => {
    noted(`${restartWords[how]}, for ${duration(forMs)}`);
    service.restart(forMs).catch(({ message }: Error) => noted(`no restart: ${message}`));
  };

interface StageUploadDeps {
  readonly call: ServiceCall;
  readonly clock: Clock;
  /** Nobody tries again after this. */
  readonly endsAt: number;
}

/** Uploads a picture of a text to the contents of frames. */
async function uploadText(text: string, frames: readonly HungLive[], deps: StageUploadDeps): Promise<void> {
  const picture = new File([Uint8Array.from(await textPicture(text))], 'text.png', { type: 'image/png' });
  const papers = [...new Set(frames.map(({ paper }) => paper))];
  await Promise.all(papers.map((paperId) => upload(paperId, picture, deps)));
}

/** Uploads a picture, again and again while the service is away. */
async function upload(paperId: string, picture: File, { call, clock, endsAt }: StageUploadDeps): Promise<void> {
  for (;;) {
    try {
      await call('POST /papers/uploadSingleImage/{paperId}', { path: { paperId }, form: { picture: [picture] } });
      return;
    } catch (error) {
      const { status = 0 } = error as { readonly status?: number };
      // An answer that asks for patience is none that refuses.
      const isRefused = status >= 400 && status < 500 && status !== 429;
      if (isRefused || clock.now() >= endsAt) throw error;
      await new Promise<void>((resolve) => clock.after(againMs, resolve));
    }
  }
}

/** Makes every frame and content of the scenario known to the service. */
async function hangAll(
  scenario: Scenario,
  { context, clock }: MovedService,
  { call, organizationId }: { readonly call: ServiceCall; readonly organizationId: string },
) {
  const planned = scenario.groups.flatMap((group) => Array.from({ length: group.frames }, () => group)).map(planOf);
  const provisioned = await provisionFleet(context, planned, {
    organization: organizationId,
    login: 'password',
    done: () => {},
  });
  const devices = new Map<string, string>(
    (await context.db('devices').select('serial', 'id')).map(({ serial, id }) => [serial ?? '', id]),
  );
  const hung: HungLive[] = [];
  for (const { serial, group } of planned) {
    await frameRegistry(context.db).change(serial, { sleep_seconds: group.sleepSeconds }, clock.now());
    const deviceId = devices.get(serial) ?? '';
    const shared = group.content === 'shared' ? hung.find((one) => one.group === group)?.paper : undefined;
    const meta = { orientation: 'landscape' };
    const body = { deviceId, kind: 'image' as const, organization: organizationId, meta };
    const paper = shared ?? (await call('POST /papers/', { body })).id;
    if (shared !== undefined) await call('POST /devices/{deviceId}', { path: { deviceId }, body: { paper } });
    const changing = changingFrame(group, clock.now);
    hung.push({ serial, group, changing, deviceId, paper });
  }
  const frames = hung.flatMap(({ serial, group, changing }) => {
    const frame = provisioned.find((one) => one.serial === serial);
    const { climate, batteryMv } = group;
    const switchOnAfterMs = switchOnMs(group, clock.now());
    const more = {
      behaviours: [changing.behaviour],
      climate,
      ...(batteryMv !== undefined && { batteryMv }),
      ...(switchOnAfterMs !== undefined && { switchOnAfterMs }),
    };
    return frame === undefined ? [] : [{ ...frame, ...more }];
  });
  return { hung, frames };
}

/** A frame of the plan. Its place says which firmware one that polls has. */
function planOf(group: Group, at: number) {
  const number = String(at + 1).padStart(10, '0');
  const serial = group.dialect === 'trmnl' ? `trmnl-02${number}` : `${group.kind}-00${number}`;
  const place = group.kind === 'trmnl2' ? trmnlVersions.length - 1 : 0;
  return { serial, group, dialect: group.dialect, behaviours: [], at: place };
}

function stagedFrame(
  { serial, group, changing, deviceId }: HungLive,
  member: FleetMember | undefined,
  { service, call, remove }: { service: MovedService; call: ServiceCall; remove: (serial: string) => Promise<void> },
): StagedFrame {
  if (member === undefined) throw new Error(`${serial} was not switched on`);
  const { clock } = service;
  return {
    serial,
    group: group.name,
    state: (): AnyFrame => member.state,
    press: () => member.wake('button'),
    rotate: () => member.hang(member.state.orientation === 'landscape' ? 'portrait' : 'landscape'),
    charge: member.charge,
    cutPower(forMs) {
      member.cutPower();
      if (forMs !== undefined) clock.after(forMs, () => member.wake('reset'));
    },
    loseWifi(forMs) {
      changing.loseWifi(clock.now() + forMs);
      member.cutLink();
    },
    cutLink: member.cutLink,
    behave: changing.behave,
    enter: member.enter,
    async remove() {
      await remove(serial);
      await call('DELETE /devices/{deviceId}', { path: { deviceId } });
    },
  };
}
