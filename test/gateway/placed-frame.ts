/** A fielded frame hung into a world: provisioned there, and registered unless the test wants otherwise. */
import { type FieldedFrame, fieldedFrame } from './fielded-frame.ts';
import type { LineAddress } from './mqtt-line.ts';
import type { GatewayWorld } from './world.ts';

export interface PlacedFrame extends FieldedFrame {
  readonly serial: string;
  readonly broker: () => LineAddress;
}

/** Hangs a frame. `spelling` is how its firmware writes its identity, when that differs from the label's. */
export async function placeFrame(
  world: GatewayWorld,
  serial: string,
  more: { readonly registered?: boolean; readonly spelling?: string; readonly pixelBytes?: number } = {},
): Promise<PlacedFrame> {
  const credential = await world.provision(serial);
  if (more.registered !== false) await world.activate(serial);
  const broker = () => ({ port: world.ports.tls, root: credential.root, credential });
  const frame = fieldedFrame({
    identity: more.spelling ?? serial,
    broker,
    prefix: world.url,
    draw: () => world.downloadsSettled(),
    ...(more.pixelBytes === undefined ? {} : { pixelBytes: more.pixelBytes }),
  });
  return { ...frame, serial, broker };
}
