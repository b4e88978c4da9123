/** Plays scenarios over a whole service with live frames, in a folder of its own that is removed: only time is moved. */
import { papergate } from '../../../client/papergate.ts';
import { frameRegistry } from '../../../gateway/frames/registry.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { duration } from '../../../runtime/spans.ts';
import type { AnyFrame } from '../../../simulator/dialects/any-frame.ts';
import { trmnlVersions } from '../../../simulator/dialects/trmnl/trmnl-firmware.ts';
import type { Fleet } from '../../../simulator/fleet/fleet.ts';
import { movedClock } from '../../moved-time/moved-clock.ts';
import { provisionFleet } from '../../stage/provision-fleet.ts';
import { freePorts, openStage, type Stage, type StageOptions } from '../../stage/stage.ts';
import { changingFrame, switchOnMs } from '../changing-frame.ts';
import type { Group, Scenario } from '../scenario.ts';
import type { ScenarioStage, StagedFrame, StageListener } from '../stage.ts';
import { followGlasses, type HungLive, type ServiceCall } from './follow-glasses.ts';
import { textPicture } from './text-picture.ts';

/** The options of the stage. */
export interface LiveStageOptions extends Pick<StageOptions, 'env' | 'logger'> {
  /** How many times faster than the machine time runs while nothing is under way. */
  readonly speed: number;
}

/** The frames are switched on within this time, or within one sleep where that is shorter. */
const maxSwitchOnMs = 300_000;
const switchOnMsOf = ({ groups }: Scenario): number =>
  Math.min(maxSwitchOnMs, ...groups.map(({ sleepSeconds }) => sleepSeconds * 1000));
const restartWords = {
  restart: 'the service was stopped',
  kill: 'the service was stopped as planned (live it cannot be killed)',
} as const;
/** Anyone who pushes tries again after this time while the service is away. */
const againMs = 5_000;

/** Opens it; every frame is switched on. */
export async function openLiveStage(
  scenario: Scenario,
  listener: StageListener,
  { speed, env, logger }: LiveStageOptions,
): Promise<ScenarioStage> {
  const stage = await openStage({
    env: { ...freePorts, ...env },
    logger,
    clock: (isBusy) => movedClock(scenario.startsAt, isBusy),
  });
  try {
    const { clock } = stage;
    const { call } = papergate({ url: stage.http, apiKey: stage.apiKey });
    const { hung, frames } = await hangAll(scenario, stage, call);
    const glasses = followGlasses({ call, clock, listener, frameOf: (serial) => fleet.frames.get(serial) }, hung);
    const fleet: Fleet = await stage.play({
      frames,
      switchOnWithinMs: switchOnMsOf(scenario),
      seed: scenario.seed,
      trace({ serial, event }) {
        if (event === 'woke') listener.wokeUp(serial);
        if (event === 'woke' || event === 'asleep') glasses.look(serial);
      },
    });
    return {
      frames: hung.map((one) => stagedFrame(one, fleet, { clock, call })),
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
      restart: restartOf(stage, listener),
      brokenPromise: glasses.brokenPromise,
      hash: () => undefined,
      close: stage.stop,
    };
  } catch (error) {
    await stage.stop();
    throw error;
  }
}

const restartOf =
  (stage: Stage, { noted }: StageListener): ScenarioStage['restart'] =>
  (how, forMs) => {
    noted(`${restartWords[how]}, for ${duration(forMs)}`);
    stage.restart(forMs).catch(({ message }: Error) => noted(`no restart: ${message}`));
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
      // An answer that asks for patience is not a refusal.
      const isRefused = status >= 400 && status < 500 && status !== 429;
      if (isRefused || clock.now() >= endsAt) throw error;
      await new Promise<void>((resolve) => clock.after(againMs, resolve));
    }
  }
}

/** Makes every frame and content of the scenario known to the service. */
async function hangAll(scenario: Scenario, stage: Stage, call: ServiceCall) {
  const { context, clock, organizationId: organization } = stage;
  const planned = scenario.groups.flatMap((group) => Array.from({ length: group.frames }, () => group)).map(planOf);
  const provisioned = await provisionFleet(context, planned, { organization, login: 'password' });
  const hung: HungLive[] = [];
  for (const { serial, group } of planned) {
    await frameRegistry(context.db).change(serial, { sleep_seconds: group.sleepSeconds }, clock.now());
    const deviceId = await stage.deviceId(serial);
    const shared = group.content === 'shared' ? hung.find((one) => one.group === group)?.paper : undefined;
    const body = { deviceId, kind: 'image' as const, organization, meta: { orientation: 'landscape' } };
    const paper = shared ?? (await call('POST /papers/', { body })).id;
    if (shared !== undefined) await call('POST /devices/{deviceId}', { path: { deviceId }, body: { paper } });
    hung.push({ serial, group, changing: changingFrame(group, clock.now), deviceId, paper });
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
  return { serial, group, dialect: group.dialect, at: place };
}

function stagedFrame(
  { serial, group, changing, deviceId }: HungLive,
  fleet: Fleet,
  { clock, call }: Pick<StageUploadDeps, 'clock' | 'call'>,
): StagedFrame {
  const member = fleet.frames.get(serial);
  if (member === undefined) throw new Error(`${serial} was not switched on`);
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
      await fleet.remove(serial);
      await call('DELETE /devices/{deviceId}', { path: { deviceId } });
    },
  };
}
