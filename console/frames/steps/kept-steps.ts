/**
 * The record of the first steps that is kept with the account: that they began, that they ended, and that nobody is to be
 * invited.
 */
import { callApi } from '../../ground/call-api.ts';

/** The record for one organization; everything else about the steps follows from what is there. */
export interface KeptSteps {
  readonly state?: 'begun' | 'ended';
  readonly alone?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

const asFields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const own = { path: { accountId: 'current' } } as const;

async function readMeta(): Promise<Fields> {
  return asFields((await callApi('GET /accounts/{accountId}', own)).meta);
}

/** Reads what is kept. */
export async function readSteps(organization: string): Promise<KeptSteps> {
  const { state, alone } = asFields(asFields((await readMeta()).firstSteps)[organization]);
  return { ...((state === 'begun' || state === 'ended') && { state }), ...(alone === true && { alone }) };
}

/** Keeps it besides whatever else the account's meta has. */
export async function keepSteps(organization: string, kept: KeptSteps): Promise<void> {
  const meta = await readMeta();
  const firstSteps = { ...asFields(meta.firstSteps), [organization]: kept };
  await callApi('PATCH /accounts/{accountId}', { ...own, body: { meta: { ...meta, firstSteps } } });
}
