/** The data folder, for commands that open it themselves. */
import { openContext, requireContext, type ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';

/**
 * Opens the data folder of this environment for one command.
 * @throws Refusal where there is none, unless it may be new
 */
export async function withContext<Result>(
  work: (context: ServiceContext) => Promise<Result>,
  age: 'exists' | 'may be new' = 'exists',
): Promise<Result> {
  const settings = readSettings(process.env);
  if (age === 'exists') requireContext(settings);
  const context = await openContext(settings);
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}
