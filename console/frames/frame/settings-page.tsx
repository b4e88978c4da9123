/** What the frame is called, where and how it hangs, and when it wakes; at the end, what takes something from it. */
import type { ComponentType } from 'preact';
import { FrameDangers } from './actions.tsx';
import { type FrameKnown, isPolled } from './frame-state.ts';
import { FrameSettings } from './settings.tsx';

interface SettingsPageProps {
  readonly known: FrameKnown;
  readonly reload: () => Promise<void>;
}

/** Draws the page. */
export const SettingsPage: ComponentType<SettingsPageProps> = ({ known: { device, row }, reload }) => (
  <div class="one-settings">
    <FrameSettings device={device} polls={isPolled(row.serial)} reload={reload} />
    <FrameDangers row={row} />
  </div>
);
