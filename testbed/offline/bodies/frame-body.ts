/**
 * One device of the simulation: the pure steps of a frame, carried out over modelled links, with a glass that
 * remembers.
 */
import { frameThat } from '../../../simulator/behaviours/behaviours.ts';
import { namedTimers } from '../../../simulator/frame/named-timers.ts';
import { isBlind, noAir, whatPressingIs } from '../machine/polled-air.ts';
import { type BodyState, cutLink, unplug, wake } from './carry-out.ts';
import type { BodyDeps, DeviceOptions, FrameBody } from './device.ts';

/** Builds a device, asleep and without power. `unplug(0)` starts it. */
export function frameBody(deps: BodyDeps, device: DeviceOptions): FrameBody {
  const body: BodyState = {
    deps,
    device,
    step: frameThat(device.behaviours, device.initial.dialect),
    drift: 0.97 + deps.chance.number() * 0.06,
    timers: namedTimers(deps.time),
    shown: [{ at: deps.time.now(), what: 'nothing' }],
    air: noAir(),
    frame: device.initial,
    link: undefined,
    abandonDownload: undefined,
    self: undefined,
    wasMoved: false,
  };
  const self: FrameBody = {
    name: device.name,
    serial: body.frame.serial,
    get isHonest() {
      return device.isHonest();
    },
    state: () => body.frame,
    shown: body.shown,
    isBlind: () => isBlind(body.frame, body.air, deps.isProxied === true),
    believes: () => (body.frame.dialect === 'trmnl' ? body.frame.believed : body.frame.glass),
    loseWifi(forMs) {
      body.air.awayUntil = deps.time.now() + forMs;
    },
    press: () =>
      void (body.frame.asleep && body.timers.isRunning('sleep') && wake(body, whatPressingIs(body.frame, body.air))),
    unplug: (forMs) => unplug(body, forMs),
    hang(orientation) {
      body.wasMoved = true;
      body.frame = { ...body.frame, orientation };
    },
    charge(batteryMv) {
      body.frame = { ...body.frame, batteryMv };
    },
    cutLink: () => cutLink(body),
  };
  body.self = self;
  return self;
}
