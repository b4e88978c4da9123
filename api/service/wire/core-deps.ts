/** The foundation of a core: rows, edges and settings. */
import type { Cluster } from '../../../cluster/cluster.ts';
import type { GatewayDeps } from '../../../gateway/gateway.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import type { DurableFolder } from '../../../runtime/disk/durable-folder.ts';
import type { Failpoint } from '../../../runtime/failpoint.ts';
import type { ReadCalendars } from '../../calendar/read-calendars.ts';
import type { OutboxDeps } from '../../callbacks/drain-outbox.ts';
import type { DeadlineDrainDeps } from '../../deadlines/drain-deadline-notices.ts';
import type { PageIsSeen } from '../../delivery/line-deps.ts';
import type { SourceOpener } from '../../filled-albums/source-kinds.ts';
import type { FollowDeps } from '../../outgoing/follow-redirects.ts';
import type { PostSetUp } from '../../picture-post/run-post.ts';
import type { SearchPublicRecipes } from '../../recipes/public-recipes.ts';
import type { ReadRecipe } from '../../recipes/recipe-papers.ts';
import type { Rendering } from '../../rendering/rendering.ts';
import type { IntegrationDeps } from '../../routes/integration/integration-deps.ts';
import type { ServiceMeter } from '../../status/measures.ts';
import type { ServiceKeys } from '../open/service-keys.ts';

/** The dependencies of the core: time, random numbers, storage, rendering, and the ways out and in. */
export interface CoreDeps extends CommonDeps {
  readonly keys: Pick<ServiceKeys, 'seal' | 'sign'>;
  readonly meter?: ServiceMeter | undefined;
  /** Normalized pictures, by digest. */
  readonly files: DurableFolder;
  /** The bytes that the files of one organization may have; undefined where there is no bound. */
  readonly organizationBytes?: number | undefined;
  readonly rendering: Pick<Rendering, 'renderPage' | 'renderDocument' | 'preparePicture' | 'workOnRecipe'>;
  readonly readCalendars: ReadCalendars;
  readonly readRecipe: ReadRecipe;
  /** The way to addresses that members chose, redirects followed. */
  readonly follow: FollowDeps;
  /** The folders of this machine that albums of an organization may be filled from; left out, none. */
  readonly pictureFoldersFor?: SourceOpener['foldersFor'];
  /** The mailbox and the bot for pictures; left out, none. */
  readonly post?: PostSetUp | undefined;
  /** Searches TRMNL's public list; left out where that is not allowed. */
  readonly searchPublicRecipes?: SearchPublicRecipes;
  /** How many claims of serials an organization may have open, and after how many days one ends. */
  readonly claims?: { readonly most: number; readonly days: number };
  /** Simulated frames, where the service may have any: how many, and what looks for new ones. */
  readonly simulated?: { readonly most: number; readonly nudge: () => void };
  readonly frames: Omit<
    GatewayDeps,
    | 'db'
    | 'clock'
    | 'random'
    | 'logger'
    | 'meter'
    | 'reported'
    | 'slept'
    | 'isBeingMade'
    | 'pictureLost'
    | 'kindNamed'
    | 'asksForKey'
    | 'cluster'
  >;
  readonly integration: Pick<
    IntegrationDeps,
    'settings' | 'limits' | 'normalizeImage' | 'fetchManifest' | 'readCatalogues'
  >;
  readonly send: OutboxDeps['send'];
  /** How messages about deadlines reach people; left out where none do. */
  readonly notices?: Pick<DeadlineDrainDeps, 'send' | 'sendMail'> | undefined;
  readonly at?: Failpoint | undefined;
  readonly pageIsSeen?: PageIsSeen | undefined;
  /** The clock is that of the cluster. */
  readonly cluster: Cluster;
  /** Base of signed picture addresses. */
  readonly publicUrl: () => string;
}
