import { mkdirSync, writeFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { toJsonl } from '../evaluation/examples.ts';
import { toMarkdown, toText } from '../evaluation/print-report.ts';
import { toReliabilitySvg } from '../evaluation/reliability-svg.ts';
import { toReport, type Report } from '../evaluation/report.ts';
import { exitCodes, withExitCode } from '../../../kernel/commands/exit-codes.ts';
import { parseEvaluation, sharedUsage, toSharedValues, type SharedValues } from './eval-options.ts';
import { askAll, loadExamples } from './eval-session.ts';
import { printJson } from '../../../kernel/commands/print.ts';
import type { EvaluationContext } from './eval-session.ts';

const usage = `nestor eval FILE…: how good the answers of an engine are on questions whose answer is known

  nestor eval mails.jsonl                    the engine that this configuration has
  nestor eval mails.jsonl --sample 200 --engine baseline --no-flips
  nestor eval mails.jsonl --url https://decider.example --key … --model NAME

FILE is JSONL, {"state": …, "question": {…}, "answer": …} a line, a CSV with the columns text,category, or a file of
BANKING77, CLINC150 or BIG-Bench Hard.

${sharedUsage}
  --no-flips            do not ask again in another order and denied; half the time
  --out DIR             where report.json, report.md and reliability.svg go
                        (default: evaluation/<name of FILE> in the data folder)
  --write-jsonl OUT     only convert FILE into JSONL

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.
See docs/guide/evaluation.md.`;

const ownOptions = {
  'no-flips': { type: 'boolean', default: false },
  out: { type: 'string' },
  'write-jsonl': { type: 'string' },
} as const;

/** `nestor eval`. Resolves to the exit code. */
export function runEval(argv: readonly string[], context: EvaluationContext): Promise<number> {
  return withExitCode('eval', context, async () => {
    const { values, files } = parseEvaluation(argv, ownOptions);
    const { cwd, out } = context;
    if (values.help) {
      out.write(`${usage}\n`);
      return exitCodes.done;
    }
    const shared = toSharedValues(values);
    const examples = loadExamples(files, shared, context);
    if (values['write-jsonl'] !== undefined) {
      writeFileSync(
        resolve(cwd, values['write-jsonl']),
        examples.map((example) => `${toJsonl(example)}\n`).join(''),
      );
      const written = { out: values['write-jsonl'], examples: examples.length };
      if (values.json) printJson(out, written);
      else out.write(`${written.examples} examples written to ${written.out}\n`);
      return exitCodes.done;
    }
    const config = context.load(shared.config);
    const { run, ...session } = await askAll(
      examples,
      {
        config,
        values: shared,
        extraPasses: !values['no-flips'],
        calibration: calibrationOf(config, shared, cwd),
      },
      context,
    );
    const report = toReport({ ...session, files }, run);
    const folder = resolve(cwd, values.out ?? defaultFolder(config, files));
    writeReport(folder, report);
    out.write(
      values.json ? `${JSON.stringify(report, null, 2)}\n` : `${toText(report)}\n\nWritten to ${folder}\n`,
    );
    return report.complete ? exitCodes.done : exitCodes.interrupted;
  });
}

/** The configured one; a server that is named on the command line has its own. */
function calibrationOf({ decisions }: Config, { remote }: SharedValues, cwd: string): string | null {
  return remote === null && decisions.calibration !== null ? resolve(cwd, decisions.calibration) : null;
}

function defaultFolder({ dataFolder }: Config, [file = 'examples']: readonly string[]): string {
  return join(dataFolder, 'evaluation', parse(file).name);
}

function writeReport(folder: string, report: Report): void {
  const { engine, files, all, bins } = report;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(folder, 'report.md'), toMarkdown(report));
  const where = files.length > 3 ? `${files.length} files` : files.map((file) => parse(file).base).join(', ');
  const subject = `${engine} on ${where}`;
  const { count, accuracy, ece } = all;
  writeFileSync(join(folder, 'reliability.svg'), toReliabilitySvg({ subject, bins, count, accuracy, ece }));
}
