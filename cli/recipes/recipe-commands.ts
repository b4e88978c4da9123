/** The command `papergate recipe`, for those who write recipes. */
import type { Command } from 'commander';

const several = (one: string, all: readonly string[] = []): readonly string[] => [...all, one];

/** Adds `papergate recipe`. */
export function addRecipeCommands(program: Command): void {
  const recipe = program.command('recipe').description('write recipes: markup, fields and data of live content');
  recipe
    .command('new')
    .description('write the files of a small recipe to begin with')
    .argument('<folder>', 'a folder that is not there yet')
    .action(async (folder) => (await import('./new-recipe.ts')).writeNewRecipe(folder));
  recipe
    .command('check')
    .description(
      'check the files of a recipe, and make all of its pages from its sample; exit code 1 when one cannot be made',
    )
    .argument('<folder>', 'the folder with settings.yml')
    .option('--json', 'print JSON')
    .action(async (folder, options) => (await import('./try-recipe.ts')).checkRecipe(folder, options));
  recipe
    .command('try')
    .description('draw a recipe as a frame shows it, from its sample or from its addresses')
    .argument('<folder>', 'the folder with settings.yml')
    .option('--panel <name>', 'kind of the frame', 'epd7')
    .option('--orientation <how>', 'landscape or portrait', 'landscape')
    .option('--field <key=value>', 'the value of a field; may be given several times', several)
    .option('--language <tag>', 'the language of the page', 'en')
    .option('--time-zone <name>', 'the time zone of the page', 'UTC')
    .option('--at <time>', 'the time that it is on the page, for samples of that time; left out, it is now')
    .option('--live', 'ask its addresses instead of reading sample.json')
    .option('--out <file>', 'where the picture goes', 'recipe.png')
    .action(async (folder, options) => (await import('./try-recipe.ts')).tryRecipe(folder, options));
}
