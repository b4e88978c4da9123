/** Hands a text, with an address or without, to another application, by the device's own menu. */
import { act } from './messages.tsx';

/** Draws the button where the browser can share, which is over https alone. */
export const ShareButton = ({
  label,
  ...shared
}: {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  readonly url?: string;
}) => {
  if (typeof navigator.share !== 'function') return null;
  const share = (): Promise<boolean> =>
    act(async () => {
      try {
        await navigator.share(shared);
      } catch (error) {
        // The person closed the menu.
        if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
      }
    });
  return (
    <button type="button" onClick={() => void share()}>
      {label}
    </button>
  );
};
