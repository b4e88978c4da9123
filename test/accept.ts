/** Accepts generated files as they come out now: `node --import tsx test/accept.ts protocol`. */
import './runner/own-node.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consolePictures } from './console/documented-pictures.ts';
import { architectureFiles } from './documents/architecture.ts';
import { protocolFiles, root } from './firmware-protocol/generated-files.ts';
import { panelVectorFiles } from './firmware-protocol/panel-vectors.ts';
import { apiFiles } from './http/api-files.ts';
import { recipePictures } from './recipes/recipe-pictures.ts';
import { loopFiles } from './rendering/compiled-loops.ts';
import { schemaFiles } from './schemas/dump-schema.ts';
import { folderFiles } from './schemas/former-folder.ts';
import { simulationFiles } from './simulation/found-bugs.ts';
import { keptFiles } from './simulation/kept-seeds.ts';

type Files = readonly (readonly [path: string, content: string | Buffer])[];

const subjects: Readonly<Record<string, () => Files | Promise<Files>>> = {
  protocol: protocolFiles,
  panels: panelVectorFiles,
  architecture: architectureFiles,
  api: apiFiles,
  loops: loopFiles,
  schema: schemaFiles,
  // A second argument is the command of another release, a third that release's name.
  folder: () => folderFiles(...process.argv.slice(3)),
  console: consolePictures,
  recipes: () => recipePictures(),
  'kept-seeds': keptFiles,
  // A second argument bounds the seeds for each bug.
  simulation: () => simulationFiles(process.argv[3] === undefined ? undefined : Number(process.argv[3])),
};

const generate = subjects[process.argv[2] ?? ''];
if (generate === undefined) {
  console.error(`what is to be accepted? ${Object.keys(subjects).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const [path, content] of await generate()) {
    writeFileSync(join(root, path), content);
    console.log(path);
  }
}
