import { resolve } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { confirm } from '../../../kernel/commands/confirm.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printRecords, printResult, toSize, type Column } from '../../../kernel/commands/print.ts';
import { createByteProgress } from './byte-progress.ts';
import { findInstalled, isNamed, type InstalledModel } from '../installed/find.ts';
import { importModel, ImportProblem } from '../installed/import.ts';
import type { Inspected } from '../installed/inspect.ts';
import { createLister, type ListedModel } from '../installed/list.ts';
import { removeModel } from '../installed/staging.ts';
import { findUses, isUseOf } from '../installed/uses.ts';
import type { ModelsContext } from '../open-server-models.ts';

const columns: readonly Column<ListedModel>[] = [
  { heading: 'NAME', of: ({ name }) => name },
  { heading: 'FORM', of: ({ form }) => form.toUpperCase() },
  { heading: 'WHAT', of: (model) => toWords(model) },
  { heading: 'SIZE', isNumber: true, of: ({ sizeBytes }) => toSize(sizeBytes) },
  { heading: 'LICENCE', of: ({ licence }) => licence },
  { heading: 'USED BY', of: ({ usedBy }) => usedBy.join(', ') || '-' },
];

/** What a model does, or why it cannot. */
function toWords({ does, decidesWith, problem }: Inspected): string {
  if (problem !== null) return problem;
  return does.map((one) => (one === 'decides' ? `decides (${decidesWith})` : one)).join(', ');
}

/** `nestor models list --files`: what lies in the data folder. */
export async function listFiles(config: Config, isJson: boolean, context: ModelsContext): Promise<number> {
  printRecords(context.out, await createLister(config, context.findAdapter)(), columns, isJson);
  return exitCodes.done;
}

/** The model of this name in the data folder. Throws UsageError. */
async function takeInstalled({ dataFolder }: Config, name: string): Promise<InstalledModel> {
  const all = await findInstalled(dataFolder);
  const found = all.find((model) => isNamed(model, name));
  if (found !== undefined) return found;
  const names = all.map((model) => model.name).join(', ');
  throw new UsageError(
    `No model "${name}" lies in ${dataFolder}; there ${names === '' ? 'is none' : `are ${names}`}.`,
  );
}

interface RemoveValues {
  readonly json: boolean;
  readonly yes: boolean;
  readonly force: boolean;
}

/** `nestor models rm`. */
export async function removeFiles(
  config: Config,
  name: string,
  { json, yes, force }: RemoveValues,
  context: ModelsContext,
): Promise<number> {
  const model = await takeInstalled(config, name);
  const uses = (await findUses(config)).filter(isUseOf(model.path));
  const named = uses.filter(({ isNamed }) => isNamed).map(({ key }) => key);
  if (named.length > 0 && !force)
    throw new UsageError(`${model.name} is what ${named.join(', ')} names; --force removes it all the same.`);
  const size = toSize(model.sizeBytes);
  if (!yes && !(await confirm(`Remove ${model.path} (${size})?`, context)))
    throw new UsageError(`${model.name} was not removed; --yes removes it unasked.`);
  await removeModel(model);
  const { path, sizeBytes } = model;
  printResult(
    context.out,
    { name: model.name, path, sizeBytes, removed: true },
    `${path} removed: ${size}`,
    json,
  );
  return exitCodes.done;
}

interface ImportValues {
  readonly json: boolean;
  readonly name?: string | undefined;
  readonly link: boolean;
}

/** `nestor models import`. */
export async function importFiles(
  config: Config,
  source: string,
  { json, name, link: isLinked }: ImportValues,
  context: ModelsContext,
): Promise<number> {
  const { cwd, out, err, clock, signal, findAdapter } = context;
  const { dataFolder } = config;
  const progress = createByteProgress(err, clock);
  try {
    const imported = await importModel({
      source: resolve(cwd, source),
      name: name ?? null,
      dataFolder,
      isLinked,
      findAdapter,
      signal,
      onCopied: progress.update,
    });
    progress.finish();
    const { path, sizeBytes } = imported;
    printResult(out, imported, `${path}: ${toSize(sizeBytes)}, ${toWords(imported)}`, json);
    return exitCodes.done;
  } catch (error) {
    progress.finish();
    if (signal.aborted) return exitCodes.interrupted;
    const isFileError = error instanceof Error && typeof Reflect.get(error, 'syscall') === 'string';
    if (!(error instanceof ImportProblem) && !isFileError) throw error;
    err.write(`nestor: ${error.message}\n`);
    return exitCodes.failed;
  }
}
