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
      const prefix = await prompts.prefixOf(stateOf(state), never);
      const all = await Promise.all(asked.map((question) => prompts.promptOf(question, never)));
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
  const state = await textOf(tokensOf, stateTokens, 'Case.');
  const rows: Row[] = [];
  const found: Measured[][] = [];
  for (const [name, decide] of deciders) {
    const [cold, warm] = [await decide(state, questions), await decide(state, others)];
    found.push([cold, warm]);
    for (const [kind, { seconds, cpuSeconds, tokens }] of [
      ['cold', cold],
      ['warm', warm],
    ] as const)
      rows.push([`${name}, ${kind}`, seconds, cpuSeconds, tokens, (1_000 * cpuSeconds) / tokens]);
  }
  const title = `${stateTokens}-token state, ${questionCount} questions of ${questionTokens} tokens, one thread`;
  printTable(title, ['', 'seconds', 'CPU s', 'tokens', 'CPU ms / token'], rows);
  printRatios(found);
  await llama?.close();
  await peer.close();
  await ours.close();
}

/** Ours is the last. */
function printRatios(found: readonly (readonly Measured[])[]): void {
  const least = (kind: number) => Math.min(...found.slice(0, -1).map((one) => one[kind]?.cpuSeconds ?? 0));
  const ours = found.at(-1) ?? [];
  const [cold = 0, warm = 0] = ours.map(({ cpuSeconds }) => cpuSeconds);
  printTable(
    'CPU time by that of the better peer',
    ['', 'ratio', 'aim'],
    [
      ['cold / cold', cold / least(0), 0.9],
      ['warm / cold', warm / least(0), 0.75],
      ['warm / warm', warm / least(1), '-'],
    ],
  );
}

async function score(engine: LocalEngine, state: string, questions: readonly NormalizedQuestion[]) {
  const before = engine.evaluatedTokens();
  await engine.score(stateOf(state), questions, never);
  return engine.evaluatedTokens() - before;
}
