import { constants } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, realpath, rename, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { lackOfSpace } from '../pull.ts';
import { readModelFolder } from '../onnx/model-folder.ts';
import { OnnxProblem } from '../onnx/problem.ts';
import { GgufProblem, readGgufHeader } from '../providers/local/gguf.ts';
import { kindOf, probeFile } from '../providers/local/probe-file.ts';
import { LocalModelProblem } from '../providers/local/engine.ts';
import { modelsFolder, type InstalledModel } from './find.ts';
import { inspect, type FindAdapter, type Inspected } from './inspect.ts';
import { withStaging } from './staging.ts';

/** Why a model cannot be taken in, in one line for a person. */
export class ImportProblem extends Error {
  override readonly name = 'ImportProblem';
}

export interface ImportRequest {
  /** A GGUF file, a graph in ONNX form, or a folder with one of them. */
  readonly source: string;
  /** Name in the folder of models; that of the source where it is null. */
  readonly name: string | null;
  readonly dataFolder: string;
  /** Links files in place of copying them: they must not change afterwards. */
  readonly isLinked: boolean;
  readonly findAdapter: FindAdapter;
  readonly signal: AbortSignal;
  /** Hears how much of all files was copied, a few times a second. */
  readonly onCopied?: (bytes: number, total: number) => void;
}

export interface Imported extends InstalledModel, Inspected {}

/** Files to take in: where each lies, and where it goes below the model. */
interface Plan {
  readonly form: 'gguf' | 'onnx';
  readonly name: string;
  /** Empty for a single file. */
  readonly files: readonly { readonly from: string; readonly to: string; readonly size: number }[];
}

/**
 * Copies a model into the folder of models and opens the copy in a child process. It gets its name only when that worked;
 * otherwise nothing is left. Throws ImportProblem.
 */
export async function importModel(request: ImportRequest): Promise<Imported> {
  const plan = await planOf(request.source).catch(toProblem(request.source, request.source));
  const name = request.name ?? plan.name;
  const isSafe = /^[\w-][\w.-]{0,127}$/.test(name) && (plan.form === 'gguf') === name.endsWith('.gguf');
  if (!isSafe) throw new ImportProblem(`"${name}" is no name for ${toWords[plan.form]}`);
  const path = join(modelsFolder(request.dataFolder), name);
  if ((await stat(path).catch(() => null)) !== null)
    throw new ImportProblem(`${path} is there already; nestor models rm ${name} removes it`);
  const sizeBytes = plan.files.reduce((sum, { size }) => sum + size, 0);
  return withStaging(path, async (folder) => {
    const lack = request.isLinked ? null : await lackOfSpace(folder, sizeBytes);
    if (lack !== null) throw new ImportProblem(`the disk has ${lack}`);
    const staged = join(folder, name);
    await take(plan, staged, request);
    const model = { name, path: staged, form: plan.form, sizeBytes };
    const inspected = await tryOut(model, request).catch(toProblem(request.source, staged));
    request.signal.throwIfAborted();
    await rename(staged, path);
    return { ...model, path, ...inspected };
  });
}

const toWords = { gguf: 'a GGUF file, which ends in .gguf', onnx: 'a folder of a model' } as const;

async function tryOut(model: InstalledModel, { findAdapter, signal }: ImportRequest): Promise<Inspected> {
  const inspected = await inspect(model, findAdapter, signal);
  if (inspected.problem !== null) throw new ImportProblem(inspected.problem);
  if (model.form === 'gguf') await probeFile(model.path, signal);
  return inspected;
}

async function planOf(source: string): Promise<Plan> {
  const found = await stat(source).catch(() => null);
  if (found === null) throw new ImportProblem('there is no such file or folder');
  const files = found.isDirectory() ? await readdir(source) : [];
  const ggufs = files.filter((name) => name.endsWith('.gguf'));
  if (ggufs.length > 1)
    throw new ImportProblem(`it holds several models (${ggufs.join(', ')}); name the file`);
  const [gguf = extname(source) === '.gguf' ? '' : undefined] = ggufs;
  if (gguf === undefined) return planOfGraph(source);
  const from = join(source, gguf);
  kindOf(await readGgufHeader(from));
  return { form: 'gguf', name: basename(from), files: [{ from, to: '', size: (await stat(from)).size }] };
}

async function planOfGraph(source: string): Promise<Plan> {
  const { folder, path: graph, scorer } = await readModelFolder(source);
  // Who names one graph of several wants that one.
  const isOther = (path: string) =>
    extname(source) === '.onnx' && /\.onnx/.test(path) && !path.startsWith(graph) && path !== scorer;
  const files = (await filesBelow(folder)).filter(({ from }) => !isOther(from));
  return { form: 'onnx', name: basename(resolve(folder)), files };
}

/** Weights for other runtimes, which lie in the same repositories. */
const forOthers =
  /^(?:model.*\.safetensors(?:\.index\.json)?|(?:pytorch|tf|flax)_model.*|rust_model\.ot|coreml|openvino)$/;

async function filesBelow(folder: string, below = folder): Promise<Plan['files']> {
  const files: Plan['files'][number][] = [];
  for (const name of await readdir(below)) {
    if (name.startsWith('.') || forOthers.test(name)) continue;
    const from = join(below, name);
    // What a link leads to is taken: in the cache of the Hub, files are links.
    const found = await stat(from);
    if (found.isDirectory()) files.push(...(await filesBelow(folder, from)));
    else if (found.isFile()) files.push({ from, to: relative(folder, from), size: found.size });
  }
  return files;
}

async function take(
  { files }: Plan,
  target: string,
  { isLinked, signal, onCopied }: ImportRequest,
): Promise<void> {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let copied = 0;
  for (const { from, to, size } of files) {
    signal.throwIfAborted();
    const at = join(target, to);
    await mkdir(dirname(at), { recursive: true });
    if (isLinked) await link(await realpath(from), at);
    else await copy(from, at, (bytes) => onCopied?.(copied + bytes, total));
    copied += size;
  }
}

const lookMs = 200;

/** The system copies, and does not say how far it is: the size of the copy does. */
async function copy(from: string, to: string, onCopied: (bytes: number) => void): Promise<void> {
  const looking = setInterval(() => {
    void stat(to).then(
      ({ size }) => onCopied(size),
      () => {},
    );
  }, lookMs);
  try {
    // Takes no space where the file system can share it.
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await sync(to);
  } finally {
    clearInterval(looking);
  }
}

/** The name that it gets lasts; so must what is in it. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Says what is wrong with the source, whichever copy of it was looked at. */
function toProblem(source: string, looked: string): (error: unknown) => never {
  return (error) => {
    const isKnown = [OnnxProblem, GgufProblem, LocalModelProblem, ImportProblem].some(
      (known) => error instanceof known,
    );
    if (!isKnown || !(error instanceof Error)) throw error;
    const reason = error.message.replaceAll(looked, source);
    throw new ImportProblem(reason.startsWith(source) ? reason : `${source}: ${reason}`, { cause: error });
  };
}
