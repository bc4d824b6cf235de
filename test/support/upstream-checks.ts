import assert from 'node:assert/strict';
import type { State, Distribution, NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { Fault, type FaultCode } from '../../src/kernel/faults.ts';
import type { Upstream, UpstreamFault } from './upstream.ts';

/** What callers are told of each way in which an upstream fails. */
export const upstreamFaults: Readonly<
  Record<UpstreamFault, 'bad_gateway' | 'service_unavailable' | 'gateway_timeout'>
> = {
  html: 'bad_gateway',
  truncated: 'bad_gateway',
  cut: 'bad_gateway',
  noise: 'bad_gateway',
  flood: 'bad_gateway',
  hang: 'gateway_timeout',
  drip: 'gateway_timeout',
  reset: 'service_unavailable',
};

export function textState(text: string): State {
  return { entry: text, text, images: [] };
}

export function noulQuestion(question: string): NormalizedQuestion {
  return { kind: 'noul', question, options: ['true', 'false'].map((name) => ({ name, description: '' })) };
}

export function choiceQuestion(question: string, names: readonly string[]): NormalizedQuestion {
  return { kind: 'choice', question, options: names.map((name) => ({ name, description: '' })) };
}

export function scoreQuestion(question: string, levels: readonly string[]): NormalizedQuestion {
  return {
    kind: 'score',
    question,
    options: levels.map((description, index) => ({ name: String(index), description })),
  };
}

/** A signal that never aborts. */
export function nothing(): AbortSignal {
  return new AbortController().signal;
}

export function assertDistributions(
  distributions: readonly Distribution[],
  questions: readonly NormalizedQuestion[],
  tolerance: number,
): void {
  assert.equal(distributions.length, questions.length);
  for (const [index, distribution] of distributions.entries()) {
    assert.equal(distribution.length, questions[index]?.options.length);
    for (const p of distribution) assert.ok(p >= 0 && p <= 1, `${p}`);
    const sum = distribution.reduce((total, p) => total + p, 0);
    assert.ok(Math.abs(sum - 1) <= tolerance, `sum ${sum}`);
  }
}

export async function rejectsFault(promise: Promise<unknown>, code: FaultCode): Promise<Fault> {
  const error: unknown = await promise.then(
    () => assert.fail('did not reject'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, code);
  return error;
}

/** Neither the upstream's address, its words nor our key for it are in what a caller can see. */
export function assertQuiet(fault: Fault, { url }: Upstream): void {
  const port = new URL(url).port;
  for (const secret of [
    port,
    '127.0.0.1',
    'upstream-secret-text',
    'upstream_secret',
    'sk-upstream-key',
    '<',
  ]) {
    assert.ok(!fault.message.includes(secret), `${fault.message} has ${secret}`);
    const causes = JSON.stringify(fault.cause, Object.getOwnPropertyNames(fault.cause ?? {}));
    if (secret !== '<' && !/^\d+$|127/.test(secret)) assert.ok(!causes.includes(secret));
  }
}

/** A field of what came over a wire; undefined where there is none. */
export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
