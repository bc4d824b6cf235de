import { join, resolve } from 'node:path';
import type { NormalizedQuestion } from '../engine.ts';
import { toCases } from '../evaluation/examples.ts';
import { toPlain } from '../evaluation/table.ts';
import type { Head, HeadFit } from '../learning/fit-head.ts';
import { rowsMin } from '../learning/fit-head.ts';
import { toLabelReport } from '../learning/label-figures.ts';
import { writeHeads } from '../learning/heads-file.ts';
import { learn } from '../learning/learn.ts';
import { questionKey } from '../policy.ts';
import { withSteps } from '../steps.ts';
import { ExampleError, exitCodes } from '../../../kernel/commands/exit-codes.ts';
import { printResult } from '../../../kernel/commands/print.ts';
import { createProgress } from '../../../kernel/commands/progress.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import { texts } from '../../../kernel/commands/command-line.ts';
import { loadExamples, toShared, type EvaluationContext } from './eval-session.ts';

const usage = `nestor learn FILE…: learn from examples what the engine does not know of your questions

  nestor learn mails.jsonl                   learn, and write learned.json into the data folder
  nestor learn banking77/train.csv --sample 770 --out banking.json

FILE is what \`nestor eval\` reads. Five to ten examples of each answer are a good start. What is not surely better on
rows that were held out is not taken. It takes an engine with vectors: encoder, the default.

  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG
  --sample N            only N examples, drawn by --seed S (default 1)
  --split NAME          part of a CLINC150 file: test (default), val or train
  --out FILE            where it goes (default: learned.json in the data folder)

Exit codes: 0 done, 1 failed or nothing was better, 2 wrong command or configuration, 130 interrupted.
See docs/guide/learning.md.`;

const options = {
  ...configOption,
  ...texts('sample', 'seed', 'out'),
  split: { type: 'string', default: 'test' },
} as const;

export const runLearn = defineCommand(
  { name: 'learn', usage, options },
  async ({ values, words: files }, context: EvaluationContext) => {
    const { cwd, out, err, clock, signal, open } = context;
    const shared = toShared({ ...values, oos: false });
    const cases = toCases(loadExamples(files, shared, context));
    const config = await context.load(values.config);
    const { order, prior, negation, learned: configured } = config.decisions;
    const bare = await open({ config, engine: null, remote: null, onLabelMass: () => {} });
    try {
      const { features } = bare;
      if (features === undefined)
        throw new ExampleError(
          `the engine "${bare.name}" has no vectors to learn from; the engine encoder has`,
        );
      const steps = { passes: order.passes, prior, negation, calibration: null };
      const engine = withSteps(bare, steps);
      const groups = [...Map.groupBy(cases, ({ question }) => questionKey(question))];
      const progress = createProgress(err, groups.length, clock);
      const heads = new Map<string, Head>();
      const reports: Row[] = [];
      for (const [key, asked] of groups) {
        const { head, report } = await learn(engine, features, asked, signal).finally(() =>
          progress.finish(),
        );
        if (head !== null) heads.set(key, head);
        reports.push({ key, question: asked[0]?.question, rows: asked.length, report });
        progress.update(reports.length, 0);
      }
      progress.finish();
      const path = resolve(cwd, values.out ?? configured ?? join(config.dataFolder, 'learned.json'));
      if (heads.size > 0) writeHeads(path, features.version, heads);
      const told =
        heads.size > 0
          ? `Written to ${path}\nA server reads it when decisions.learned names this file.`
          : 'Nothing is written.';
      printResult(
        out,
        { out: heads.size > 0 ? path : null, questions: reports.map(toWire) },
        [toPlain(toTable(reports)), '', ...remarks(reports), told].join('\n'),
        values.json,
      );
      return heads.size > 0 ? exitCodes.done : exitCodes.failed;
    } catch (error) {
      if (signal.aborted) return exitCodes.interrupted;
      throw error;
    } finally {
      await bare.close();
    }
  },
);

interface Row {
  readonly key: string;
  readonly question: NormalizedQuestion | undefined;
  readonly rows: number;
  readonly report: HeadFit | null;
}

function toWire({ key, question, rows, report }: Row) {
  const { confusion = [], judged: _, ...figures } = report ?? {};
  return { question: key, rows, ...figures, ...(question && report && toLabelReport(question, confusion)) };
}

function toTable(reports: readonly Row[]): readonly (readonly string[])[] {
  return [
    ['', 'examples', 'accuracy before', 'after', 'NLL before', 'after', 'ECE after', 'taken'],
    ...reports.map(({ key, question, rows, report }) => [
      question?.question ? question.question.slice(0, 40) : key.slice(0, 8),
      String(rows),
      ...(report === null
        ? ['–', '–', '–', '–', '–', 'no']
        : [
            ...[report.before.accuracy, report.after.accuracy, report.before.nll, report.after.nll].map(
              figure,
            ),
            figure(report.heldOut.ece),
            report.taken ? report.kind : 'no',
          ]),
    ]),
  ];
}

const figure = (value: number): string => value.toFixed(3);

function remarks(reports: readonly Row[]): readonly string[] {
  const few = reports.filter(({ report }) => report === null).length;
  const worse = reports.filter(({ report }) => report?.taken === false).length;
  return [
    'Each example is judged by what the others teach.',
    ...(few === 0 ? [] : [`Questions with fewer than ${rowsMin} examples, or one answer only: ${few}`]),
    ...(worse === 0
      ? []
      : [`Questions for which nothing was surely better, and which stay as they are: ${worse}`]),
  ];
}
