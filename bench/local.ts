import { availableParallelism } from 'node:os';
import { openLocalEngine, type LocalEngine } from '../src/features/decisions/engines/local/index.ts';
import { createPrompts, type Prompts } from '../src/features/decisions/engines/local/prompts.ts';
import type { NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { openLocalModel } from '../src/features/models/providers/local/engine.ts';
import { removeTestModel, writeTestModel } from '../test/support/gguf.ts';
import { noulOf, stateOf } from '../test/support/gguf-questions.ts';
import { openPeer, type Peer } from './support/local-peer.ts';
import { questionsOf, textOf, timed, type CountTokens, type Measured } from './support/local-work.ts';
import { printTable, type Row } from './support/table.ts';

const stateTokens = 1_000;
const questionTokens = 40;
const questionCount = 32;
/** Naive evaluation takes two minutes; every question costs it the same, so few are measured and the rest scaled. */
const naiveQuestions = 4;
const cacheBytes = 2 * 1_073_741_824;
/** The real cores without an argument. */
const threads = process.argv[3] === undefined ? {} : { threads: Number(process.argv[3]) };
const never = new AbortController().signal;

interface Work {
  /** Same length, other words. */
  readonly states: readonly string[];
  readonly questions: readonly NormalizedQuestion[];
  /** Asked afterwards, so that nothing but the state is warm. */
  readonly others: readonly NormalizedQuestion[];
  readonly options: NormalizedQuestion;
}

/**
 * Decisions in process on one generated 0.6B-shape Q8_0 file: what reuse of the state is worth, beside the peer.
 * `npm run bench local 1` takes one thread: two wait for each other whenever something else wants a core, and then
 * say nothing.
 */
export async function run(): Promise<void> {
  const path = await writeTestModel({ shape: 'qwen06', template: 'switched' });
  try {
    console.log(
      `${process.version}, ${availableParallelism()} cores, 596 M parameters, Q8_0, random weights`,
    );
    const { work, naive } = await benchNaive(path);
    const ours = await openLocalEngine({ path, cacheBytes, ...threads });
    if (ours.problem !== null) throw new Error(ours.problem);
    const peer = await openPeer(path, ours.threads);
    // Its first evaluation reads the file into memory; ours did that when it was opened.
    await peer.decide('warm up', [noulOf('Is it?')]);
    await benchQuestions(ours, peer, work, naive);
    await benchOptions(ours, peer, work);
    await peer.close();
    await benchClients(ours, work);
    await ours.close();
  } finally {
    await removeTestModel(path);
  }
}

async function benchNaive(path: string): Promise<{ work: Work; naive: Measured }> {
  const model = await openLocalModel({ path, cacheBytes, ...threads });
  const prompts = createPrompts(model);
  const words = (text: string) => model.vocabulary.ofData(text, never).then(({ length }) => length);
  const work = await createWork(words);
  const suffixes = await wholePrompts(prompts, work);
  const naive = await timed(async () => {
    for (const suffix of suffixes) await model.read({ prefix: [], suffixes: [suffix] }, never);
    return model.evaluated();
  });
  await model.close();
  return { work, naive };
}

async function wholePrompts(prompts: Prompts, { states, questions }: Work) {
  const state = stateOf(states[0] ?? '');
  const prefix = await prompts.prefixOf(state, never);
  const asked = [];
  for (const question of questions.slice(0, naiveQuestions)) {
    for (const { tokens, ask } of (await prompts.promptOf(state, question, never)).suffixes) {
      asked.push({ tokens: [...prefix, ...tokens], ask });
    }
  }
  return asked;
}

async function createWork(tokensOf: CountTokens): Promise<Work> {
  const states: string[] = [];
  for (const name of 'abcdefghijkl') states.push(await textOf(tokensOf, stateTokens, `Case ${name}.`));
  const questions = await questionsOf(tokensOf, questionCount, questionTokens, ':');
  const others = await questionsOf(tokensOf, questionCount, questionTokens, '!');
  const names = Array.from({ length: 255 }, (_, index) => ({ name: `option ${index}`, description: '' }));
  return {
    states,
    questions,
    others,
    options: { kind: 'choice', question: 'Which option fits?', options: names },
  };
}

/** In turn and twice, the better of each: a drift of the machine hits both alike. */
async function benchQuestions(
  ours: LocalEngine,
  peer: Peer,
  { states, questions, others }: Work,
  naive: Measured,
) {
  const [, , first = '', second = ''] = states;
  const minimum = await ours.countTokens(stateOf(first), questions, never);
  const rounds: { readonly cold: Measured; readonly warm: Measured; readonly theirs: Measured }[] = [];
  for (const state of [first, second]) {
    const theirs = await timed(() => peer.decide(state, questions));
    const cold = await score(ours, state, questions);
    rounds.push({ cold, warm: await score(ours, state, others), theirs });
  }
  const best = (measured: readonly Measured[]) =>
    measured.reduce((least, one) => (one.cpuSeconds < least.cpuSeconds ? one : least));
  const theirs = best(rounds.map(({ theirs }) => theirs));
  const cold = best(rounds.map(({ cold }) => cold));
  const warm = best(rounds.map(({ warm }) => warm));
  const stateOnly = await ours.countTokens(stateOf(first), [], never);
  printTable(`${stateTokens}-token state, ${questionCount} questions of ${questionTokens} tokens`, head, [
    rowOf(`naive (from ${naiveQuestions} questions)`, scaled(naive), null, theirs),
    rowOf('createDecisionContext', theirs, null, theirs),
    rowOf('ours, cold', cold, minimum, theirs),
    rowOf('ours, state warm', warm, minimum - stateOnly, theirs),
  ]);
  printTable(
    'Aims',
    ['', 'time', 'CPU', 'aim'],
    [
      [
        'cold / createDecisionContext',
        cold.seconds / theirs.seconds,
        cold.cpuSeconds / theirs.cpuSeconds,
        0.8,
      ],
      ['warm / cold', warm.seconds / cold.seconds, warm.cpuSeconds / cold.cpuSeconds, 0.75],
    ],
  );
}

function scaled({ seconds, cpuSeconds, tokens }: Measured): Measured {
  const factor = questionCount / naiveQuestions;
  return { seconds: seconds * factor, cpuSeconds: cpuSeconds * factor, tokens: tokens * factor };
}

async function benchOptions(ours: LocalEngine, peer: Peer, { states, options }: Work): Promise<void> {
  const [, , , , state = ''] = states;
  const theirs = await timed(() => peer.decide(state, [options]));
  const cold = await score(ours, state, [options]);
  const minimum = await ours.countTokens(stateOf(state), [options], never);
  printTable(`${stateTokens}-token state, 1 question with 255 options`, head, [
    rowOf('createDecisionContext', theirs, null, theirs),
    rowOf('ours, cold', cold, minimum, theirs),
  ]);
}

const head = ['', 'seconds', 'CPU s', 'tokens', 'minimum', 'tokens / minimum', 'time / peer', 'CPU / peer'];

function rowOf(
  name: string,
  { seconds, cpuSeconds, tokens }: Measured,
  least: number | null,
  peer: Measured,
): Row {
  const [time, cpu] = [seconds / peer.seconds, cpuSeconds / peer.cpuSeconds];
  return [name, seconds, cpuSeconds, tokens, least ?? '-', least === null ? '-' : tokens / least, time, cpu];
}

function score(
  engine: LocalEngine,
  state: string,
  questions: readonly NormalizedQuestion[],
): Promise<Measured> {
  return timed(async () => {
    const before = engine.evaluatedTokens();
    await engine.score(stateOf(state), questions, never);
    return engine.evaluatedTokens() - before;
  });
}

async function benchClients(engine: LocalEngine, { states, questions }: Work): Promise<void> {
  const clients = 8;
  const each = 4;
  const asked = (client: number) => questions.slice(client * each, (client + 1) * each);
  const rows: Row[] = [];
  const together = async (name: string, stateFor: (client: number) => string) => {
    const latencies = await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const { seconds } = await timed(async () => {
          await engine.score(stateOf(stateFor(client)), asked(client), never);
          return 0;
        });
        return seconds;
      }),
    );
    const [least, most] = [Math.min(...latencies), Math.max(...latencies)];
    rows.push([name, least, most, most / least]);
  };
  await together('one state for all', () => states[0] ?? '');
  await together('a state each', (client) => (states[4 + client] ?? '').slice(0, 700));
  const columns = ['', 'fastest s', 'slowest s', 'slowest / fastest'];
  printTable(`${clients} clients at once, ${each} questions each`, columns, rows);
  await benchSmallBesideLarge(engine, states, questions);
}

/** Starvation: how long one short question waits while seven requests of 32 questions are under way. */
async function benchSmallBesideLarge(
  engine: LocalEngine,
  states: readonly string[],
  questions: readonly NormalizedQuestion[],
): Promise<void> {
  const stop = new AbortController();
  const large = Array.from({ length: 7 }, (_, client) =>
    engine.score(stateOf((states[client] ?? '').slice(0, 300)), questions, stop.signal).catch(() => {}),
  );
  const small = await timed(async () => {
    await engine.score(stateOf('short'), [noulOf('Is it?')], never);
    return 0;
  });
  stop.abort();
  await Promise.all(large);
  printTable(
    '1 short question beside 7 requests of 32 questions',
    ['', 'seconds'],
    [['the short one', small.seconds]],
  );
}
