/** Lets another device of one's own in: it opens a code from this screen, and the number that it shows is chosen here. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { t } from '../ground/words.ts';
import { browserWords } from '../parts/browser-words.ts';
import { Card } from '../parts/card.tsx';
import { act, say } from '../parts/messages.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { ReachWarning } from '../parts/reach.tsx';
import { accountChanges } from './account-version.ts';

type Begun = AnswerOf<'POST /sessions/pairings/'>;
type Pairing = AnswerOf<'GET /sessions/pairings/{pairingId}'>;

const lookEveryMs = 1_500;

/** Draws the section. */
export const LetDeviceIn = () => {
  const begun = useSignal<Begun | undefined>(undefined);
  const begin = (): Promise<boolean> =>
    act(async () => {
      begun.value = await callApi('POST /sessions/pairings/');
    });
  return (
    <Card id="let-in" title={t('letIn.title')} hint={t('letIn.intro')}>
      {begun.value === undefined ? (
        <button type="button" onClick={() => void begin()}>
          {t('letIn.begin')}
        </button>
      ) : (
        <Following
          key={begun.value.id}
          begun={begun.value}
          again={() => void begin()}
          close={() => {
            begun.value = undefined;
          }}
        />
      )}
    </Card>
  );
};

const Following = ({
  begun,
  again,
  close,
}: {
  readonly begun: Begun;
  readonly again: () => void;
  readonly close: () => void;
}) => {
  const path = { pairingId: begun.id };
  const pairing = useSignal<Pairing>(begun);
  const { state, browser, choices } = pairing.value;
  const isOver = state === 'done' || state === 'refused';
  const look = async (): Promise<void> => {
    pairing.value = await callApi('GET /sessions/pairings/{pairingId}', { path });
  };
  useEffect(() => {
    // Anyone who was let in stands among the sessions now.
    if (state === 'done') accountChanges.value += 1;
    if (isOver) return undefined;
    // If a poll fails, the next one makes up for it.
    const timer = setInterval(() => void look().catch(() => undefined), lookEveryMs);
    return () => clearInterval(timer);
  }, [isOver]);
  const choose = (number: number): Promise<boolean> =>
    act(async () => {
      await callApi('POST /sessions/pairings/{pairingId}/confirm', { path, body: { number } });
      await look();
    });
  const cancel = async (): Promise<void> => {
    if (!isOver) await act(() => callApi('DELETE /sessions/pairings/{pairingId}', { path }), t('letIn.cancelled'));
    close();
  };
  return (
    <>
      {state === 'open' && <Code url={begun.url} />}
      {state === 'scanned' && (
        <fieldset class="choose-number">
          <legend>{t('letIn.which')}</legend>
          <p class="note">{t('letIn.opened', { browser: browserWords(browser) })}</p>
          <div class="actions">
            {choices.map((number) => (
              <button key={number} type="button" class="number-choice" onClick={() => void choose(number)}>
                {number}
              </button>
            ))}
          </div>
          <button type="button" onClick={() => void cancel()}>
            {t('letIn.none')}
          </button>
        </fieldset>
      )}
      {state !== 'open' && state !== 'scanned' && <p role="status">{t(`letIn.${state}`)}</p>}
      <div class="actions">
        {state === 'refused' && (
          <button type="button" onClick={again}>
            {t('letIn.again')}
          </button>
        )}
        {state !== 'scanned' && (
          <button type="button" onClick={() => void cancel()}>
            {t(isOver ? 'letIn.close' : 'state.cancel')}
          </button>
        )}
      </div>
    </>
  );
};

const Code = ({ url }: { readonly url: string }) => {
  const copy = (): Promise<void> => navigator.clipboard.writeText(url).then(() => say(t('state.copied')));
  return (
    <>
      <ReachWarning address={url} whom="people" />
      <p>{t('letIn.scan')}</p>
      <QrCode url={url} label={t('letIn.code')} />
      {/* Over plain http, as in many homes, browsers give pages no clipboard. */}
      {navigator.clipboard !== undefined && (
        <button type="button" class="plain" onClick={() => void copy()}>
          {t('letIn.copy')}
        </button>
      )}
    </>
  );
};
