/** Types the queries of knex by the declared tables: a misspelt column does not compile. Tests read rows untyped. */

import type { nodesTables } from '../../../cluster/nodes/tables.ts';
import type { adoptionTables } from '../../../gateway/adoption/tables.ts';
import type { commandsTables } from '../../../gateway/commands/tables.ts';
import type { offlineTables } from '../../../gateway/dialects/offline/tables.ts';
import type { polledTables } from '../../../gateway/dialects/trmnl/tables.ts';
import type { firmwareTables } from '../../../gateway/firmware/tables.ts';
import type { eventDays } from '../../../gateway/frames/event-days.ts';
import type { presenceTables } from '../../../gateway/frames/presence-tables.ts';
import type { framesTables } from '../../../gateway/frames/tables.ts';
import type { picturesTables } from '../../../gateway/pictures/tables.ts';
import type { factsTables } from '../../../runtime/database/service-facts.ts';
import type { Table, Typed } from '../../../runtime/database/table.ts';
import type { filesTables } from '../../../runtime/files/tables.ts';
import type { alertsTables } from '../../alerts/tables.ts';
import type { auditTables } from '../../audit/tables.ts';
import type { callbacksTables } from '../../callbacks/tables.ts';
import type { deadlinesTables } from '../../deadlines/tables.ts';
import type { deliveryTables } from '../../delivery-state/tables.ts';
import type { devicesTables } from '../../devices/tables.ts';
import type { directoryTables } from '../../directory/tables.ts';
import type { pictureFilesTables } from '../../files/tables.ts';
import type { filledAlbumTables } from '../../filled-albums/tables.ts';
import type { integrationTables } from '../../integration/tables.ts';
import type { jobsTables } from '../../jobs/tables.ts';
import type { papersTables } from '../../papers/tables.ts';
import type { postTables } from '../../picture-post/tables.ts';
import type { plannedTables } from '../../planned-changes/tables.ts';
import type { recipesTables } from '../../recipes/data/tables.ts';
import type { recordTables } from '../../record/tables.ts';
import type { remotePictureTables } from '../../remote-pictures/tables.ts';
import type { levelTables } from '../../service-level/tables.ts';
import type { keysTables } from './share-keys.ts';

type Declared =
  | (typeof alertsTables)[number]
  | (typeof auditTables)[number]
  | (typeof callbacksTables)[number]
  | (typeof deadlinesTables)[number]
  | (typeof deliveryTables)[number]
  | (typeof devicesTables)[number]
  | (typeof directoryTables)[number]
  | (typeof pictureFilesTables)[number]
  | (typeof filledAlbumTables)[number]
  | (typeof integrationTables)[number]
  | (typeof jobsTables)[number]
  | (typeof papersTables)[number]
  | (typeof postTables)[number]
  | (typeof plannedTables)[number]
  | (typeof recipesTables)[number]
  | (typeof recordTables)[number]
  | (typeof levelTables)[number]
  | (typeof remotePictureTables)[number]
  | (typeof keysTables)[number]
  | (typeof adoptionTables)[number]
  | (typeof commandsTables)[number]
  | (typeof offlineTables)[number]
  | (typeof polledTables)[number]
  | (typeof firmwareTables)[number]
  | typeof eventDays
  | (typeof presenceTables)[number]
  | (typeof framesTables)[number]
  | (typeof picturesTables)[number]
  | (typeof filesTables)[number]
  | (typeof nodesTables)[number]
  | (typeof factsTables)[number];

type TablesOf<One extends Table> = { [Own in One as Own['name']]: Typed<Own> };

declare module 'knex/types/tables.js' {
  interface Tables extends TablesOf<Declared> {}
}
