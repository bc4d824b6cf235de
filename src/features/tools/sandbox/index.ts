import type { Clock } from '../../../kernel/kit/clock.ts';
import type { OnFailure } from '../../../kernel/kit/failure-log.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import type {
  SandboxFile,
  SandboxLanguage,
  SandboxLimits,
  SandboxResult,
  SharedRunner,
} from '../../sandbox/feature.ts';
import { Arguments } from '../arguments.ts';
import { guardedCall } from '../guarded-call.ts';
import { failure, contextBlock, neutralise } from '../context-block.ts';
import type { Tool, ToolItem, ToolRun } from '../tool.ts';

export interface SandboxToolParts {
  readonly runner: SharedRunner;
  /** For each started period. Unit: USD. */
  readonly priceUsd: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly onFailure: OnFailure;
}

/** What is paid for: so long may code of one run be started again without paying again. */
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

/** Runs code where it reaches nothing. Files stay between the calls of one run. */
export function createSandbox(skillFiles: readonly SandboxFile[], parts: SandboxToolParts): Tool {
  const { runner, priceUsd, clock, ids, onFailure } = parts;
  const languages = runner.languages;
  const containerId = `cntr_${shortId(ids)}`;
  let paidUntil = -Infinity;
  return {
    definition: {
      name: 'sandbox',
      description:
        `Runs ${languages.join(' or ')} code for calculations and work with files. No network, no packages to install, ` +
        `${limits.wallMs / 1_000} seconds at most. Only what is printed comes back. Files in the working folder stay ` +
        `for the next call; files written to ${shareFolder} are given to the user.`,
      parameters: {
        type: 'object',
        properties: {
          language: { type: 'string', enum: [...languages] },
          code: { type: 'string', description: 'The whole program.' },
        },
        required: ['code'],
        additionalProperties: false,
      },
      strict: false,
    },

    async call(args, callId, run) {
      const read = new Arguments(args);
      const [first = 'python', ...others] = languages;
      const language = read.oneOf('language', [first, ...others]);
      const code = read.text('code');
      if (read.problem !== null) return failure(read.problem);
      if (code.length > codeCharsMax) return failure(`The code is longer than ${codeCharsMax} characters.`);
      return guardedCall(run.signal, { timeoutMs, what: 'The sandbox', onFailure }, async (signal) => {
        const files = [...run.files.values()];
        const asked = { language, code, files, readOnlyFiles: skillFiles };
        const result = await runner.run(asked, limits, signal, run.accountId);
        for (const file of result.files) run.files.set(file.path, file);
        const now = clock.monotonic();
        const isPaid = now < paidUntil;
        if (!isPaid) paidUntil = now + periodMs;
        return {
          items: toItems({ callId, containerId, language, code, result }, ids),
          text: toText(result, run),
          isError: result.status !== 'completed',
          uses: [{ name: 'sandbox', count: 1, costUsd: isPaid ? 0 : priceUsd }],
        };
      });
    },
  };
}

interface Ran {
  readonly callId: string;
  readonly containerId: string;
  readonly language: SandboxLanguage;
  readonly code: string;
  readonly result: SandboxResult;
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
