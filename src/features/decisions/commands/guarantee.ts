import { mkdirSync, writeFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { fromGuarantee } from '../deciders/guarantee-file.ts';
import { toPlain } from '../evaluation/table.ts';
import { toCoverageSvg } from '../guarantee/coverage-svg.ts';
import { fitGuarantee, type Group, type GuaranteeFit } from '../guarantee/fit.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { defineCommand } from '../../../kernel/commands/run-command.ts';
import {
  askAll,
  loadExamples,
  sharedOptions,
  sharedUsage,
  toShared,
  type EvaluationContext,
} from './eval-session.ts';

const usage = `nestor guarantee FILE… --max-error SHARE: from which confidence on answers keep to a bound on their errors

  nestor guarantee mails.jsonl --max-error 0.05      of what is answered, at most 5 % may be wrong
  nestor guarantee mails.jsonl --max-error 0.01 --confidence 0.99

FILE is what \`nestor eval\` reads: some hundreds of rows like those to come, drawn as they come.

  --max-error SHARE     bound on the share of wrong answers among those that are given
  --confidence SHARE    probability with which the bound holds (default 0.95)
${sharedUsage}
  --out DIR             where the files go (default: guarantee/<name of FILE> in the data folder)

Exit codes: 0 done, 1 failed or no threshold keeps to the bound, 2 wrong command or configuration, 130 interrupted.
See docs/guide/guarantees.md.`;

const options = {
  ...sharedOptions,
  'max-error': { type: 'string' },
  confidence: { type: 'string', default: '0.95' },
  out: { type: 'string' },
} as const;

export const runGuarantee = defineCommand(
  { name: 'guarantee', usage, options },
  async ({ values, words: files }, context: EvaluationContext) => {
    const { cwd, out, clock } = context;
    if (values['max-error'] === undefined) throw new UsageError('--max-error is missing.');
    const target = {
      maxError: toShare('--max-error', values['max-error']),
      confidence: toShare('--confidence', values.confidence),
    };
    const shared = toShared(values);
    const examples = loadExamples(files, shared, context);
    const config = await context.load(values.config);
    const { calibration: configured } = config.decisions;
    const calibration = shared.remote === null && configured !== null ? resolve(cwd, configured) : null;
    const session = await askAll(
      examples,
      { config, shared, extraPasses: false, calibration, isLearned: true },
      context,
    );
    // Half a file may be one half of the kinds: nothing is fitted on what an interruption left.
    if (!session.run.complete) return exitCodes.interrupted;
    const fit = fitGuarantee(session.run.trials, target);
    const { engine, fingerprint } = session;
    const { thresholds } = fit;
    const guarantee = fromGuarantee({
      ...target,
      engine,
      promptVersion: PROMPT_VERSION,
      fingerprint,
      thresholds,
    });
    const fittedAt = new Date(clock.now()).toISOString();
    const report = { ...guarantee, files, fittedAt, groups: fit.groups.map(toRecord) };
    const name = parse(files[0] ?? 'examples').name;
    const folder = resolve(cwd, values.out ?? join(config.dataFolder, 'guarantee', name));
    write(
      folder,
      { guarantee, report },
      fit,
      `${session.engine} on ${files.map((path) => parse(path).base).join(', ')}`,
    );
    const { failed } = session.run;
    const lost = failed === 0 ? '' : `, ${failed} failed and are left out`;
    const head = `Engine "${session.engine}" (${session.steps}): ${session.run.trials.length} answered${lost}`;
    printResult(
      out,
      { out: folder, ...report },
      [head, '', toPlain(toTable(fit)), '', ...remarks(fit), `Written to ${folder}`].join('\n'),
      values.json,
    );
    return fit.groups.some(({ threshold }) => threshold !== null) ? exitCodes.done : exitCodes.failed;
  },
);

const toRecord = ({ kind, question, rows, threshold, at }: Group) => ({
  kind,
  question,
  rows,
  threshold,
  answered: at?.answered ?? 0,
  errors: at?.errors ?? 0,
});

function write(
  folder: string,
  files: Readonly<Record<string, object>>,
  fit: GuaranteeFit,
  subject: string,
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
  for (const group of fit.groups) {
    const name = ['coverage', group.kind, ...(group.question === null ? [] : [group.question.slice(0, 8)])];
    writeFileSync(
      join(folder, `${name.join('-')}.svg`),
      toCoverageSvg({ subject, group, target: fit.target }),
    );
  }
}

function toTable({ groups, target }: GuaranteeFit): readonly (readonly string[])[] {
  return [
    [
      '',
      'rows',
      'confidence',
      'answered',
      '95 % interval',
      'wrong',
      `${percent(target.confidence)} interval`,
    ],
    ...groups.map(({ kind, question, rows, at }) => [
      question === null ? kind : `${kind}, question ${question.slice(0, 8)}`,
      String(rows),
      ...(at === null
        ? ['never enough', '–', '–', '–', '–']
        : [
            `from ${at.threshold}`,
            percent(at.coverage),
            at.coverageInterval.map(percent).join('–'),
            percent(at.error ?? 0),
            at.errorInterval.map(percent).join('–'),
          ]),
    ]),
  ];
}

function remarks({ groups, target, needed }: GuaranteeFit): readonly string[] {
  const bound = `At most ${percent(target.maxError)} of what is answered is wrong, with ${percent(target.confidence)} confidence, on rows like these.`;
  const few = groups.filter(({ rows }) => rows < needed);
  const weak = groups.filter(({ rows, threshold }) => rows >= needed && threshold === null);
  return [
    ...(groups.some(({ threshold }) => threshold !== null) ? [bound] : []),
    ...few.map(
      ({ kind, rows }) => `${kind}: ${rows} rows are too few; ${needed} are the least. It is never answered.`,
    ),
    ...weak.map(
      ({ kind, rows }) =>
        `${kind}: no confidence keeps to the bound on ${rows} rows. It is never answered; more rows, a larger bound or another engine may help.`,
    ),
  ];
}

/** Throws UsageError. */
function toShare(name: string, text: string): number {
  const share = text.trim() === '' ? Number.NaN : Number(text);
  if (!(share > 0 && share < 1)) throw new UsageError(`${name} must be a number between 0 and 1.`);
  return share;
}

const percent = (share: number): string => `${Number((share * 100).toFixed(2))} %`;
