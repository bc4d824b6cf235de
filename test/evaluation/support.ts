import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { configuration } from '../../src/configuration.ts';
import type { DecisionEngine, State, NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import type { EvaluationContext } from '../../src/features/decisions/commands/eval-session.ts';
import type { EngineRequest } from '../../src/features/decisions/open-decisions.ts';

export interface Bench {
  readonly folder: string;
  readonly context: EvaluationContext;
  readonly stop: AbortController;
  readonly requests: readonly EngineRequest[];
  out(): string;
  err(): string;
}

/** A folder of its own and everything that the commands are handed, with what they print kept. */
export function createBench(
  t: TestContext,
  open: (request: EngineRequest) => Promise<DecisionEngine> = () => openWordsEngine(),
  env: Readonly<Record<string, string>> = {},
): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'nestor-evaluation-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [out, err]: [string[], string[]] = [[], []];
  const requests: EngineRequest[] = [];
  const stop = new AbortController();
  return {
    folder,
    stop,
    requests,
    out: () => out.join(''),
    err: () => err.join(''),
    context: {
      cwd: folder,
      load: async (file) => configuration.load({ env, cwd: folder, file }),
      open(request) {
        requests.push(request);
        return open(request);
      },
      out: { write: (text) => out.push(text) },
      err: { write: (text) => err.push(text) },
      clock: systemClock,
      signal: stop.signal,
    },
  };
}

/** An engine that gives an option its weight; `place` is where it stands in the order asked. */
export function weighing(
  weigh: (state: State, question: NormalizedQuestion, place: number) => number,
  name = 'weigher',
): DecisionEngine {
  return {
    name,
    vision: false,
    health: () => 'ok',
    countTokens: async () => 1,
    async score(state, questions) {
      return questions.map((question) => {
        const weights = question.options.map((_, place) => weigh(state, question, place));
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        return weights.map((weight) => weight / total);
      });
    },
    close: async () => {},
  };
}
