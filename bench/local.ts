import { availableParallelism } from 'node:os';
import { openLocalEngine, type LocalEngine } from '../src/decisions/engines/local/index.ts';
import { createPrompts, type Prompts } from '../src/decisions/engines/local/prompts.ts';
import type { View } from '../src/decisions/view.ts';
import { openLocalModel } from '../src/models/providers/local/engine.ts';
import { removeTestModel, writeTestModel } from '../test/support/gguf.ts';
import { noulOf, stateOf } from '../test/support/gguf-views.ts';
import { openPeer } from './support/local-peer.ts';
import { printTable, type Row } from './support/table.ts';

const stateTokens = 1_000;
const questionTokens = 40;
const questionCount = 32;
/** Naive evaluation takes two minutes; every question costs it the same, so few are measured and the rest scaled. */
const naiveQuestions = 4;
const cacheBytes = 2 * 1_073_741_824;
const never = new AbortController().signal;

interface Work {
  /** Same length, other words. */
  readonly states: readonly string[];
  readonly questions: readonly View[];
  readonly options: View;
}

/** Decisions in process on one generated 0.6B-shape Q8_0 file: what reuse of the state is worth, beside the peer. */
export async function run(): Promise<void> {
  const path = await writeTestModel({ shape: 'qwen06', template: 'switched' });
  try {
    console.log(
      `${process.version}, ${availableParallelism()} cores, 596 M parameters, Q8_0, random weights`,
    );
    const { work, naiveSeconds } = await benchNaive(path);
    const ours = await openLocalEngine({ path, cacheBytes });
    if (ours.problem !== null) throw new Error(ours.problem);
    const mine = await benchOurs(ours, work);
    await benchClients(ours, work);
    await ours.close();
    const peer = await benchPeer(path, ours.threads, work);
    printComparison(naiveSeconds, mine, peer);
  } finally {
    await removeTestModel(path);
  }
}

interface Measured {
  readonly seconds: number;
  readonly tokens: number;
}

async function benchNaive(path: string): Promise<{ work: Work; naiveSeconds: number }> {
  const model = await openLocalModel({ path, cacheBytes });
  const prompts = createPrompts(model);
  const words = (text: string) => model.vocabulary.ofData(text, never).then(({ length }) => length);
  const work = await createWork(words);
  const suffixes = await wholePrompts(prompts, work);
  const started = performance.now();
  for (const suffix of suffixes) await model.read({ prefix: [], suffixes: [suffix] }, never);
  const naiveSeconds = ((performance.now() - started) / 1_000 / naiveQuestions) * questionCount;
  await model.close();
  return { work, naiveSeconds };
}

async function wholePrompts(prompts: Prompts, { states, questions }: Work) {
  const prefix = await prompts.prefixOf(stateOf(states[0] ?? ''), never);
  const asked = [];
  for (const view of questions.slice(0, naiveQuestions)) {
    for (const { tokens, ask } of (await prompts.questionOf(view, never)).suffixes) {
      asked.push({ tokens: [...prefix, ...tokens], ask });
    }
  }
  return asked;
}

async function createWork(tokensOf: (text: string) => Promise<number>): Promise<Work> {
  const states: string[] = [];
  for (const name of 'abcdefghijkl') states.push(await textOf(tokensOf, stateTokens, `Case ${name}.`));
  const questions: View[] = [];
  for (let index = 0; index < questionCount; index++) {
    questions.push(noulOf(await textOf(tokensOf, questionTokens, `${index}:`)));
  }
  const names = Array.from({ length: 255 }, (_, index) => ({ name: `option ${index}`, description: '' }));
  return { states, questions, options: { kind: 'choice', question: 'Which option fits?', options: names } };
}

async function textOf(
  tokensOf: (text: string) => Promise<number>,
  tokens: number,
  start: string,
): Promise<string> {
  const words = 'the customer is asking for a refund and a delivery of the material to the dog'.split(' ');
  let text = start;
  for (let index = 0; (await tokensOf(text)) < tokens; index++) text += ` ${words[index % words.length]}`;
  return text;
}

