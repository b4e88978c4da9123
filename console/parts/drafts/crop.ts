/** Which part of a picture a panel shows: turned by quarters, zoomed, moved. The same crop serves panels of any shape. */

/** A width and a height in pixels. */
export type Size = readonly [width: number, height: number];

/** A crop. `x` and `y` are the middle of what is shown, as shares of the turned picture; zoom 1 just fills the panel. */
export interface Crop {
  /** The rotation in quarters, clockwise. */
  readonly rotation: 0 | 1 | 2 | 3;
  readonly zoom: number;
  readonly x: number;
  readonly y: number;
}

/** The whole width or height, in the middle. */
export const wholeCrop: Crop = { rotation: 0, zoom: 1, x: 0.5, y: 0.5 };

const largestZoom = 8;

/** The picture's size as it lies after its rotation. */
export const rotatedSize = ([width, height]: Size, { rotation }: Pick<Crop, 'rotation'>): Size =>
  rotation % 2 === 0 ? [width, height] : [height, width];

/** The smallest zoom: the whole picture, with white next to it. */
export function smallestZoom(picture: Size, panel: Size, crop: Pick<Crop, 'rotation'>): number {
  const [wide, high] = ratios(rotatedSize(picture, crop), panel);
  return Math.min(wide, high) / Math.max(wide, high);
}

/** The pixels of the panel for one pixel of the picture. */
export function scaleOf(picture: Size, panel: Size, crop: Crop): number {
  return Math.max(...ratios(rotatedSize(picture, crop), panel)) * crop.zoom;
}

const ratios = ([width, height]: Size, panel: Size): Size => [panel[0] / width, panel[1] / height];

/** Brings a crop within its bounds: no white where there is picture. */
export function boundCrop(picture: Size, panel: Size, crop: Crop): Crop {
  const zoom = Math.min(largestZoom, Math.max(smallestZoom(picture, panel, crop), crop.zoom));
  const scale = scaleOf(picture, panel, { ...crop, zoom });
  const size = rotatedSize(picture, crop);
  const bound = (at: number, side: 0 | 1): number => {
    const half = panel[side] / scale / size[side] / 2;
    return half >= 0.5 ? 0.5 : Math.min(1 - half, Math.max(half, at));
  };
  return { rotation: crop.rotation, zoom, x: bound(crop.x, 0), y: bound(crop.y, 1) };
}

/** Moves what is seen by pixels of the panel. */
export function moveCrop(picture: Size, panel: Size, crop: Crop, [right, down]: Size): Crop {
  const scale = scaleOf(picture, panel, crop);
  const [width, height] = rotatedSize(picture, crop);
  return boundCrop(picture, panel, { ...crop, x: crop.x - right / scale / width, y: crop.y - down / scale / height });
}

/** How much nearer a picture comes, and the point of the panel under which it stays: left out, the middle. */
interface Zoom {
  readonly factor: number;
  readonly at?: Size;
}

/** Zooms; what lies under a point of the panel stays there. */
export function zoomCrop(picture: Size, panel: Size, crop: Crop, { factor, at = middleOf(panel) }: Zoom): Crop {
  const middle = middleOf(panel);
  const before = scaleOf(picture, panel, crop);
  const zoomed = boundCrop(picture, panel, { ...crop, zoom: crop.zoom * factor });
  const after = scaleOf(picture, panel, zoomed);
  const [width, height] = rotatedSize(picture, crop);
  const shift = (side: 0 | 1): number => (at[side] - middle[side]) * (1 / before - 1 / after);
  return boundCrop(picture, panel, { ...zoomed, x: crop.x + shift(0) / width, y: crop.y + shift(1) / height });
}

const middleOf = ([width, height]: Size): Size => [width / 2, height / 2];

/** Turns by a quarter, clockwise; the middle of what is shown stays the middle. */
export function rotateCrop(picture: Size, panel: Size, crop: Crop): Crop {
  const rotation = ((crop.rotation + 1) % 4) as Crop['rotation'];
  return boundCrop(picture, panel, { ...crop, rotation, x: 1 - crop.y, y: crop.x });
}
