import type { ParseArgsOptionsConfig } from 'node:util';
import { parseCommandLine } from '../../../kernel/commands/command-line.ts';
import type { Remote } from '../open-decisions.ts';
import { UsageError } from '../../../kernel/commands/exit-codes.ts';

/** Options of every command that asks an engine about a file of examples. */
export const sharedOptions = {
  help: { type: 'boolean', short: 'h', default: false },
  json: { type: 'boolean', default: false },
  config: { type: 'string' },
  engine: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  model: { type: 'string' },
  sample: { type: 'string' },
  seed: { type: 'string' },
  split: { type: 'string', default: 'test' },
  oos: { type: 'boolean', default: false },
  concurrency: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

export const sharedUsage = `  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG
  --engine NAME         engine to ask; otherwise the configured one
  --url BASE            ask a server that speaks System One; with --key KEY and --model NAME
  --sample N            only N questions, drawn by --seed S (default 1)
  --split NAME          part of a CLINC150 file: test (default), val or train
  --oos                 also ask texts of CLINC150 that fit no intent, with an option for them
  --concurrency N       questions under way at once (default 1; 8 for servers)`;

export interface SharedValues {
  readonly config: string | undefined;
  readonly engine: string | null;
  readonly remote: RemoteValues | null;
  readonly sample: number;
  readonly seed: number;
  readonly split: string;
  readonly oos: boolean;
  readonly concurrency: number | null;
}

export interface RemoteValues extends Omit<Remote, 'model'> {
  readonly model: string | null;
}

/** Parses a command line with the shared options and the command's own. Throws UsageError. */
export function parseEvaluation<Own extends ParseArgsOptionsConfig>(argv: readonly string[], own: Own) {
  const options = { ...sharedOptions, ...own };
  const { values, words } = parseCommandLine(argv, options);
  return { values, files: words };
}

/** Throws UsageError. */
export function toSharedValues(
  values: {
    readonly [Name in Exclude<keyof typeof sharedOptions, 'help' | 'oos' | 'json'>]?: string | undefined;
  } & { readonly oos?: boolean },
): SharedValues {
  const { url, key, model, engine } = values;
  if (url === undefined && (key !== undefined || model !== undefined)) {
    throw new UsageError('--key and --model belong to --url.');
  }
  if (url !== undefined && engine !== undefined)
    throw new UsageError('--url and --engine exclude each other.');
  if (url !== undefined && !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new UsageError('--url must be an http or https address.');
  }
  return {
    config: values.config,
    engine: engine ?? null,
    remote: url === undefined ? null : { url, key: key ?? null, model: model ?? null },
    sample: toWhole('--sample', values.sample) ?? Infinity,
    seed: toWhole('--seed', values.seed, 0) ?? 1,
    split: values.split ?? 'test',
    oos: values.oos ?? false,
    concurrency: toWhole('--concurrency', values.concurrency),
  };
}

/** Throws UsageError. */
export function toWhole(name: string, text: string | undefined, min = 1): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min) return value;
  throw new UsageError(`${name} must be a whole number from ${min}.`);
}
