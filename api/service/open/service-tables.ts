/** The tables of the service. */

import { nodeMigrations } from '../../../cluster/nodes/tables.ts';
import { gatewayTables } from '../../../gateway/gateway.ts';
import type { Migration } from '../../../runtime/database/migration.ts';
import { fileMigrations } from '../../../runtime/files/tables.ts';
import { alertMigrations } from '../../alerts/tables.ts';
import { auditMigrations } from '../../audit/tables.ts';
import { callbackMigrations } from '../../callbacks/tables.ts';
import { deadlineMigrations } from '../../deadlines/tables.ts';
import { deliveryMigrations } from '../../delivery-state/tables.ts';
import { deviceMigrations } from '../../devices/tables.ts';
import { directoryMigrations } from '../../directory/tables.ts';
import { pictureFileMigrations } from '../../files/tables.ts';
import { filledAlbumMigrations } from '../../filled-albums/tables.ts';
import { integrationMigrations } from '../../integration/tables.ts';
import { jobMigrations } from '../../jobs/tables.ts';
import { paperMigrations } from '../../papers/tables.ts';
import { postMigrations } from '../../picture-post/tables.ts';
import { plannedMigrations } from '../../planned-changes/tables.ts';
import { recipeMigrations } from '../../recipes/data/tables.ts';
import { recordMigrations } from '../../record/tables.ts';
import { remotePictureMigrations } from '../../remote-pictures/tables.ts';
import { levelMigrations } from '../../service-level/tables.ts';
import { keyMigrations } from './share-keys.ts';

/** Every table of the service. Each room lists its own; they are made in the order of this list. */
export const tables: readonly Migration[] = [
  ...gatewayTables,
  ...directoryMigrations,
  ...deviceMigrations,
  ...paperMigrations,
  ...integrationMigrations,
  ...recipeMigrations,
  ...remotePictureMigrations,
  ...filledAlbumMigrations,
  ...postMigrations,
  ...plannedMigrations,
  ...jobMigrations,
  ...deliveryMigrations,
  ...deadlineMigrations,
  ...callbackMigrations,
  ...auditMigrations,
  ...recordMigrations,
  ...levelMigrations,
  ...alertMigrations,
  ...nodeMigrations,
  ...fileMigrations,
  ...pictureFileMigrations,
  ...keyMigrations,
];
