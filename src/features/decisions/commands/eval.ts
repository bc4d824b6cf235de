import { mkdirSync, writeFileSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { toJsonl } from '../evaluation/examples.ts';
import { toMarkdown, toText } from '../evaluation/print-report.ts';
import { toReliabilitySvg } from '../evaluation/reliability-svg.ts';
import { toReport, type Report } from '../evaluation/report.ts';
import { compareEngines, toNames } from './eval-engines.ts';
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

const usage = `nestor eval FILE…: how good the answers of an engine are on questions whose answer is known

  nestor eval mails.jsonl                    the engine that this configuration has
  nestor eval mails.jsonl --sample 200 --engine words --no-flips
  nestor eval mails.jsonl --engines words,onnx,local
  nestor eval mails.jsonl --url https://decider.example --key … --model NAME
  nestor eval --answers questions.jsonl      answers with sources of a running server: nestor eval --answers --help

FILE is JSONL, {"state": …, "question": {…}, "answer": …} a line, a CSV with the columns text,category, or a file of
BANKING77, CLINC150 or BIG-Bench Hard.

${sharedUsage}
  --engines A,B,C       compare engines, or deciders by their names, in one table
  --no-flips            do not ask again in another order and denied; half the time
  --out DIR             where report.json, report.md and reliability.svg go, or comparison.json and comparison.md
                        (default: evaluation/<name of FILE> in the data folder)
  --write-jsonl OUT     only convert FILE into JSONL

Exit codes: 0 done, 1 failed, 2 wrong command or configuration, 130 interrupted.
See docs/guide/evaluation.md.`;

const options = {
  ...sharedOptions,
  'no-flips': { type: 'boolean', default: false },
  engines: { type: 'string' },
  out: { type: 'string' },
  'write-jsonl': { type: 'string' },
} as const;

export const runEval = defineCommand(
  { name: 'eval', usage, options },
  async (line, context: EvaluationContext) => {
    const { values, words: files } = line;
    const { cwd, out } = context;
    const shared = toShared(values);
    const names = values.engines === undefined ? null : toNames(values.engines);
    if (names !== null) refuseBeside(values);
    const examples = loadExamples(files, shared, context);
    const target = values['write-jsonl'];
    if (target !== undefined) {
      writeFileSync(resolve(cwd, target), examples.map((example) => `${toJsonl(example)}\n`).join(''));
      const count = examples.length;
      printResult(
        out,
        { out: target, examples: count },
        `${count} examples written to ${target}`,
        values.json,
      );
      return exitCodes.done;
    }
    const config = await context.load(values.config);
    const name = parse(files[0] ?? 'examples').name;
    const folder = resolve(cwd, values.out ?? join(config.dataFolder, 'evaluation', name));
    const extraPasses = !values['no-flips'];
    if (names !== null) {
      const comparison = { config, names, shared, extraPasses, files, folder, isJson: values.json };
      return compareEngines(examples, comparison, context);
    }
    const { calibration: configured } = config.decisions;
    // A server that is named on the command line has a calibration of its own.
    const calibration = shared.remote === null && configured !== null ? resolve(cwd, configured) : null;
    const asking = { config, shared, extraPasses, calibration, isLearned: true };
    const {
      run,
      usage: _usage,
      fingerprint: _fingerprint,
      ...session
    } = await askAll(examples, asking, context);
    const report = toReport({ ...session, files }, run);
    writeReport(folder, report);
    out.write(
      values.json ? `${JSON.stringify(report, null, 2)}\n` : `${toText(report)}\n\nWritten to ${folder}\n`,
    );
    return report.complete ? exitCodes.done : exitCodes.interrupted;
  },
);

/** Throws UsageError for what is about one engine. */
function refuseBeside(values: Readonly<Record<string, unknown>>): void {
  for (const name of ['engine', 'url', 'write-jsonl'])
    if (values[name] !== undefined) throw new UsageError(`--engines and --${name} exclude each other.`);
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
