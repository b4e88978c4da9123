/** What the steps of the line are handed. */
import type { Orientation, Panel } from '../../firmware-protocol/panels.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database, Transaction } from '../../gateway/runtime/database.ts';
import type { Logger } from '../../gateway/runtime/logger.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Random } from '../../gateway/runtime/random.ts';

/** The picture of a paper's present content for one panel: ready to be stored and offered. */
export type RenderedPicture =
  | { readonly ok: true; readonly file: Uint8Array }
  | { readonly ok: false; readonly reason: string };

/** Which picture is wanted: all frames that need this very one share it. */
export interface WantedPicture {
  readonly paperId: string;
  /** The request's id for pushed content, else the paper's own word for what it shows. */
  readonly revision: string;
  /** Which change of the paper it is drawn from. */
  readonly edition: number;
  readonly panel: Panel;
  readonly orientation: Orientation;
  /** A frame this picture is for; pages are told its kind and serial. */
  readonly serial: string;
  /** The minute that a picture which changes by itself is for, epoch milliseconds; left out, it is for any time. */
  readonly at?: number;
  /** How often such a picture was made for this device before: slides go on with each (C-50). */
  readonly turn?: number;
  /** In place of the paper: why there is no picture of it. */
  readonly notice?: { readonly title: string; readonly text: string };
}

/** Edges of the delivery line. */
export interface LineEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly gateway: Pick<Gateway, 'storePicture' | 'keepPicture' | 'offerPicture' | 'announce' | 'evidence'>;
  readonly render: (wanted: WantedPicture) => Promise<RenderedPicture>;
  /** Whether a connection may still act: generation, revocation, membership, configuration (INV-30). */
  readonly authorized: (db: Database | Transaction, connectionId: string, generation: number) => Promise<boolean>;
  /** Callbacks were written: the outbox should look. */
  readonly announced: () => void;
}
