/** Which way up a paper hangs. */
import type { Orientation } from '../../firmware-protocol/panels.ts';
import { storedObject } from '../http/field-shapes.ts';
import { withNativeSettings } from './native-settings.ts';

/** How the paper hangs: its own word, else its integration's manifest's, else the frame's, else portrait. */
export function orientationOf(paperMeta: string, deviceMeta: string | undefined): Orientation {
  for (const meta of [paperMeta, deviceMeta ?? '{}']) {
    const { orientation } = withNativeSettings(storedObject(meta));
    if (orientation === 'landscape' || orientation === 'portrait') return orientation;
  }
  return 'portrait';
}