async function benchOurs(engine: LocalEngine, { states, questions, options }: Work) {
  const [first = '', second = '', third = ''] = states;
  const measure = (state: string, views: readonly View[]) =>
    timed(async () => {
      const before = engine.evaluatedTokens();
      await engine.score(stateOf(state), views, never);
      return engine.evaluatedTokens() - before;
    });
  const minimum = await engine.countTokens(stateOf(first), questions, never);
  const cold = await measure(first, questions);
  // Other questions, so that nothing but the state is warm.
  const others = questions.map((view) => ({ ...view, question: `Now ${view.question.slice(4)}` }));
  const warm = await measure(first, others);
  const options255 = await measure(second, [options]);
  const options255Minimum = await engine.countTokens(stateOf(second), [options], never);
  const single = await measure(third, questions.slice(0, 1));
  return { minimum, cold, warm, options255, options255Minimum, single };
}

async function benchPeer(path: string, threads: number, { states, questions, options }: Work) {
  const peer = await openPeer(path, threads);
  // Its first evaluation reads the file into memory; ours did that when it was opened.
  await peer.decide('warm up', [noulOf('Is it?')]);
  const [first = '', second = ''] = states;
  const cold = await timed(() => peer.decide(first, questions));
  const options255 = await timed(() => peer.decide(second, [options]));
  await peer.close();
  return { cold, options255 };
}

async function timed(work: () => Promise<number>): Promise<Measured> {
  const started = performance.now();
  const tokens = await work();
  return { seconds: (performance.now() - started) / 1_000, tokens };
}

type Ours = Awaited<ReturnType<typeof benchOurs>>;

function printComparison(naive: number, ours: Ours, peer: Awaited<ReturnType<typeof benchPeer>>): void {
  const row = (name: string, { seconds, tokens }: Measured, least: number | string, beside: number): Row => [
    name,
    seconds,
    tokens,
    least,
    typeof least === 'number' ? tokens / least : '-',
    seconds / beside,
  ];
  const head = ['', 'seconds', 'tokens', 'minimum', 'tokens / minimum', 'time / peer'];
  const base = peer.cold.seconds;
  printTable(`${stateTokens}-token state, ${questionCount} questions of ${questionTokens} tokens`, head, [
    [`naive (from ${naiveQuestions} questions)`, naive, '-', '-', '-', naive / base],
    row('createDecisionContext', peer.cold, '-', base),
    row('ours, cold', ours.cold, ours.minimum, base),
    row('ours, state warm', ours.warm, '-', base),
  ]);
  console.log(`\nwarm / cold: ${(ours.warm.seconds / ours.cold.seconds).toFixed(2)} (aim 0.75)`);
  console.log(`cold / createDecisionContext: ${(ours.cold.seconds / base).toFixed(2)} (aim 0.80)`);
  printTable(`${stateTokens}-token state, 1 question with 255 options`, head, [
    row('createDecisionContext', peer.options255, '-', peer.options255.seconds),
    row('ours, cold', ours.options255, ours.options255Minimum, peer.options255.seconds),
  ]);
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
  await together('one state for all', () => states[3] ?? '');
  await together('a state each', (client) => (states[4 + client] ?? '').slice(0, 700));
  const head = ['', 'fastest s', 'slowest s', 'slowest / fastest'];
  printTable(`${clients} clients at once, ${each} questions each`, head, rows);
  await benchSmallBesideLarge(engine, states, questions);
}

/** Starvation: how long one short question waits while seven requests of 32 questions are under way. */
async function benchSmallBesideLarge(
  engine: LocalEngine,
  states: readonly string[],
  questions: readonly View[],
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
  const head = ['', 'seconds'];
  printTable('1 short question beside 7 requests of 32 questions', head, [['the short one', small.seconds]]);
}
