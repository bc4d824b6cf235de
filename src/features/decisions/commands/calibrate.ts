import { join, resolve } from 'node:path';
import type { Calibration, Temperature } from '../calibration.ts';
import { PROMPT_VERSION } from '../prompt.ts';
import { fitCalibration, toDrift, toFigures, type Figures, type Fit } from '../evaluation/calibrate.ts';
import { readCalibration, writeCalibration } from '../evaluation/calibration-file.ts';
import type { Example } from '../evaluation/examples.ts';
import { toPlain } from '../evaluation/table.ts';
import { exitCodes, withExitCode, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { parseEvaluation, sharedUsage, toSharedValues } from './eval-options.ts';
import { askAll, loadExamples, type Asking, type Session } from './eval-session.ts';
import { printJson } from '../../../kernel/commands/print.ts';
import type { EvaluationContext } from './eval-session.ts';

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

const ownOptions = {
  out: { type: 'string' },
  check: { type: 'boolean', default: false },
  bound: { type: 'string' },
} as const;

/** `nestor calibrate`. Resolves to the exit code. */
export function runCalibrate(argv: readonly string[], context: EvaluationContext): Promise<number> {
  return withExitCode('calibrate', context, async () => {
    const { values, files } = parseEvaluation(argv, ownOptions);
    if (values.help) {
      context.out.write(`${usage}\n`);
      return exitCodes.done;
    }
    const shared = toSharedValues(values);
    const bound = toBound(values.bound, values.check);
    const examples = loadExamples(files, shared, context);
    const config = context.load(shared.config);
    const path = resolve(
      context.cwd,
      values.out ?? config.decisions.calibration ?? join(config.dataFolder, 'calibration.json'),
    );
    const asking = { config, values: shared, extraPasses: false, calibration: null };
    const place: Place = { path, isJson: values.json };
    return values.check
      ? check(examples, asking, place, bound, context)
      : fit(examples, asking, place, context);
  });
}

interface Place {
  /** The file of the calibration. */
  readonly path: string;
  readonly isJson: boolean;
}

async function fit(
  examples: readonly Example[],
  asking: Asking,
  { path, isJson }: Place,
  context: EvaluationContext,
): Promise<number> {
  const { out, clock } = context;
  const session = await askAll(examples, asking, context);
  // Half a file may be one half of the kinds: nothing is fitted on what an interruption left.
  if (!session.run.complete) return exitCodes.interrupted;
  const found = fitCalibration(session.run.trials);
  const { examples: count, accuracy, nll, ece } = found.after;
  const calibration: Calibration = {
    version: 1,
    engine: session.engine,
    promptVersion: PROMPT_VERSION,
    fittedAt: new Date(clock.now()).toISOString(),
    temperatures: found.temperatures,
    figures: { examples: count, accuracy, nll, ece },
  };
  writeCalibration(path, calibration);
  if (isJson) {
    const { kinds, before, heldOut, after } = found;
    printJson(out, { out: path, ...toCounts(session), kinds, before, heldOut, after });
    return exitCodes.done;
  }
  out.write(`${headline(session)}\n\n${toPlain(fitTable(found))}\n\nWritten to ${path}\n`);
  out.write('A server reads it when decisions.calibration names this file.\n');
  return exitCodes.done;
}

async function check(
  examples: readonly Example[],
  asking: Asking,
  { path, isJson }: Place,
  bound: number,
  context: EvaluationContext,
): Promise<number> {
  const session = await askAll(examples, { ...asking, calibration: path }, context);
  const { figures, fittedAt } = readCalibration(path, session.engine);
  const now = toFigures(session.run.trials);
  const { moved, lines } = toDrift(figures, now, bound);
  if (isJson) {
    const report = { calibration: path, fittedAt, ...toCounts(session), bound, moved, fitted: figures, now };
    printJson(context.out, report);
  } else {
    printDrift(session, { path, fittedAt, lines, fitted: figures.examples }, context);
  }
  if (!session.run.complete) return exitCodes.interrupted;
  return moved ? exitCodes.failed : exitCodes.done;
}

function printDrift(
  session: Session,
  {
    path,
    fittedAt,
    lines,
    fitted,
  }: { path: string; fittedAt: string; lines: readonly string[]; fitted: number },
  context: EvaluationContext,
): void {
  context.out.write(`${headline(session)}, against ${path} of ${fittedAt}\n${lines.join('\n')}\n`);
  if (session.run.trials.length < fitted) {
    const counts = `${session.run.trials.length} questions now, ${fitted} then`;
    context.out.write(`${counts}: the ECE of fewer questions is larger by chance alone\n`);
  }
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
