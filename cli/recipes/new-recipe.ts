/** `papergate recipe new`: the files of a small recipe. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { printLine } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';

const files = (name: string): Readonly<Record<string, string>> => ({
  'settings.yml': `name: ${JSON.stringify(name)}
strategy: polling
# Liquid over the fields; an address in each line.
polling_url: https://api.example.com/v1/greeting?for={{ person | url_encode }}
refresh_interval: 60
custom_fields:
  - keyname: person
    field_type: string
    name: Person
    description: Who is greeted
    default: Ada
`,
  'full.liquid': `<div class="layout layout--col layout--center">
  <span class="value value--xxlarge">{{ greeting }}</span>
  <span class="label">{{ trmnl.plugin_settings.custom_fields_values.person }}</span>
</div>
<div class="title_bar">
  <span class="title">{{ trmnl.plugin_settings.instance_name }}</span>
</div>
`,
  'sample.json': `${JSON.stringify({ greeting: 'Good morning' }, undefined, 2)}\n`,
});

/**
 * Writes the files.
 * @throws WrongUsage for a folder that is there already
 */
export async function writeNewRecipe(folder: string): Promise<void> {
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST'
      ? new WrongUsage(`${folder} is there already`, 'name a folder that is not there yet')
      : new WrongUsage(`${folder} cannot be made (${error.code})`, 'name a folder in one that you may write');
  });
  for (const [name, text] of Object.entries(files(basename(folder)))) await writeFile(join(folder, name), text);
  printLine(`Three files are in ${folder}. Draw them: papergate recipe try ${folder}`);
}
