/** A frame of a fleet before it is switched on: its state, its step, its address and the network around it. */
import { classicManifestPath } from '../../firmware-protocol/classic-manifest.ts';
import { kindOfSerial, panelOfKind } from '../../firmware-protocol/panels.ts';
import { openAir } from '../air/air.ts';
import { climateOf } from '../air/climates.ts';
import { frameThat } from '../behaviours/behaviours.ts';
import type { AnyFrame } from '../dialects/any-frame.ts';
import { newClassicFrame } from '../dialects/classic/classic-state.ts';
import { newNativeFrame } from '../dialects/native/native-state.ts';
import { newOfflineFrame } from '../dialects/offline/offline-state.ts';
import { newTrmnlFrame } from '../dialects/trmnl/trmnl-state.ts';
import { drawsOf } from '../frame/draws.ts';
import { showingFirst } from '../frame/first-picture.ts';
import { newFrame, type SimulatedFrame } from '../frame/frame.ts';
import type { FleetFrame, FleetOptions } from './fleet-options.ts';
import type { AssembledFrame } from './run-frame.ts';

/** Frames do not all connect at once. */
const defaultSwitchOnMs = 500;
const firmwareVersion = { native: '1.0.0', classic: '3.0.21' } as const;

/**
 * Puts a frame together as it is before it is switched on.
 * @throws Error when no panel is known for it, or a behaviour or its climate is unknown
 */
export function assembleFrame(frame: FleetFrame, options: FleetOptions): AssembledFrame {
  if (frame.climate !== undefined) climateOf(frame.climate);
  const panel = panelOfKind(('kind' in frame ? frame.kind : kindOfSerial(frame.serial)) ?? '');
  if (panel === undefined) throw new Error(`no panel is known for ${frame.serial}`);
  const draw = drawsOf(`${options.seed}/${frame.serial}`);
  const [delay, signal] = [draw(), draw()];
  const flash = newFrame({
    serial: frame.serial,
    panel,
    orientation: frame.orientation ?? 'landscape',
    firmware: firmwareOf(frame),
    rssi: -45 - Math.floor(signal * 30),
  });
  const { batteryMv = flash.batteryMv, switchOnAfterMs = delay * (options.switchOnWithinMs ?? defaultSwitchOnMs) } =
    frame;
  return {
    state: newState(frame, showingFirst({ ...flash, batteryMv }, frame.picture, options.clock.now()), options),
    step: frameThat(frame.behaviours ?? [], frame.dialect),
    switchOn: { afterMs: switchOnAfterMs, reason: 'button' },
  };
}

function firmwareOf(frame: FleetFrame): string {
  if (frame.dialect === 'trmnl') return frame.version;
  return frame.dialect === 'offline' ? `offline ${frame.state}` : firmwareVersion[frame.dialect];
}

function newState(frame: FleetFrame, flash: SimulatedFrame, options: FleetOptions): AnyFrame {
  if (frame.dialect === 'native') return newNativeFrame(flash);
  const { panel } = flash;
  if (frame.dialect === 'trmnl') {
    if (options.polledUrl === undefined) throw new Error(`no base address is known for ${frame.serial}`);
    const size = { width: panel.width, height: panel.height };
    return newTrmnlFrame(flash, { version: frame.version, baseUrl: options.polledUrl, model: 'og', size });
  }
  if (frame.dialect === 'offline') {
    const { serial: user, password, settingsAddress } = frame;
    const address = `${options.picturePrefix}/offline/${user}`;
    return newOfflineFrame(flash, { state: frame.state, login: { address, user, password, settingsAddress } });
  }
  const { manifestPrefix } = options;
  const manifestUrl = manifestPrefix === undefined ? undefined : manifestPrefix + classicManifestPath(panel.name);
  return newClassicFrame(flash, options.picturePrefix, manifestUrl);
}

/** Returns the broker's address for a frame, by how it logs in. */
export function addressFor(frame: FleetFrame, mqttUrl: FleetOptions['mqttUrl']): string {
  if (typeof mqttUrl === 'string') return mqttUrl;
  return 'credentials' in frame && frame.credentials.kind === 'certificate' ? mqttUrl.mqtts : mqttUrl.mqtt;
}

/** Opens the air around a device. */
export function airOf(
  name: string,
  { climate: own }: FleetFrame,
  { climate: common = 'calm', seed, clock }: FleetOptions,
) {
  return openAir(climateOf(own ?? common), drawsOf(`${seed}/${name}/air`), clock);
}
