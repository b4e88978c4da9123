/** A house without frames: an invitation. */
import { hrefOf } from '../ground/router.ts';
import { mayWrite } from '../ground/session.ts';
import { t } from '../ground/words.ts';
import { WallDrawing } from '../parts/wall-drawing.tsx';
import { FirstSteps } from './steps/first-steps.tsx';

/** Draws the wall, what to do first, and the first steps. */
export const NoFrames = () => (
  <>
    <section class="invitation">
      <WallDrawing />
      <h1>{t(mayWrite.value ? 'frames.inviting' : 'frames.empty')}</h1>
      <p>{t(mayWrite.value ? 'frames.emptyHint' : 'frames.emptyForReader')}</p>
      {mayWrite.value && (
        <div class="actions">
          <a class="button primary" href={hrefOf('frames/add')}>
            {t('frames.add')}
          </a>
          <a class="button" href={hrefOf('frames/add?way=simulated')}>
            {t('add.way.simulated')}
          </a>
        </div>
      )}
    </section>
    <FirstSteps />
  </>
);
