/** Papers are drawn where nothing outside is played: no source answers, and no recipe is worked on. */
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { noWayOut } from '../../api/outgoing/way-out.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { systemClock } from '../../runtime/clock.ts';
import { normalizePlayed } from '../http/played-pictures.ts';

const notChosen = async () => ({ ok: false, reason: reasonOf('recipe-not-chosen') }) as const;

/** Sources that never answer. */
export const nothingOutside = {
  readRecipe: notChosen,
  follow: { wayOut: noWayOut(systemClock), home: noHomeNetworks },
  normalizeImage: normalizePlayed,
};

/** Works on no recipe. */
export const workOnNone = notChosen;
