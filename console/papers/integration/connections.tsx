/** Who is connected to a paper, and what they pushed. */

import { type AnswerOf, callApi } from '../../ground/call-api.ts';
import { type Resource, useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { saidText } from '../../ground/said.ts';
import { clockTime, fullTime } from '../../ground/times.ts';
import { isOfPaper, useVersion } from '../../ground/versions.ts';
import { t } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { confirmed } from '../../parts/forms/confirm.tsx';
import { act } from '../../parts/messages.tsx';

type ConnectionShown = AnswerOf<'GET /v1/integration-papers/papers/{paperId}/connections'>['connections'][number];

interface ConnectionsProps {
  readonly paperId: string;
}

type Shown = Resource<AnswerOf<'GET /v1/integration-papers/papers/{paperId}/connections'>>;

/** Counts up when a delivery of the paper moved on, or something else that belongs to it changed. */
export const useDeliveriesVersion = (paperId: string): number =>
  useVersion(
    (change) =>
      isOfPaper(change, paperId) ||
      (change.data.type === 'delivery' && (change.data.payload as { paper?: unknown } | undefined)?.paper === paperId),
    [paperId],
  );

/** Draws the connections; a paper without any says how one is made. */
export const Connections = ({ paperId }: ConnectionsProps) => {
  const version = useDeliveriesVersion(paperId);
  const read: Shown = useResource(
    (signal) => callApi('GET /v1/integration-papers/papers/{paperId}/connections', { path: { paperId }, signal }),
    [paperId, version],
  );
  return (
    <Card id="paper-connections" title={t('connection.title')} of={read}>
      {read.value?.connections.length === 0 && (
        <p class="note">
          {t('connection.none')} <a href={hrefOf(`papers/${paperId}/settings`)}>{t('integration.settings')}</a>
        </p>
      )}
      {read.value?.connections.map((connection) => (
        <Connection key={connection.connectionId} connection={connection} paperId={paperId} read={read} />
      ))}
    </Card>
  );
};

const Connection = ({
  connection,
  paperId,
  read,
}: ConnectionsProps & { readonly connection: ConnectionShown; readonly read: Shown }) => {
  const { name, user, state, isOwn, connectedAt, origin, requests, latest } = connection;
  const revoke = async (): Promise<void> => {
    const asked = {
      title: t('connection.revokeTitle', { name }),
      text: t('connection.revokeText'),
      yes: t('connection.revoke'),
    };
    if (!(await confirmed(asked))) return;
    const call = () => callApi('DELETE /v1/integration-papers/papers/{paperId}/connection', { path: { paperId } });
    await act(call, t('connection.revoked', { name }));
    await read.reload();
  };
  return (
    <div class="connection">
      <h3 dir="auto">{name}</h3>
      <p>
        <strong class={state === 'active' ? undefined : 'bad'}>{t(`connection.state.${state}`)}</strong>{' '}
        <span class="note" title={fullTime(connectedAt)}>
          {t('connection.by', { user: user || t('connection.left'), time: clockTime(connectedAt), origin })}
        </span>
      </p>
      {latest.deliveries.length > 0 && (
        <ul class="rows" aria-label={t('connection.deliveries')}>
          {latest.deliveries.map((delivery) => (
            <li key={delivery.deviceId}>
              <a href={hrefOf(`frames/${delivery.deviceId}`)}>{delivery.frameName || t('frame.noName')}</a>
              <span>
                {delivery.state === 'synced' && delivery.evidence?.missing !== undefined
                  ? t('delivery.awaitedAnew')
                  : t(`delivery.${delivery.state}`)}
              </span>
              <span class="note" title={fullTime(delivery.since)}>
                {clockTime(delivery.since)}
              </span>
              {delivery.reason !== undefined && <span class="note">{saidText(delivery.reasons, delivery.reason)}</span>}
            </li>
          ))}
        </ul>
      )}
      {requests.length === 0 ? <p class="note">{t('connection.noRequests')}</p> : <Requests requests={requests} />}
      {isOwn && state !== 'revoked' && (
        <div class="actions">
          <button type="button" class="danger" onClick={() => void revoke()}>
            {t('connection.revoke')}
          </button>
        </div>
      )}
    </div>
  );
};

const Requests = ({ requests }: Pick<ConnectionShown, 'requests'>) => (
  <details class="events">
    <summary>{t('connection.requests', { count: requests.length })}</summary>
    <table>
      <thead>
        <tr>
          <th scope="col">{t('connection.at')}</th>
          <th scope="col">{t('connection.message')}</th>
          <th scope="col">{t('connection.what')}</th>
          <th scope="col">{t('connection.stateColumn')}</th>
        </tr>
      </thead>
      <tbody>
        {requests.map(({ requestId, messageId, state, createdAt, hasText, hasPicture }) => (
          <tr key={requestId}>
            <td title={fullTime(createdAt)}>{clockTime(createdAt)}</td>
            <td>{messageId}</td>
            <td>
              {[hasText ? t('connection.text') : '', hasPicture ? t('connection.picture') : '']
                .filter(Boolean)
                .join(', ')}
            </td>
            <td>{t(`request.${state}`)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
);
