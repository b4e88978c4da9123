/** Who sees the frame because it was chosen for them: read by members, changed by administrators. */
import { callApi } from '../../ground/call-api.ts';
import type { FleetDevice } from '../../ground/fleet.ts';
import { useResource } from '../../ground/resource.ts';
import { hrefOf } from '../../ground/router.ts';
import { mayManage } from '../../ground/session.ts';
import { useAreaVersion } from '../../ground/versions.ts';
import { t, tCode } from '../../ground/words.ts';
import { Card } from '../../parts/card.tsx';
import { letSee } from '../../parts/link-people.ts';

interface Seer {
  readonly userId: string;
  readonly name: string;
  readonly role: string;
  readonly sees: boolean;
  readonly isPatient: boolean;
}

/** Reads who sees the frame; for administrators, anyone who could see it too. */
async function readSeers({ id, organization }: FleetDevice, signal: AbortSignal): Promise<readonly Seer[]> {
  const viewers = await callApi('GET /devices/{deviceId}/viewers', { path: { deviceId: id }, signal });
  const seers = viewers.map((viewer) => ({ ...viewer, sees: true }));
  if (!mayManage.peek()) return seers;
  const lists = (['patient', 'onlyself'] as const).map((role) =>
    callApi('GET /users/', { query: { organization, role }, signal }),
  );
  const others = (await Promise.all(lists)).flat().filter((user) => viewers.every(({ userId }) => userId !== user.id));
  return [
    ...seers,
    ...others.map(({ id: userId, name, role }) => ({ userId, name, role, sees: false, isPatient: false })),
  ];
}

/** Draws the card. */
export const FrameViewers = ({ row }: { readonly row: FleetDevice }) => {
  const version = useAreaVersion('people', row.organization);
  const read = useResource((signal) => readSeers(row, signal), [row.id, row.patient, mayManage.value, version]);
  const seers = read.value ?? [];
  const choose = async ({ userId, name, sees, isPatient }: Seer): Promise<void> => {
    const thing = { kind: 'devices', id: row.id, name: row.name || t('frame.noName'), isPatient } as const;
    await letSee({ id: userId, name }, thing, !sees);
    await read.reload();
  };
  return (
    <Card id="frame-viewers" title={t('viewers.title')} of={read}>
      {read.value !== undefined && !seers.some(({ sees }) => sees) && <p>{t('viewers.nobody')}</p>}
      {seers.length > 0 && (
        <ul class="rows">
          {seers.map((seer) => (
            <li key={seer.userId}>
              {mayManage.value ? (
                <label class="check">
                  <input type="checkbox" checked={seer.sees} onChange={() => void choose(seer)} />
                  <span dir="auto">{seer.name}</span>
                </label>
              ) : (
                <span dir="auto">{seer.name}</span>
              )}
              <span class="note">{tCode('role', seer.role)}</span>
            </li>
          ))}
        </ul>
      )}
      <p class="note">{t('viewers.always')}</p>
      {mayManage.value && <a href={hrefOf(`people?frame=${row.id}`)}>{t('viewers.invite')}</a>}
    </Card>
  );
};
