/** The title of the window follows the screen. */
import { useEffect } from 'preact/hooks';

/** Names the window after the screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Papergate`;
  }, [title]);
}
