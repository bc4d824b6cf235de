import type { SandboxFile, SandboxLimits, SandboxRun } from './runner.ts';

/** Where files that cannot be changed lie, below the working folder. */
const readOnlyFolder = 'skills';

/**
 * Input of the supervisor inside: one line of JSON, then the files one after the other. Its report has the same form, with
 * how the code ended.
 */
export function toInput({ language, code, files, readOnlyFiles }: SandboxRun, limits: SandboxLimits): Buffer {
  const all = [
    ...files,
    ...readOnlyFiles.map((file) => ({ path: `${readOnlyFolder}/${file.path}`, bytes: file.bytes })),
  ];
  const head = {
    language,
    code,
    files: all.map(({ path, bytes }) => ({ path, size: bytes.length })),
    files_max: limits.filesMax,
    files_bytes_max: limits.filesBytesMax,
    processes_max: limits.processesMax,
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...all.map(({ bytes }) => bytes)]);
}

interface SupervisorReport {
  /** As in a shell: 128 plus the number of the signal that ended it. */
  readonly exitCode: number;
  readonly isOutOfTime: boolean;
  readonly files: readonly SandboxFile[];
  /** Paths of files that were there before and are no more. */
  readonly gone: readonly string[];
  /** New or changed files that were not handed back, for their number, their size or their name. */
  readonly filesLeftOut: number;
}

const pathPattern = /^[^\p{Cc}\\]{1,255}$/u;

/** Parses a report; null for one that no honest supervisor writes. Untrusted code may have written it. */
export function fromReport(report: Buffer | null, limits: SandboxLimits): SupervisorReport | null {
  const end = report?.indexOf('\n') ?? -1;
  if (report === null || end === -1) return null;
  const head = parseHead(report.subarray(0, end).toString('utf8'));
  if (head === null || head.files.length > limits.filesMax) return null;
  const files: SandboxFile[] = [];
  let from = end + 1;
  for (const { path, size } of head.files) {
    if (from + size > report.length) return null;
    if (isPath(path)) files.push({ path, bytes: Uint8Array.from(report.subarray(from, from + size)) });
    from += size;
  }
  if (from !== report.length) return null;
  const { exitCode, isOutOfTime, gone, leftOut } = head;
  return { exitCode, isOutOfTime, files, gone, filesLeftOut: leftOut + head.files.length - files.length };
}

/** Whether a name is safe: it stays below its folder, can be written as text, and is not one of a skill. */
function isPath(path: string): boolean {
  const parts = path.split('/');
  return (
    path.isWellFormed() &&
    pathPattern.test(path) &&
    parts[0] !== readOnlyFolder &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..')
  );
}

function parseHead(text: string) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { exit, out_of_time: outOfTime, left_out: leftOut, gone, files } = value as Record<string, unknown>;
  if (!Number.isInteger(exit) || !Array.isArray(files) || !isTextList(gone)) return null;
  if (!Number.isSafeInteger(leftOut) || Number(leftOut) < 0) return null;
  const list: { readonly path: string; readonly size: number }[] = [];
  for (const file of files as readonly unknown[]) {
    const { path, size } = (typeof file === 'object' && file !== null ? file : {}) as Record<string, unknown>;
    if (typeof path !== 'string' || !Number.isSafeInteger(size) || Number(size) < 0) return null;
    list.push({ path, size: Number(size) });
  }
  return {
    exitCode: Number(exit) & 0xff,
    isOutOfTime: outOfTime === true,
    leftOut: Number(leftOut),
    gone,
    files: list,
  };
}

const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
