import { basename } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printJson, printTable, toSize, type Column } from '../../../kernel/commands/print.ts';
import { curatedModels, sizeOf, type CuratedModel } from '../curated/list.ts';
import { pullModel, toPlan, type PulledModel, type PullPlan } from '../curated/pull-model.ts';
import { openHub, PullError, toHubAccess, type Hub } from '../hub.ts';
import { modelsFolder } from '../installed/find.ts';
import { inspect } from '../installed/inspect.ts';
import type { ModelsContext } from '../open-server-models.ts';
import { parseReference } from '../pull.ts';
import { createByteProgress } from './byte-progress.ts';

interface PullValues {
  readonly json: boolean;
  readonly 'accept-licence': boolean;
}

/** `nestor models pull`: a model of the list, or of any repository of the Hub, into the folder `models`. */
export async function pullByName(
  config: Config,
  reference: string,
  { json: isJson, 'accept-licence': isAccepted }: PullValues,
  context: ModelsContext,
): Promise<number> {
  const { out, err, signal, clock, findAdapter } = context;
  const curated = curatedModels.find(({ name }) => name === reference);
  if (curated === undefined && !reference.includes('/')) throw toUnknown(reference);
  if (curated !== undefined) err.write(`${describeCurated(curated)}\n`);
  if (curated !== undefined && curated.licence.conditions !== null && !isAccepted)
    throw new UsageError(`The licence of ${curated.name} has conditions: --accept-licence accepts them.`);
  const hub = openHub(toHubAccess(context.hub));
  const progress = createByteProgress(err, clock);
  try {
    const plan = curated === undefined ? await planOf(reference, hub, signal) : toPlan(curated);
    if (plan === null) return await suggestFiles(hub, parseReference(reference).repository, context);
    const pulled = await pullModel(hub, {
      plan,
      folder: modelsFolder(config.dataFolder),
      check: async (model) => (await inspect(model, findAdapter, signal)).problem,
      signal,
      onProgress: progress.update,
      onRetry: (reason) => progress.note(`${reason} Trying again.`),
    });
    progress.finish();
    if (isJson) printJson(out, toJson(pulled));
    else out.write(`${describe(pulled)}\n`);
    return exitCodes.done;
  } catch (error) {
    progress.finish();
    if (signal.aborted) {
      err.write('nestor: stopped; what came is kept, and the same command continues it.\n');
      return exitCodes.interrupted;
    }
    if (!(error instanceof PullError) && !isFileError(error)) throw error;
    err.write(`nestor: ${error.message}\n`);
    return exitCodes.failed;
  } finally {
    await hub.close();
  }
}

function toUnknown(name: string): UsageError {
  const names = curatedModels.map((model) => model.name).join(', ');
  return new UsageError(`Nothing is known as "${name}": there are ${names}, and OWNER/REPO/FILE.gguf.`);
}

/** What describes a model in ONNX form. */
const settings: ReadonlySet<string> = new Set([
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'modules.json',
  '1_Pooling/config.json',
  'config_sentence_transformers.json',
  'README.md',
  'LICENSE',
]);

/** Null where the reference names no model. */
async function planOf(reference: string, hub: Hub, signal: AbortSignal): Promise<PullPlan | null> {
  const { file, repository, revision } = parseReference(reference);
  const plan = { repository, revision, licence: null };
  if (file.endsWith('.gguf')) return { ...plan, name: basename(file), files: [toFile(file)] };
  if (!file.endsWith('.onnx')) return null;
  const names = await hub.list(repository, signal);
  // Weights of more than 2 GB lie beside their graph.
  const files = names.filter((name) => settings.has(name) || name === file || name === `${file}_data`);
  return { ...plan, name: basename(repository), files: files.map(toFile) };
}

const toFile = (file: string) => ({ file, size: null, sha256: null });

async function suggestFiles(hub: Hub, repository: string, { err, signal }: ModelsContext): Promise<number> {
  const files = (await hub.list(repository, signal)).filter((name) => /\.(?:gguf|onnx)$/.test(name));
  const listed = files.map((file) => `\n  nestor models pull ${repository}/${file}`).join('');
  const found = files.length === 0 ? ' The Hub lists none in this repository.' : ` It has these:${listed}`;
  err.write(`nestor: name a .gguf or .onnx file of ${repository}.${found}\n`);
  return exitCodes.usage;
}

/** What a person should know before a download. */
function describeCurated({
  name,
  about,
  repository,
  revision,
  files,
  licence,
  engine,
}: CuratedModel): string {
  const known = files.filter(({ sha256 }) => sha256 !== null).length;
  const rest = known === files.length ? '' : `; those of the others are written down by the first pull`;
  return [
    `${name}: ${about}`,
    `  source      ${repository} at ${revision.slice(0, 12)}`,
    `  size        ${toSize(sizeOf({ files }))}`,
    `  checksums   of ${known} of ${files.length} ${files.length === 1 ? 'file' : 'files'} known here${rest}`,
    `  licence     ${licence.id}, ${licence.url}`,
    ...(licence.conditions === null ? [] : [`  conditions  ${licence.conditions}`]),
    `  asked by    the engine ${engine}`,
  ].join('\n');
}

const columns: readonly Column<CuratedModel>[] = [
  { heading: 'NAME', of: ({ name }) => name },
  { heading: 'SIZE', isNumber: true, of: (model) => toSize(sizeOf(model)) },
  { heading: 'ENGINE', of: ({ engine }) => engine },
  {
    heading: 'LICENCE',
    of: ({ licence }) => `${licence.id}${licence.conditions === null ? '' : ' (conditions)'}`,
  },
  { heading: 'SOURCE', of: ({ repository }) => repository },
  { heading: 'WHAT', of: ({ about }) => about },
];

/** `nestor models list --known`. */
export function listKnown(isJson: boolean, { out }: ModelsContext): number {
  if (isJson)
    printJson(
      out,
      curatedModels.map((model) => ({ ...model, sizeBytes: sizeOf(model) })),
    );
  else printTable(out, curatedModels, columns);
  return exitCodes.done;
}

function toJson({ unverified, files, ...pulled }: PulledModel): object {
  const [only] = files;
  const sha256 = files.length === 1 ? (only?.sha256 ?? null) : null;
  return { ...pulled, sha256, isVerified: unverified.length === 0, files };
}

function describe({ path, size, files, unverified, wasThere }: PulledModel): string {
  const was = wasThere ? 'was there already, ' : '';
  const [only] = files;
  if (files.length !== 1 || only === undefined) {
    const except = unverified.length === 0 ? '' : `, except of ${unverified.join(', ')}: none is known`;
    return [
      `${path}: ${toSize(size)}, ${was}checksums verified${except}`,
      `To decide with it: decisions: { engine: onnx, path: ${JSON.stringify(path)} }; embeddings take the same keys.`,
    ].join('\n');
  }
  const checked = unverified.length === 0 ? 'checksum verified' : 'the Hub has no checksum to compare with';
  return [
    `${path}: ${toSize(size)}, ${was}${checked} (sha256 ${only.sha256})`,
    'A server without `providers` in its configuration offers it at its next start. To name it yourself:',
    `providers: [{ name: home, type: local, path: ${JSON.stringify(path)} }]`,
  ].join('\n');
}

/** A full disk, a folder that may not be written to. */
function isFileError(error: unknown): error is Error {
  return error instanceof Error && typeof Reflect.get(error, 'syscall') === 'string';
}
