/** The technical details: the road of the newest picture, events, curves, firmware, credentials. */
import { useSignal } from '@preact/signals';
import { mayWrite } from '../../ground/session.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { Facts } from '../../parts/frame-card.tsx';
import { onWall } from '../../parts/frame-words.ts';
import { AskFrame } from './actions.tsx';
import { FrameCredentials, RevokeCredentials } from './credentials.tsx';
import { FrameCurves } from './curves.tsx';
import { Dangers } from './dangers.tsx';
import { FrameEvents } from './events.tsx';
import { FirmwareCard } from './firmware.tsx';
import { type FrameKnown, isConnected } from './frame-state.ts';
import { Road } from './road.tsx';

/** Draws the page. */
export const TechnicalPage = ({ known, version }: { readonly known: FrameKnown; readonly version: number }) => {
  const { id, serial, kind, glass, lastSeenAt, simulated } = known.row;
  const timesRevoked = useSignal(0);
  const isKeyed = mayWrite.value && serial !== null && isConnected(serial) && !simulated;
  return (
    <>
      <div class="one-columns">
        <div>
          <Road id={id} version={version} />
          <FrameCurves id={id} wokeAt={lastSeenAt} />
          <FrameEvents id={id} version={version} />
        </div>
        <div>
          <Card id="state" title={t('one.state')}>
            <Facts device={known.row} />
            {glass !== null && <p class="note">{onWall(glass).proof}</p>}
            <p class="note">{[serial, kind].filter(Boolean).join(' · ')}</p>
          </Card>
          {mayWrite.value && <AskFrame row={known.row} />}
          <FirmwareCard known={known} />
          {isKeyed && <FrameCredentials key={timesRevoked.value} id={id} />}
        </div>
      </div>
      {isKeyed && (
        <Dangers>
          <RevokeCredentials
            id={id}
            serial={serial}
            revoked={() => {
              timesRevoked.value += 1;
            }}
          />
        </Dangers>
      )}
    </>
  );
};
