/**
 * The settings of the frame: its name, where and how it hangs, when it wakes, and who sees it; at the end, the actions that
 * take something from it.
 */
import { FrameDangers } from './actions.tsx';
import { type FrameKnown, isPolled } from './frame-state.ts';
import { FrameSettings } from './settings.tsx';
import { FrameViewers } from './viewers.tsx';

/** Draws the page. */
export const SettingsPage = ({
  known: { device, row },
  reload,
}: {
  readonly known: FrameKnown;
  readonly reload: () => Promise<void>;
}) => (
  <div class="one-settings">
    <FrameSettings device={device} polls={isPolled(row.serial)} reload={reload} />
    <FrameViewers row={row} />
    <FrameDangers row={row} />
  </div>
);
