import { openLocalEngine, type LocalEngine } from '../src/features/decisions/engines/local/index.ts';
import { createPrompts } from '../src/features/decisions/engines/local/prompts.ts';
import type { NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { openLocalModel } from '../src/features/models/providers/local/engine.ts';
import { stateOf } from '../test/support/gguf-questions.ts';
import { openLlamaServer } from './support/llama-server.ts';
import { openPeer } from './support/local-peer.ts';
import { questionsOf, textOf, timed, type Measured } from './support/local-work.ts';
import { printTable, type Row } from './support/table.ts';

const stateTokens = 1_000;
const questionCount = 32;
const rounds = 3;
/** One: two threads of llama.cpp wait for each other whenever something else wants a core. */
const threads = 1;
const never = new AbortController().signal;

/** Answers questions about a state, and says how many tokens that took. */
type Decider = (state: string, questions: readonly NormalizedQuestion[]) => Promise<Measured>;

/**
 * `npm run bench local-peers FILE [QUESTION_TOKENS] [LLAMA_SERVER]`: decisions on a GGUF file that somebody would use,
 * beside the decisions of node-llama-cpp and beside llama-server, which gets our prompts as tokens.
 */
export async function run(): Promise<void> {
  const [path = '', questionTokens = '40', server = ''] = process.argv.slice(3);
  const model = await openLocalModel({ path, threads });
  const ours = await openLocalEngine({ path, open: () => Promise.resolve(model) });
  if (ours.problem !== null) throw new Error(ours.problem);
  const tokensOf = (text: string) => model.vocabulary.ofData(text, never).then(({ length }) => length);
  const ask = (name: string) => questionsOf(tokensOf, questionCount, Number(questionTokens), name);
  const [questions, others] = [await ask(':'), await ask('!')];
  const peer = await openPeer(path, threads);
  const deciders: [string, Decider][] = [
    ['createDecisionContext', (state, asked) => timed(() => peer.decide(state, asked))],
    ['ours', (state, asked) => timed(() => score(ours, state, asked))],
  ];
  const llama = server === '' ? null : await openLlamaServer(server, path, threads);
  if (llama !== null) {
    const prompts = createPrompts(model);
    const promptsFor = async (state: string, asked: readonly NormalizedQuestion[]) => {
      const given = stateOf(state);
      const prefix = await prompts.prefixOf(given, never);
      const all = await Promise.all(asked.map((question) => prompts.promptOf(given, question, never)));
      return all.flatMap(({ suffixes }) => suffixes.map(({ tokens }) => [...prefix, ...tokens]));
    };
    deciders.unshift([
      'llama-server',
      async (state, asked) => {
        const given = await promptsFor(state, asked);
        return timed(
          () => llama.decide(given),
          () => llama.cpuSeconds(),
        );
      },
    ]);
  }
  // The first evaluation reads the file into memory.
  for (const [, decide] of deciders) await decide('warm up', questions.slice(0, 1));
  const found = new Map(deciders.map(([name]) => [name, [] as (readonly [Measured, Measured])[]]));
  for (let round = 0; round < rounds; round++) {
    const state = await textOf(tokensOf, stateTokens, `Case ${round}.`);
    // In turn, and another first each time, so that a drift of the machine hits all alike.
    for (const [name, decide] of [...deciders.slice(round % deciders.length), ...deciders].slice(
      0,
      deciders.length,
    ))
      found.get(name)?.push([await decide(state, questions), await decide(state, others)]);
  }
  const rows = [...found].flatMap(([name, all]) =>
    (['cold', 'warm'] as const).map((kind, at): Row => {
      const measured = all.flatMap((one) => one[at] ?? []);
      const middle = (key: keyof Measured) => medianOf(measured.map((one) => one[key]));
      const [cpuSeconds, tokens] = [middle('cpuSeconds'), middle('tokens')];
      return [`${name}, ${kind}`, middle('seconds'), cpuSeconds, tokens, (1_000 * cpuSeconds) / tokens];
    }),
  );
  const title = `${stateTokens}-token state, ${questionCount} questions of ${questionTokens} tokens, one thread, ${rounds} rounds`;
  printTable(title, ['', 'seconds', 'CPU s', 'tokens', 'CPU ms / token'], rows);
  printRatios([...found.values()]);
  await llama?.close();
  await peer.close();
  await ours.close();
}

const medianOf = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Of each round ours, the last, to the better of the others. */
function printRatios(found: readonly (readonly (readonly [Measured, Measured])[])[]): void {
  const [ours = [], ...others] = found.toReversed();
  const ratioOf = (kind: 0 | 1, to: 0 | 1) =>
    ours.map((own, round) => {
      const best = Math.min(...others.map((one) => one[round]?.[to].cpuSeconds ?? Number.NaN));
      return own[kind].cpuSeconds / best;
    });
  const row = (name: string, kind: 0 | 1, to: 0 | 1, aim: number | string): Row => {
    const ratios = ratioOf(kind, to);
    return [name, medianOf(ratios), Math.min(...ratios), Math.max(...ratios), aim];
  };
  printTable(
    'CPU time by that of the better peer',
    ['', 'median', 'least', 'most', 'aim'],
    [row('cold / cold', 0, 0, 0.9), row('warm / cold', 1, 0, 0.75), row('warm / warm', 1, 1, '-')],
  );
}

async function score(engine: LocalEngine, state: string, questions: readonly NormalizedQuestion[]) {
  const before = engine.evaluatedTokens();
  await engine.score(stateOf(state), questions, never);
  return engine.evaluatedTokens() - before;
}
