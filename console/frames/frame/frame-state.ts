/** What is known of one frame, read again whenever the stream says that something about it changed. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../client/contract.ts';
import { callApi } from '../../ground/call-api.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { listen } from '../../ground/live.ts';
import { type Resource, useResource } from '../../ground/resource.ts';

/** A device as `GET /devices/{deviceId}` tells it. */
export type DeviceRecord = Schemas['Device'];

/** The frame in both shapes: its record, and the row that the page of all frames shows. */
export interface FrameKnown {
  readonly device: DeviceRecord;
  readonly row: FleetDevice;
}

/** Changes of this time are read together. */
const collectMs = 400;
/** What the stream does not tell, such as a wake that is late, is seen at this pace. */
const rereadMs = 60_000;

/** Counts up whenever something about the device changed, so that what depends on it reads anew. */
export function useChanges(deviceId: string): number {
  const version = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listen(({ event, data }) => {
      const named = [data.recordId, data.deviceId, ...(Array.isArray(data.deviceIds) ? data.deviceIds : [])];
      const isWhole = event === 'lost' || event === 'many';
      if (timer !== undefined || !(isWhole || named.includes(deviceId))) return;
      timer = setTimeout(() => {
        timer = undefined;
        version.value += 1;
      }, collectMs);
    });
    const pace = setInterval(() => {
      if (!document.hidden) version.value += 1;
    }, rereadMs);
    return () => {
      stop();
      clearTimeout(timer);
      clearInterval(pace);
    };
  }, [deviceId]);
  return version.value;
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
