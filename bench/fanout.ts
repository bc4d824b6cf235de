import type { State, NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { openLogprobsEngine } from '../src/features/decisions/engines/logprobs/index.ts';
import { startCachingUpstream, type CachingUpstream } from './support/fanout-upstream.ts';
import { printTable, type Row } from './support/table.ts';

const stateTokens = 1_000;
const questionCount = 32;
const rounds = 3;

const text = Array.from({ length: stateTokens }, (_, index) => `w${(index * 7_919) % 5_000}`).join(' ');
const state: State = { entry: text, text, images: [] };
/** About 40 tokens each, options and instructions of the prompt included. */
const questions = Array.from({ length: questionCount }, (_, index): NormalizedQuestion => ({
  kind: 'noul',
  question: `Is number ${index} of the things that the customer wrote about in this long message a reason to act today or tomorrow?`,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
}));

/**
 * What one request ahead of the others is worth: 32 questions on one state, sent all at once and sent by the
 * engine, to a scripted server with slots that share its compute and a prefix cache between them. The same bodies
 * both times.
 */
export async function run(): Promise<void> {
  for (const slots of [1, 8, 32]) await compare(slots);
}

async function compare(slots: number): Promise<void> {
  const upstream = await startCachingUpstream(slots);
  const engine = await openLogprobsEngine({
    upstreams: [{ url: upstream.url, key: null, model: 'bench' }],
    timeoutMs: 60_000,
    concurrency: 32,
  });
  const rows: Row[] = [];
  for (let round = 1; round <= rounds; round++) {
    upstream.reset();
    const warm = await timed(async () => {
      await engine.score(state, questions, new AbortController().signal);
    });
    const warmTokens = upstream.evaluated;
    const bodies = [...upstream.bodies];
    upstream.reset();
    const cold = await timed(() => sendTogether(upstream, bodies));
    rows.push([`round ${round}`, cold, warm, cold / warm, upstream.evaluated, warmTokens]);
  }
  printTable(
    `${questionCount} questions, state of ${stateTokens} tokens, ${slots} slots`,
    ['', 'cold fan-out ms', 'warm first ms', 'times faster', 'tokens cold', 'tokens warm first'],
    rows,
  );
  await engine.close();
  await upstream.close();
}

async function sendTogether({ url }: CachingUpstream, bodies: readonly string[]): Promise<void> {
  await Promise.all(
    bodies.map(async (body) => {
      const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
      await response.json();
    }),
  );
}

async function timed(task: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}
