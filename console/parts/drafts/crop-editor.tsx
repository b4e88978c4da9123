/** The crop of a picture, by mouse, touch and keyboard. */
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../../ground/words.ts';
import { Icon } from '../icon.tsx';
import { boundCrop, type Crop, moveCrop, rotateCrop, type Size, smallestZoom, wholeCrop, zoomCrop } from './crop.ts';
import { cropFor, type Draft, setCrop } from './drafts.ts';
import { drawCrop } from './draw-crop.ts';
import { PictureRemark } from './picture-remark.tsx';
import { usePointers } from './use-pointers.ts';

interface CropProps {
  readonly draft: Draft;
  readonly panel: Size;
  /** The panel's frame, where several stand side by side. */
  readonly name?: string | undefined;
  /** A panel that follows the crop of the first until it has its own. */
  readonly follows?: boolean;
}

/** One step of a key, as a share of the panel. */
const step = 1 / 40;
const keyZoom = 1.1;

const moves: Readonly<Record<string, Size>> = {
  ArrowLeft: [1, 0],
  ArrowRight: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** Returns the crop after a key; undefined for a key that does nothing. */
function afterKey({ key, shiftKey }: KeyboardEvent, size: Size, panel: Size, crop: Crop): Crop | undefined {
  const move = moves[key];
  if (move !== undefined) {
    const pixels = Math.max(...panel) * step * (shiftKey ? 5 : 1);
    return moveCrop(size, panel, crop, [move[0] * pixels, move[1] * pixels]);
  }
  if (key === '+' || key === '=') return zoomCrop(size, panel, crop, { factor: keyZoom });
  if (key === '-' || key === '_') return zoomCrop(size, panel, crop, { factor: 1 / keyZoom });
  if (key === 'r' || key === 'R') return rotateCrop(size, panel, crop);
  return key === '0' ? wholeCrop : undefined;
}

/** Draws the crop over a canvas, as sharp as it is shown. */
function useDrawnCrop(
  canvas: RefObject<HTMLCanvasElement | null>,
  { draft, panel, crop }: Pick<CropProps, 'draft' | 'panel'> & { readonly crop: Crop },
): void {
  const width = useSignal(0);
  // Read here, so that it is drawn as soon as it is measured.
  const wide = width.value;
  useEffect(() => {
    const measure = (): void => {
      width.value = Math.round((canvas.current?.clientWidth ?? 0) * devicePixelRatio);
    };
    const resized = new ResizeObserver(measure);
    if (canvas.current !== null) resized.observe(canvas.current);
    return () => resized.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current === null || wide === 0) return;
    // No sharper than what is sent.
    canvas.current.width = Math.min(wide, panel[0]);
    canvas.current.height = Math.round((canvas.current.width * panel[1]) / panel[0]);
    const { picture, caption, captionAt } = draft;
    drawCrop(canvas.current, { picture, crop, caption: caption.value, captionAt: captionAt.value, panel });
  });
}

/** Draws the editor. */
export const CropEditor = ({ draft, panel, name, follows = false }: CropProps) => {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const id = useId();
  const crop = boundCrop(draft.size, panel, cropFor(draft, panel));
  const set = (next: Crop): void => {
    setCrop(draft, panel, next, !follows);
  };
  const toPanel = (): number => panel[0] / (canvas.current?.getBoundingClientRect().width || panel[0]);
  usePointers(box, {
    move: ([right, down]) => {
      const scale = toPanel();
      set(moveCrop(draft.size, panel, cropFor(draft, panel), [right * scale, down * scale]));
    },
    zoom: (factor, [x, y]) => {
      const scale = toPanel();
      set(zoomCrop(draft.size, panel, cropFor(draft, panel), { factor, at: [x * scale, y * scale] }));
    },
  });
  useDrawnCrop(canvas, { draft, panel, crop });
  return (
    <div class="crop">
      <div
        ref={box}
        class="crop-view"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes keys
        tabIndex={0}
        role="application"
        aria-label={
          name === undefined
            ? t('send.crop', { name: draft.name })
            : t('send.cropFor', { name: draft.name, place: name })
        }
        aria-describedby={`${id}-help`}
        style={{ aspectRatio: `${panel[0]} / ${panel[1]}`, '--shape': panel[0] / panel[1] }}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          const next = afterKey(event, draft.size, panel, crop);
          if (next === undefined) return;
          event.preventDefault();
          set(next);
        }}
      >
        <canvas ref={canvas} />
      </div>
      <CropTools draft={draft} panel={panel} crop={crop} set={set} />
      <p class={follows ? 'visually-hidden' : 'note crop-keys'} id={`${id}-help`}>
        {t('send.cropHelp')}
      </p>
      {!follows && <PictureRemark told={draft.told} />}
    </div>
  );
};

/** Whether nothing was moved yet, so that there is nothing to start again. */
const isWhole = ({ rotation, zoom, x, y }: Crop): boolean =>
  rotation === wholeCrop.rotation && zoom === wholeCrop.zoom && x === wholeCrop.x && y === wholeCrop.y;

interface ToolsProps extends CropProps {
  readonly crop: Crop;
  readonly set: (crop: Crop) => void;
}

/** The same by buttons and a slider. */
const CropTools = ({ draft, panel, crop, set }: ToolsProps) => {
  const smallest = Math.log2(smallestZoom(draft.size, panel, crop));
  return (
    <div class="crop-tools">
      <label>
        <span>{t('send.zoom')}</span>
        <input
          type="range"
          min={smallest}
          max={3}
          step="any"
          value={Math.log2(crop.zoom)}
          aria-valuetext={t('send.zoomed', { percent: Math.round(crop.zoom * 100) })}
          onInput={(event) =>
            set(boundCrop(draft.size, panel, { ...crop, zoom: 2 ** event.currentTarget.valueAsNumber }))
          }
        />
      </label>
      <button type="button" onClick={() => set(rotateCrop(draft.size, panel, crop))}>
        <Icon name="rotate" />
        {t('send.rotate')}
      </button>
      <button type="button" onClick={() => set(wholeCrop)} disabled={isWhole(crop)}>
        {t('send.reset')}
      </button>
    </div>
  );
};
