/** Every counter and histogram of the service. Values that are only read when somebody asks are in `read-gauges`. */

import { nodeMeasures } from '../../cluster/nodes/node-measures.ts';
import { frameMeasures } from '../../gateway/frames/frame-measures.ts';
import type { Meter } from '../../runtime/meter.ts';
import { alertMeasures } from '../alerts/alert-measures.ts';
import { callbackMeasures } from '../callbacks/callback-measures.ts';
import { deliveryMeasures } from '../delivery-state/delivery-measures.ts';
import { homeMeasures } from '../home-assistant/home-measures.ts';
import { httpMeasures } from '../http/http-measures.ts';
import { renderMeasures } from '../rendering/render-measures.ts';
import { backupMeasures } from './backup-measures.ts';

export const measures = {
  ...httpMeasures,
  ...deliveryMeasures,
  ...renderMeasures,
  ...callbackMeasures,
  ...alertMeasures,
  ...frameMeasures,
  ...nodeMeasures,
  ...backupMeasures,
  ...homeMeasures,
} as const;

/** Takes everything that the service counts and times. */
export type ServiceMeter = Meter<typeof measures>;
