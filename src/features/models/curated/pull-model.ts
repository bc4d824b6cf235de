import { mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { PullError, type Hub } from '../hub.ts';
import type { InstalledModel } from '../installed/find.ts';
import { readRecord, writeRecord, type ModelRecord, type RecordedFile } from '../installed/record.ts';
import { isAnother, pull, type PullRequest } from '../pull.ts';
import type { CuratedFile, CuratedModel } from './list.ts';

/** What is pulled: a curated model, or files of any repository. */
export type PullPlan = Pick<CuratedModel, 'name' | 'repository' | 'revision' | 'files' | 'adds'> & {
  /** Null where it is not known before the pull. */
  readonly licence: string | null;
};

export const toPlan = ({ licence, ...model }: CuratedModel): PullPlan => ({ ...model, licence: licence.id });

export interface ModelPull extends Pick<PullRequest, 'signal' | 'onRetry' | 'onProgress' | 'retryMs'> {
  readonly plan: PullPlan;
  /** The folder of models. */
  readonly folder: string;
  /** Why the model cannot be used; null when it can. */
  readonly check: (model: InstalledModel) => Promise<string | null>;
}

export interface PulledModel extends ModelRecord {
  readonly path: string;
  /** Unit: bytes. */
  readonly size: number;
  /** Files that no checksum is known of, neither here nor at the Hub. */
  readonly unverified: readonly string[];
  readonly wasThere: boolean;
}

/**
 * Downloads a model: a GGUF file into the folder, or the files of one in ONNX form into a folder of their own, which gets
 * its name when all of them are there and the model can be opened. What came is kept and continued. A record of every
 * file and its checksum is written beside it. Throws PullError.
 */
export async function pullModel(hub: Hub, request: ModelPull): Promise<PulledModel> {
  const { plan, folder, check } = request;
  const [first] = plan.files;
  if (first === undefined) throw new PullError(`${plan.repository} has none of the files of a model.`);
  if (first.file.endsWith('.gguf')) {
    const path = join(folder, basename(first.file));
    const record = await readRecord({ path, form: 'gguf' });
    // An earlier state of the same file may go; repositories give one name to many files.
    const mayReplace = record !== null && isOf(plan, record) && record.files.some(isNamed(first));
    const pulled = await pullFiles(hub, { ...request, mayReplace }, () => folder);
    await writeRecord({ path, form: 'gguf' }, pulled);
    return { ...pulled, path };
  }
  const path = join(folder, plan.name);
  const before = await findComplete(path, plan);
  if (before !== null) return { ...before, path };
  // Nothing looks for models in it, and the next attempt continues it.
  const coming = join(folder, '.pulling', plan.name);
  const pulled = await pullFiles(hub, request, (file) => join(coming, dirname(file)));
  for (const [name, content] of Object.entries(plan.adds ?? {}))
    await writeFile(join(coming, name), `${JSON.stringify(content, null, 2)}\n`);
  const model: InstalledModel = { name: plan.name, path: coming, form: 'onnx', sizeBytes: pulled.size };
  const problem = await check(model);
  if (problem !== null) {
    await rm(coming, { recursive: true });
    await rmdir(dirname(coming)).catch(() => {});
    throw new PullError(`${plan.repository} was downloaded and cannot be used: ${problem}`);
  }
  await writeRecord(model, pulled);
  await rename(coming, path);
  // Others may be coming.
  await rmdir(dirname(coming)).catch(() => {});
  return { ...pulled, path };
}

type Pulled = Omit<PulledModel, 'path'>;

async function pullFiles(
  hub: Hub,
  { plan, onProgress, ...request }: ModelPull & Pick<PullRequest, 'mayReplace'>,
  folderOf: (file: string) => string,
): Promise<Pulled> {
  const { repository, revision, files, licence } = plan;
  const total = files.every(({ size }) => size !== null)
    ? files.reduce((sum, { size }) => sum + (size ?? 0), 0)
    : null;
  const recorded: RecordedFile[] = [];
  const unverified: string[] = [];
  let [wasThere, done] = [true, 0];
  for (const { file, size, sha256 } of files) {
    const folder = folderOf(file);
    await mkdir(folder, { recursive: true });
    const before = done;
    const pulled = await pull(hub, {
      ...request,
      file: { repository, revision, file },
      folder,
      expected: { size, sha256 },
      onProgress: (read, whole) => onProgress(before + read, files.length === 1 ? whole : total),
    });
    done += pulled.size;
    if (!pulled.isVerified) unverified.push(file);
    wasThere &&= pulled.wasThere;
    recorded.push({ file, size: pulled.size, sha256: pulled.sha256 });
  }
  return { source: `${repository}@${revision}`, licence, files: recorded, size: done, unverified, wasThere };
}

/** The model of an earlier pull, if all its files are there. Throws PullError where another one has its name. */
async function findComplete(path: string, plan: PullPlan): Promise<Pulled | null> {
  if ((await stat(path).catch(() => null)) === null) return null;
  const record = await readRecord({ path, form: 'onnx' });
  if (record === null || !(await isWhole(path, plan, record))) throw new PullError(isAnother(path));
  const size = record.files.reduce((sum, file) => sum + file.size, 0);
  return { ...record, size, unverified: [], wasThere: true };
}

const isOf = ({ repository }: PullPlan, { source }: ModelRecord): boolean =>
  source.startsWith(`${repository}@`);

const isNamed =
  ({ file }: CuratedFile) =>
  (recorded: RecordedFile): boolean =>
    recorded.file === file;

async function isWhole(path: string, plan: PullPlan, record: ModelRecord): Promise<boolean> {
  if (!isOf(plan, record) || !plan.files.every(isIn(record.files))) return false;
  const sizes = await Promise.all(
    record.files.map(({ file }) =>
      stat(join(path, file)).then(
        (found) => found.size,
        () => null,
      ),
    ),
  );
  return record.files.every(({ size }, index) => sizes[index] === size);
}

const isIn =
  (recorded: readonly RecordedFile[]) =>
  ({ file, sha256 }: CuratedFile): boolean =>
    recorded.some((one) => one.file === file && (sha256 === null || one.sha256 === sha256));
