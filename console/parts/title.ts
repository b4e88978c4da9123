/** The title of the window follows the screen, and what covers it. */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const screenTitle = signal<string | undefined>(undefined);
const coverTitle = signal<string | undefined>(undefined);

effect(() => {
  const title = coverTitle.value ?? screenTitle.value;
  if (title !== undefined) document.title = `${title} · Papergate`;
});

/** Names the window after the screen. */
export function useTitle(title: string): void {
  useEffect(() => {
    screenTitle.value = title;
  }, [title]);
}

/** Names the window after what lies over the screen, which keeps its own name below. */
export function useCoverTitle(title: string): void {
  useEffect(() => {
    coverTitle.value = title;
    return () => {
      coverTitle.value = undefined;
    };
  }, [title]);
}
