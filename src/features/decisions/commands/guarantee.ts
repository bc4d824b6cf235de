import { mkdirSync, writeFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { fromGuarantee } from '../deciders/guarantee-file.ts';
import { toPlain } from '../evaluation/table.ts';
import { toCoverageSvg } from '../guarantee/coverage-svg.ts';
import { fitGuarantee, type GuaranteeFit } from '../guarantee/fit.ts';
import { toKeptCurves } from '../guarantee/kept-curve.ts';
import { remarks, toRecord, toStageTable, toTable } from '../guarantee/report.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { defineCommand } from '../../../kernel/commands/run-command.ts';
import { askDecider, type DeciderAnswers } from './ask-decider.ts';
import {
  loadExamples,
  sharedOptions,
  sharedUsage,
  toShared,
  type EvaluationContext,
} from './eval-session.ts';

const usage = `nestor guarantee FILE… --max-error SHARE: from which confidence on answers keep to a bound on their errors

  nestor guarantee mails.jsonl --max-error 0.05      of what is answered, at most 5 % may be wrong
  nestor guarantee mails.jsonl --max-error 0.01 --confidence 0.99
  nestor guarantee mails.jsonl --max-error 0.05 --decider careful

FILE is what \`nestor eval\` reads: some hundreds of rows like those to come, drawn as they come.

  --max-error SHARE     bound on the share of wrong answers among those that are given
  --confidence SHARE    probability with which the bound holds (default 0.95)
  --decider NAME        decider of the configuration to fit, also a cascade as a whole
${sharedUsage}
  --out DIR             where the files go (default: guarantee/<name of FILE> in the data folder)

Exit codes: 0 done, 1 failed or no threshold keeps to the bound, 2 wrong command or configuration, 130 interrupted.
See docs/guide/guarantees.md.`;

const options = {
  ...sharedOptions,
  'max-error': { type: 'string' },
  confidence: { type: 'string', default: '0.95' },
  decider: { type: 'string' },
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
    const { decider = null } = values;
    if (decider !== null && (shared.remote ?? shared.engine) !== null)
      throw new UsageError('--decider excludes --engine and --url.');
    const asked = await askDecider(examples, decider, config, shared, context);
    // Half a file may be one half of the kinds: nothing is fitted on what an interruption left.
    if (!asked.complete) return exitCodes.interrupted;
    const fit = fitGuarantee(
      asked.answers,
      target,
      asked.stages.map(({ confidence }) => confidence),
    );
    const folder = resolve(
      cwd,
      values.out ?? join(config.dataFolder, 'guarantee', parse(files[0] ?? 'examples').name),
    );
    const report = write(folder, asked, fit, { files, fittedAt: new Date(clock.now()).toISOString() });
    printResult(out, { out: folder, ...report }, toText(asked, fit, folder), values.json);
    return fit.groups.some(({ at }) => at !== null) ? exitCodes.done : exitCodes.failed;
  },
);

/** Writes the guarantee, what it rests on, which is returned, and the diagrams. */
function write(
  folder: string,
  { engine, fingerprint, stages }: DeciderAnswers,
  fit: GuaranteeFit,
  about: { readonly files: readonly string[]; readonly fittedAt: string },
) {
  const { target, groups } = fit;
  const [only, ...others] = fit.thresholds;
  const guarantee = fromGuarantee({
    ...target,
    engine,
    promptVersion: PROMPT_VERSION,
    fingerprint,
    thresholds: only === undefined || others.length > 0 ? fit.thresholds : only,
    curves: toKeptCurves(fit),
  });
  const names = stages.map(({ name }) => name);
  const report = { ...guarantee, ...about, groups: groups.map((group) => toRecord(group, names)) };
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries({ guarantee, report }))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
  const subject = `${engine} on ${about.files.map((path) => parse(path).base).join(', ')}`;
  for (const group of groups) {
    const name = ['coverage', group.kind, ...(group.question === null ? [] : [group.question.slice(0, 8)])];
    writeFileSync(join(folder, `${name.join('-')}.svg`), toCoverageSvg({ subject, group, target }));
  }
  return report;
}

function toText({ described, answers, failed, stages }: DeciderAnswers, fit: GuaranteeFit, folder: string) {
  const lost = failed === 0 ? '' : `, ${failed} failed and are left out`;
  const names = stages.map(({ name }) => name);
  const tables = [toTable(fit), ...(names.length > 1 ? [toStageTable(fit, names)] : [])];
  return [
    `${described}: ${answers.length} answered${lost}`,
    '',
    ...tables.flatMap((table) => [toPlain(table), '']),
    ...remarks(fit),
    `Written to ${folder}`,
  ].join('\n');
}

/** Throws UsageError. */
function toShare(name: string, text: string): number {
  const share = text.trim() === '' ? Number.NaN : Number(text);
  if (!(share > 0 && share < 1)) throw new UsageError(`${name} must be a number between 0 and 1.`);
  return share;
}
