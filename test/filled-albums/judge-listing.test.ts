/** Answers of a source, and what is removed for them. */
import * as assert from 'uvu/assert';
import {
  afterFault,
  type Doubt,
  isWithdrawn,
  judgeListing,
  listedAgainAt,
  type StandingFault,
  triedAgainAt,
} from '../../api/filled-albums/judge-listing.ts';
import { seededRandom } from '../../runtime/random.ts';
import { suite } from '../suite.ts';
