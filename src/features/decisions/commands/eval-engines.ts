import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../../../kernel/config.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { toEngineName } from '../../../kernel/engine-names.ts';
import { priceOf } from '../../../kernel/settings.ts';
import { decisionEngines } from '../engines/index.ts';
import {
  toCompared,
  toComparisonMarkdown,
  toComparisonText,
  toFailed,
  type Compared,
} from '../evaluation/compare.ts';
import type { Example } from '../evaluation/examples.ts';
import { decisionPriceUsdPerMillion } from '../wire/deciders.ts';
import { askAll, type EvaluationContext, type Shared } from './eval-session.ts';

export interface Comparison {
  readonly config: Config;
  /** Names of engines, or of `decisions.compare`. */
  readonly names: readonly string[];
  readonly shared: Shared;
  /** Whether choices are asked reversed and nouls denied. */
  readonly extraPasses: boolean;
  readonly files: readonly string[];
  /** Where comparison.json and comparison.md go. */
  readonly folder: string;
  readonly isJson: boolean;
}

/** `nestor eval --engines`: one pass over the examples for each engine, and one table of all. */
export async function compareEngines(
  examples: readonly Example[],
  { config, names, shared, extraPasses, files, folder, isJson }: Comparison,
  context: EvaluationContext,
): Promise<number> {
  const { cwd, out, err, signal } = context;
  const chosen = names.map((name) => ({ name, ...chooseEngine(config, name) }));
  const price = priceOf(config.prices, 'decisions', 'input') ?? decisionPriceUsdPerMillion;
  const compared: Compared[] = [];
  for (const { name, own, engine } of chosen) {
    if (signal.aborted) break;
    err.write(`${name}:\n`);
    const { calibration } = own.decisions;
    const asking = {
      config: own,
      shared: { ...shared, engine },
      extraPasses,
      calibration: calibration === null ? null : resolve(cwd, calibration),
      isLearned: true,
    };
    try {
      const { run, usage, ...session } = await askAll(examples, asking, context);
      compared.push(toCompared({ name, engine: session.engine, steps: session.steps }, run, usage, price));
    } catch (error) {
      if (error instanceof UsageError || !(error instanceof Error)) throw error;
      compared.push(toFailed(name, error.message));
    }
  }
  const complete = compared.length === names.length && compared.every((one) => one.complete);
  const report = { version: 1, files, examples: examples.length, complete, engines: compared };
  const json = `${JSON.stringify(report, null, 2)}\n`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'comparison.json'), json);
  writeFileSync(join(folder, 'comparison.md'), toComparisonMarkdown(compared));
  out.write(isJson ? json : `${toComparisonText(compared)}\n\nWritten to ${folder}\n`);
  if (signal.aborted || !complete) return exitCodes.interrupted;
  return compared.every(({ problem }) => problem === null) ? exitCodes.done : exitCodes.failed;
}

/** The engines of `--engines`, separated by commas. Throws UsageError. */
export function toNames(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length)
    throw new UsageError('--engines names engines separated by commas, each once.');
  return names;
}

/**
 * A decider by its name, or an engine of the family. The calibration is that of the configured engine. Throws UsageError.
 */
function chooseEngine(
  config: Config,
  name: string,
): { readonly own: Config; readonly engine: string | null } {
  const { decisions } = config;
  const compared = decisions.compare.find((one) => one.name === name);
  if (compared !== undefined) {
    const { engine, path, upstreams } = compared;
    const own = { ...decisions, engine, path, upstreams, calibration: null, learned: null };
    // The file of a provider is the first decider's, where that names none.
    return { own: { ...config, decisions: own, providers: [] }, engine: null };
  }
  if (decisions.served.includes(name)) return { own: config, engine: null };
  const known = decisionEngines.map((one) => one.name);
  const engine = toEngineName(name);
  if (known.includes(engine)) {
    const calibration = engine === decisions.engine ? decisions.calibration : null;
    return { own: { ...config, decisions: { ...decisions, calibration } }, engine };
  }
  const all = [...known, ...decisions.served, ...decisions.compare.map((one) => one.name)].join(', ');
  throw new UsageError(`No engine is called "${name}": there are ${all}.`);
}
