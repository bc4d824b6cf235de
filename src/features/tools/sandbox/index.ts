import { Type } from 'typebox';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import type { SandboxFile, SandboxLanguage, SandboxLimits, SandboxResult } from '../../sandbox/feature.ts';
import { Arguments } from '../arguments.ts';
import { failure, contextBlock, neutralise } from '../context-block.ts';
import { defineTool, outputItem } from '../define-tool.ts';
import { guardedCall } from '../guarded-call.ts';
import { parametersOf, type ToolItem, type ToolRun } from '../tool.ts';

interface Ran {
  readonly callId: string;
  readonly containerId: string;
  readonly language: SandboxLanguage;
  readonly code: string;
  readonly result: SandboxResult;
}

interface SharedFile {
  readonly callId: string;
  readonly fileId: string;
  readonly file: SandboxFile;
}

declare module '../tool.ts' {
  interface ToolItems {
    readonly sandbox: Ran;
    readonly 'shared-file': SharedFile;
  }
}

/** Time for which a run pays once: code that it starts within it costs nothing more. */
const periodMs = 1_200_000;
const limits: SandboxLimits = {
  wallMs: 60_000,
  cpuMs: 30_000,
  memoryBytesMax: 536_870_912,
  outputBytesMax: 65_536,
  filesBytesMax: 67_108_864,
  filesMax: 200,
  processesMax: 64,
};
/** Waiting for a place, beside the run itself. */
const timeoutMs = limits.wallMs + 30_000;
const codeCharsMax = 200_000;
const shareFolder = 'share/';
const outputCharsMax = 20_000;

const text = Type.String();
const outcome = {
  stdout: text,
  stderr: text,
  exit_code: Type.Union([Type.Integer(), Type.Null()]),
  duration_ms: Type.Integer(),
};

/** Runs code where it reaches nothing. Files stay between the calls of one run. */
export const sandbox = defineTool({
  name: 'sandbox',
  request: { fields: {}, toOptions: () => undefined },
  isAvailable: (dependencies) => dependencies.sandbox !== null,
  price: { name: 'sandbox', usd: 0.03 },
  items: {
    sandbox: outputItem(
      'sandbox_results',
      {
        call_id: text,
        container_id: text,
        language: text,
        code: text,
        status: text,
        results: Type.Array(Type.Object({ ...outcome, status: text })),
        ...outcome,
      },
      toSandboxItem,
    ),
    'shared-file': outputItem(
      'share_file',
      { call_id: text, file_id: text, filename: text, size_bytes: Type.Integer(), url: text },
      toShareItem,
      { fileOf: ({ fileId, file: { path, bytes } }) => ({ id: fileId, filename: path, bytes }) },
    ),
  },
  open({ sandbox: runner, skillFiles, charge, clock, ids, onFailure }) {
    if (runner === null) return null;
    const { languages } = runner;
    const containerId = `cntr_${shortId(ids)}`;
    let paidUntil = -Infinity;
    return {
      description:
        `Runs ${languages.join(' or ')} code for calculations and work with files. No network, no packages to install, ` +
        `${limits.wallMs / 1_000} seconds at most. Only what is printed comes back. Files in the working folder stay ` +
        `for the next call; files written to ${shareFolder} are given to the user.`,
      parameters: parametersOf(
        {
          language: { type: 'string', enum: [...languages] },
          code: { type: 'string', description: 'The whole program.' },
        },
        ['code'],
      ),
      async run(args, callId, run) {
        const read = new Arguments(args);
        const [first = 'python', ...others] = languages;
        const language = read.oneOf('language', [first, ...others]);
        const code = read.text('code');
        if (read.problem !== null) return failure(read.problem);
        if (code.length > codeCharsMax) return failure(`The code is longer than ${codeCharsMax} characters.`);
        return guardedCall(run.signal, { timeoutMs, what: 'The sandbox', onFailure }, async (signal) => {
          const files = [...run.files.values()];
          const readOnlyFiles = await skillFiles(limits.filesBytesMax, signal);
          const asked = { language, code, files, readOnlyFiles };
          const result = await runner.run(asked, limits, signal, run.accountId);
          for (const path of result.gone) run.files.delete(path);
          for (const file of result.files) run.files.set(file.path, file);
          const now = clock.monotonic();
          const isPaid = now < paidUntil;
          if (!isPaid) paidUntil = now + periodMs;
          return {
            items: toItems({ callId, containerId, language, code, result }, ids),
            text: toText(result, run),
            isError: result.status !== 'completed',
            uses: charge(1, isPaid ? 0 : 1),
          };
        });
      },
    };
  },
});

function toSandboxItem({ callId, containerId, language, code, result }: Ran) {
  const { status, stdout, stderr, exitCode, durationMs } = result;
  const fields = { stdout, stderr, exit_code: exitCode, duration_ms: Math.round(durationMs) };
  return {
    call_id: callId,
    container_id: containerId,
    language,
    code,
    status,
    results: [{ ...fields, status }],
    ...fields,
  };
}

function toShareItem({ callId, fileId, file }: SharedFile, fileUrl: (fileId: string) => string) {
  return {
    call_id: callId,
    file_id: fileId,
    filename: file.path,
    size_bytes: file.bytes.byteLength,
    url: fileUrl(fileId),
  };
}

function toItems(ran: Ran, ids: Ids): readonly ToolItem[] {
  const shared = ran.result.files.filter(({ path }) => path.startsWith(shareFolder));
  return [
    { type: 'sandbox', ...ran },
    ...shared.map((file): ToolItem => ({
      type: 'shared-file',
      callId: ran.callId,
      fileId: `file_${ids.uuid()}`,
      file: { path: file.path.slice(shareFolder.length), bytes: file.bytes },
    })),
  ];
}

function toText(
  { status, stdout, stderr, exitCode, durationMs, files }: SandboxResult,
  run: ToolRun,
): string {
  const head = `${status}, exit code ${exitCode}, ${Math.round(durationMs)} ms`;
  const parts = [
    head,
    ...(stdout === '' ? [] : [`Standard output:\n${cut(stdout)}`]),
    ...(stderr === '' ? [] : [`Standard error:\n${cut(stderr)}`]),
    ...(files.length === 0 ? [] : [`Files written: ${files.map(({ path }) => path).join(', ')}`]),
    ...(run.files.size === 0 ? [] : [`Files in the folder: ${run.files.size}`]),
  ];
  return contextBlock('output', 'This is what the code wrote.', neutralise(parts.join('\n\n')));
}

function cut(text: string): string {
  return text.length <= outputCharsMax ? text : `${text.slice(0, outputCharsMax)}\n(cut)`;
}
