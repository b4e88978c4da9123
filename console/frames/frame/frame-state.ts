/** The facts about one frame, read again whenever the stream reports a change of it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { useVersion } from '../../ground/versions.ts';

/** A device as `GET /devices/{deviceId}` returns it. */
export type DeviceRecord = Schemas['Device'];

/** The frame in both shapes: its record, and the row that the page of all frames shows. */
export interface FrameKnown {
  readonly device: DeviceRecord;
  readonly row: FleetDevice;
}

/** The pace at which changes are read that the stream does not report, such as a wake that is late. */
const rereadMs = 60_000;

/** Counts up whenever something about the device changed, so that what depends on it reads again. */
export function useChanges(deviceId: string): number {
  const changed = useVersion(({ data }) => data.recordId === deviceId || data.deviceId === deviceId, [deviceId]);
  const paced = useSignal(0);
  useEffect(() => {
    const pace = setInterval(() => {
      if (!document.hidden) paced.value += 1;
    }, rereadMs);
    return () => clearInterval(pace);
  }, [deviceId]);
  return changed + paced.value;
}

/** Reads the frame, and again after each change. */
export function useFrame(deviceId: string, version: number): Resource<FrameKnown> {
  return useResource<FrameKnown>(
    async (signal) => {
      const device = await callApi('GET /devices/{deviceId}', { path: { deviceId }, signal });
      const [row] = await callApi('GET /devices/overview', {
        query: { organization: device.organization, ids: device.id },
        signal,
      });
      // A device that is removed between the two calls is found to be gone at the next.
      if (row === undefined) throw new DOMException('removed meanwhile', 'AbortError');
      return { device, row };
    },
    [deviceId, version],
  );
}

/** True for a frame that takes commands and logs in to the broker; one that asks over HTTP does neither. */
export const isConnected = (serial: string | null): boolean => !/^(?:trmnl|plain)-/i.test(serial ?? '');

/** True for a frame that asks over HTTP as TRMNL's firmware does, by its serial. */
export const isPolled = (serial: string | null): boolean => /^trmnl-/i.test(serial ?? '');
