/** Where a picture can go: to a frame, or to a paper that no frame shows at present. */
import { computed, signal } from '@preact/signals';
import { type FleetDevice, fleet } from '../ground/fleet.ts';
import { traitsOf } from '../ground/paper-kinds.ts';
import { type ListedPaper, picturePapers } from '../ground/picture-papers.ts';
import type { Size } from '../parts/drafts/crop.ts';
import { byNatureAmong } from '../parts/natural-order.ts';

/** One place for a picture. */
export interface Target {
  readonly id: string;
  readonly name: string;
  /** The device whose panel the picture is made for. */
  readonly deviceId: string;
  /** The paper that takes the picture; null where it becomes the device's own image. */
  readonly paper: { readonly id: string; readonly title: string; readonly isAlbum: boolean } | null;
  /** The kind of the paper that comes back after an own image; null without one. */
  readonly covers: string | null;
  readonly size: Size;
  /** How the paper hangs; undefined for an own image, which hangs as the settings of its device say. */
  readonly orientation: 'portrait' | 'landscape' | undefined;
  /** The frames on which it will be seen. */
  readonly frames: readonly string[];
}

/** The pixels of devices' own images where they are not those of the paper: previews give them. */
export const ownSizes = signal<ReadonlyMap<string, Size>>(new Map());

/** Every target: frames by name, then papers that no frame shows. */
export const targets = computed<readonly Target[]>(() => {
  const devices = [...fleet.value.values()].filter(({ panel }) => panel !== null);
  const compare = byNatureAmong(devices.map(({ name }) => name));
  const byName = devices.filter(({ serial }) => serial !== null).sort((a, b) => compare(a.name, b.name));
  const shown = new Set(devices.map(({ paper }) => paper?.id));
  const elsewhere = picturePapers.value.filter(({ id }) => !shown.has(id));
  return [
    ...byName.map((device) => frameTarget(device, devices)),
    ...elsewhere.map((paper) => paperTarget(paper, fleet.value)).filter((target) => target !== undefined),
  ];
});

function frameTarget(device: FleetDevice, all: readonly FleetDevice[]): Target {
  const { id, name, paper, panel } = device;
  const takes = paper !== null && traitsOf(paper.kind).takesPictures;
  const size: Size = [panel?.width ?? 0, panel?.height ?? 0];
  return {
    id: `frame:${id}`,
    name,
    deviceId: id,
    paper: takes ? { id: paper.id, title: paper.title ?? '', isAlbum: traitsOf(paper.kind).isAlbum } : null,
    covers: takes ? null : (paper?.kind ?? null),
    size: takes ? size : (ownSizes.value.get(id) ?? size),
    orientation: takes ? panel?.orientation : undefined,
    frames: takes ? all.filter((other) => other.paper?.id === paper.id).map((other) => other.id) : [id],
  };
}

/** A paper that no frame shows is made for the panel of its device. */
function paperTarget(paper: ListedPaper, devices: ReadonlyMap<string, FleetDevice>): Target | undefined {
  const panel = devices.get(paper.deviceId ?? '')?.panel;
  if (paper.deviceId === null || panel === null || panel === undefined) return undefined;
  const own = (paper.meta as { orientation?: unknown } | null)?.orientation;
  const orientation = own === 'portrait' || own === 'landscape' ? own : panel.orientation;
  const size: Size = orientation === panel.orientation ? [panel.width, panel.height] : [panel.height, panel.width];
  return {
    id: `paper:${paper.id}`,
    name: paper.title,
    deviceId: paper.deviceId,
    paper: { id: paper.id, title: paper.title, isAlbum: traitsOf(paper.kind).isAlbum },
    covers: null,
    size,
    orientation,
    frames: [],
  };
}

/** Learns the pixels of a device's own images. */
export function learnOwnSize(deviceId: string, size: Size): void {
  ownSizes.value = new Map(ownSizes.value).set(deviceId, size);
}
