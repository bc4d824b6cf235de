import { join, resolve } from 'node:path';
import { countMasses, type Calibration, type Temperature } from '../calibration.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { fitCalibration, toDrift, toFigures, type Figures, type Fit } from '../evaluation/calibrate.ts';
import { readCalibration, writeCalibration } from '../evaluation/calibration-file.ts';
import { toPlain } from '../evaluation/table.ts';
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
  type Session,
} from './eval-session.ts';

const usage = `nestor calibrate FILE…: fit temperatures, so that a probability is a share of what comes true

  nestor calibrate mails.jsonl               fit, and write calibration.json into the data folder
  nestor calibrate mails.jsonl --check       is what was fitted still as good? Exit code 1 if not

FILE is what \`nestor eval\` reads. Examples of your own, some hundreds of each kind of question, are best.

${sharedUsage}
  --out FILE            where the calibration goes (default: calibration.json in the data folder)
  --check               fit nothing: apply the calibration at --out and fail if the answers got worse
  --bound SHARE         how far accuracy may fall and ECE rise with --check (default 0.02)

Exit codes: 0 done, 1 failed or moved past the bound, 2 wrong command or configuration, 130 interrupted.
See docs/guide/evaluation.md.`;

const options = {
  ...sharedOptions,
  out: { type: 'string' },
  check: { type: 'boolean', default: false },
  bound: { type: 'string' },
} as const;

export const runCalibrate = defineCommand(
  { name: 'calibrate', usage, options },
  async (line, context: EvaluationContext) => {
    const { values, words } = line;
    const shared = toShared(values);
    const bound = toBound(values.bound, values.check);
    const examples = loadExamples(words, shared, context);
    const config = await context.load(values.config);
    const { calibration: configured } = config.decisions;
    const path = resolve(
      context.cwd,
      values.out ?? configured ?? join(config.dataFolder, 'calibration.json'),
    );
    const asking = {
      config,
      shared,
      extraPasses: false,
      calibration: values.check ? path : null,
      isLearned: false,
    };
    const session = await askAll(examples, asking, context);
    const place = { path, isJson: values.json };
    return values.check ? check(session, place, bound, context) : fit(session, place, context);
  },
);

interface Place {
  /** The file of the calibration. */
  readonly path: string;
  readonly isJson: boolean;
}

function fit(session: Session, { path, isJson }: Place, { out, clock }: EvaluationContext): number {
  // Half a file may be one half of the kinds: nothing is fitted on what an interruption left.
  if (!session.run.complete) return exitCodes.interrupted;
  const found = fitCalibration(session.run.trials);
  const { kinds, before, heldOut, after } = found;
  const { examples, accuracy, nll, ece } = after;
  const calibration: Calibration = {
    version: 1,
    engine: session.engine,
    promptVersion: PROMPT_VERSION,
    fittedAt: new Date(clock.now()).toISOString(),
    temperatures: found.temperatures,
    figures: { examples, accuracy, nll, ece },
    ...(session.labelMasses.length > 0 && { labelMass: countMasses(session.labelMasses) }),
  };
  writeCalibration(path, calibration);
  printResult(
    out,
    { out: path, ...toCounts(session), kinds, before, heldOut, after },
    `${headline(session)}\n\n${toPlain(fitTable(found))}\n\nWritten to ${path}\n` +
      'A server reads it when decisions.calibration names this file.',
    isJson,
  );
  return exitCodes.done;
}

function check(session: Session, { path, isJson }: Place, bound: number, { out }: EvaluationContext): number {
  const { figures, fittedAt } = readCalibration(path, session.engine);
  const { trials, complete } = session.run;
  const now = toFigures(trials);
  const { moved, lines } = toDrift(figures, now, bound);
  const fewer = `${trials.length} questions now, ${figures.examples} then: the ECE of fewer questions is larger by chance alone`;
  printResult(
    out,
    { calibration: path, fittedAt, ...toCounts(session), bound, moved, fitted: figures, now },
    [
      `${headline(session)}, against ${path} of ${fittedAt}`,
      ...lines,
      ...(trials.length < figures.examples ? [fewer] : []),
    ].join('\n'),
    isJson,
  );
  if (!complete) return exitCodes.interrupted;
  return moved ? exitCodes.failed : exitCodes.done;
}

const toCounts = ({ engine, steps, run }: Session) => ({
  engine,
  steps,
  answered: run.trials.length,
  failed: run.failed,
});

function headline({ engine, steps, run }: Session): string {
  const lost =
    run.failed === 0 ? '' : `; ${run.failed} failed and are left out, the first: ${run.firstFailure}`;
  return `Engine "${engine}" (${steps}), ${run.trials.length} answered${lost}`;
}

function fitTable({ kinds, before, heldOut, after }: Fit): readonly (readonly string[])[] {
  const row = (name: string, { examples, accuracy, nll, brier, ece }: Figures) => [
    name,
    String(examples),
    ...[accuracy, nll, brier, ece].map((value) => value.toFixed(4)),
  ];
  return [
    ['', 'questions', 'accuracy', 'NLL', 'Brier', 'ECE'],
    ...kinds.flatMap((kind) => [
      row(`${kind.kind}: before`, kind.before),
      row(`${kind.kind}: after, held out; ${toFormula(kind.temperature)}`, kind.heldOut),
    ]),
    row('all: before', before),
    row('all: after, held out (5 folds)', heldOut),
    row('all: after, on the same examples', after),
  ];
}

function toFormula({ min, a, b }: Temperature): string {
  if (b === 0) return `T = ${Math.max(min, a).toFixed(3)}`;
  return `T(n) = max(${min.toFixed(3)}, ${a.toFixed(3)} ${b < 0 ? '-' : '+'} ${Math.abs(b).toFixed(3)} ln n)`;
}

function toBound(text: string | undefined, isCheck: boolean): number {
  if (text !== undefined && !isCheck) throw new UsageError('--bound belongs to --check.');
  const bound = Number(text ?? '0.02');
  if (text?.trim() === '' || !(bound >= 0 && bound <= 1))
    throw new UsageError('--bound must be a number from 0 to 1.');
  return bound;
}
