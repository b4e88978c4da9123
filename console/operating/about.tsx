/** The page about the service: how long things are kept, how much that is on the disk, and which versions run. */
import { type AnswerOf, callApi } from '../ground/call-api.ts';
import { useResource } from '../ground/resource.ts';
import { relativeTime } from '../ground/times.ts';
import { t, tCode } from '../ground/words.ts';
import { Card } from '../parts/card.tsx';
import { Reading } from '../parts/states.tsx';
import { inBytes } from './amounts.ts';

type AboutShown = AnswerOf<'GET /service/about'>;
type NumbersShown = AnswerOf<'GET /service/history'>;

const storedKinds = ['database', 'files', 'pictures', 'firmware', 'free'] as const;
const versionKinds = ['papergate', 'node', 'database', 'schema', 'browser'] as const;

/** Draws both cards; `stored` is there for those who may read the numbers of the service. */
export const About = ({ stored }: { readonly stored: NumbersShown['stored'] | undefined }) => {
  const about = useResource<AboutShown>((signal) => callApi('GET /service/about', { signal }), []);
  if (about.value === undefined) return <Reading of={about} />;
  const { versions, retention, nodes, storage } = about.value;
  return (
    <>
      <Card id="kept" title={t('service.kept')} hint={t('service.keptHint')}>
        <dl class="pairs">
          {retention.map(({ what, days }) => (
            <Pair key={what} name={tCode('kept', what)} value={t('frame.days', { count: days })} />
          ))}
        </dl>
        <Storage storage={storage} />
        {stored !== undefined && (
          <>
            <h3>{t('service.sizes')}</h3>
            <dl class="pairs">
              {storedKinds.map((kind) => {
                const bytes = stored[kind];
                const value = bytes === null ? t('service.unknownSize') : inBytes(bytes);
                return <Pair key={kind} name={tCode('stored', kind)} value={value} />;
              })}
            </dl>
          </>
        )}
      </Card>
      <Card id="versions" title={t('service.versions')}>
        <dl class="pairs">
          {versionKinds.map((kind) => (
            <Pair key={kind} name={tCode('version', kind)} value={String(versions[kind] ?? t('service.noBrowser'))} />
          ))}
        </dl>
      </Card>
      {nodes.length > 0 && (
        <Card id="nodes" title={t('service.nodes')} hint={t('service.nodesHint')}>
          <dl class="pairs">
            {nodes.map(({ name, state, version, heartbeatAt }) => (
              <Pair
                key={name}
                name={name}
                value={t('service.node', { state: tCode('node', state), version, when: relativeTime(heartbeatAt) })}
              />
            ))}
          </dl>
        </Card>
      )}
    </>
  );
};

/** Draws the storage of each organization, with a word where that is nearly all that it may have. */
const Storage = ({ storage }: Pick<AboutShown, 'storage'>) => (
  <>
    {storage.flatMap(({ organizationId, name, isNearlyFull }) =>
      isNearlyFull ? (
        <p key={organizationId} class="warn" role="status">
          {t('service.storageFull', { name })}
        </p>
      ) : (
        []
      ),
    )}
    <dl class="pairs">
      {storage.map(({ organizationId, name, bytes, most }) => (
        <Pair
          key={organizationId}
          name={t('service.storage', { name })}
          value={
            most === null ? inBytes(bytes) : t('service.storageOf', { bytes: inBytes(bytes), most: inBytes(most) })
          }
        />
      ))}
    </dl>
  </>
);

const Pair = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);
