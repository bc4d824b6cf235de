import { createHash } from 'node:crypto';
import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import { openSystemOneEngine } from '../../src/features/decisions/engines/systemone/index.ts';
import type { UpstreamsOptions } from '../../src/kernel/kit/upstreams.ts';
import type { TestScope } from './server.ts';
import { startUpstream, type Upstream, type UpstreamHandler, type UpstreamReply } from './upstream.ts';
import { hangMs } from './until.ts';

interface WireQuestion {
  readonly type: 'noul' | 'choice' | 'score';
  readonly instructions: unknown;
  readonly criteria: unknown;
}

interface WireRequest {
  readonly model: string;
  readonly state: unknown;
  readonly questions: Readonly<Record<string, WireQuestion>>;
}

/** Changes the answers before they go out. */
export type Distort = (answers: Record<string, Record<string, unknown>>) => unknown;

/** `POST /v1/systemone` as TypeSafe, SGLang and Ollama answer it; probabilities come from hashes. */
export function systemOneHandler(distort: Distort = (answers) => answers, round = 4): UpstreamHandler {
  return ({ method, path, body }): UpstreamReply => {
    if (method !== 'POST' || path !== '/v1/systemone') return { status: 404, json: { detail: 'Not Found' } };
    const { model, state, questions } = body as unknown as WireRequest;
    const answers = Object.fromEntries(
      Object.entries(questions).map(([name, question]) => [name, answerTo(state, question, round)] as const),
    );
    const usage = { input_tokens: 100, output_tokens: Object.keys(questions).length };
    return { json: { model, answers: distort(answers), usage } };
  };
}

function answerTo(state: unknown, { type, instructions, criteria }: WireQuestion, round: number) {
  const share = (option: unknown) => {
    const seed = JSON.stringify([state, instructions, option]);
    return 1 + createHash('sha256').update(seed).digest().readUInt16BE(0);
  };
  const rounded = (p: number) => Number(p.toFixed(round));
  if (type === 'noul') {
    const [yes, no] = [share(['true', criteria]), share(['false', criteria])];
    return { type, noul: rounded(yes / (yes + no)) };
  }
  const entries = Array.isArray(criteria)
    ? criteria.map((level, index) => [String(index), level] as const)
    : Object.entries(criteria as Record<string, unknown>);
  const total = entries.reduce((sum, entry) => sum + share(entry), 0);
  const probabilities = Object.fromEntries(
    entries.map((entry) => [entry[0], rounded(share(entry) / total)] as const),
  );
  const common = { confidence: 0.5, probabilities };
  return type === 'choice'
    ? { type, choice: entries[0]?.[0], ...common }
    : { type, score: 1, legend: Object.fromEntries(entries), ...common };
}

/** An engine over these upstreams, closed when the test ends. */
export async function openSystemOne(
  t: TestScope,
  upstreams: readonly (Upstream | string)[],
  options: Partial<UpstreamsOptions> = {},
): Promise<DecisionEngine> {
  const engine = await openSystemOneEngine({
    upstreams: upstreams.map((upstream) => ({
      url: typeof upstream === 'string' ? upstream : upstream.url,
      key: 'sk-upstream-key',
      model: 'jev-latest',
    })),
    timeoutMs: hangMs,
    random: () => 0,
    ...options,
  });
  t.after(() => engine.close());
  return engine;
}

/** One scripted upstream and an engine that knows it alone. */
export async function systemOneWith(
  t: TestScope,
  handler: UpstreamHandler,
  options: Partial<UpstreamsOptions> = {},
) {
  const upstream = await startUpstream(t, handler);
  return { upstream, engine: await openSystemOne(t, [upstream], options) };
}
