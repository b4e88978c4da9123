/** When screens read their data again: at one pace for all of them, driven by the stream of changes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type LiveChange, listen } from './live.ts';

/** Changes of this time are read together. While they go on, the pause grows up to the longest. */
const firstPauseMs = 300;
const maxPauseMs = 5_000;
const growth = 1.5;
/** After so many pauses without a change the next one is read at once again. */
const calmPauses = 2;

/** Reads again after changes, however many there are. */
interface Pacer {
  /** Says that something changed. */
  readonly note: () => void;
  readonly stop: () => void;
}

/** Reads soon after the first of several changes, and every few seconds at most for as long as they go on. */
export function pacer(read: () => void): Pacer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [pauseMs, readAt] = [firstPauseMs, 0];
  return {
    note() {
      if (timer !== undefined) return;
      const isCalm = Date.now() - readAt > calmPauses * pauseMs;
      pauseMs = isCalm ? firstPauseMs : Math.min(maxPauseMs, growth * pauseMs);
      // Many pages are notified at the same moment, and must not all ask at the next one.
      const waitMs = pauseMs * (0.75 + Math.random() / 2);
      timer = setTimeout(() => {
        timer = undefined;
        readAt = Date.now();
        read();
      }, waitMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Whether everything is to be read again, whatever a screen shows. */
export const isAboutAll = ({ event }: LiveChange): boolean => event === 'lost' || event === 'many' || event === 'ready';

/**
 * Counts up when something changed that a screen shows, so that what depends on it reads again.
 * @param concerns returns whether a change matters to the screen; one about everything always does
 */
export function useVersion(concerns: (change: LiveChange) => boolean, inputs: readonly unknown[]): number {
  const version = useSignal(0);
  useEffect(() => {
    const { note, stop } = pacer(() => {
      version.value += 1;
    });
    const leave = listen((change) => {
      if (isAboutAll(change) || concerns(change)) note();
    });
    return () => {
      leave();
      stop();
    };
  }, inputs);
  return version.value;
}

/** Whether something changed in an area of an organization. */
export const isInArea = ({ event, data }: LiveChange, area: string, organization: string): boolean =>
  event === 'area' && data.area === area && data.organization === organization;

/** Counts up when something changed in an area of an organization. */
export const useAreaVersion = (area: string, organization: string): number =>
  useVersion((change) => isInArea(change, area, organization), [area, organization]);

/** Whether a change is about a paper, besides its own row: guests, logins, pictures, connections, callbacks. */
export const isOfPaper = ({ event, data }: LiveChange, paperId: string): boolean =>
  event === 'area' && data.area === 'paper' && (data.paper === null || data.paper === paperId);

/** Counts up when what hangs on a paper changed. */
export const usePaperVersion = (paperId: string): number =>
  useVersion((change) => isOfPaper(change, paperId), [paperId]);
