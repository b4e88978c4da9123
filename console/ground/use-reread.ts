/** Keeps something that several screens share as it is at the service: read at once, each minute, and soon after every change. */
import { useEffect } from 'preact/hooks';
import { listen } from './live.ts';
import { organizationId } from './session.ts';
import { pacer } from './versions.ts';

const rereadMs = 60_000;

/** Reads it again while the caller is on the screen. A read that fails leaves what was read before. */
export function useReread(readAgain: () => Promise<void>): void {
  useEffect(() => {
    const read = (): void => void readAgain().catch(() => undefined);
    read();
    const pace = setInterval(read, rereadMs);
    const { note, stop } = pacer(read);
    const leave = listen(note);
    return () => {
      leave();
      stop();
      clearInterval(pace);
    };
  }, [organizationId.value]);
}
