import assert from 'node:assert/strict';
import type { DecisionEngine, State } from '../../src/features/decisions/engine.ts';
import { Fault, type FaultCode } from '../../src/kernel/faults.ts';
import type { ManualClock } from '../support/clock.ts';
import type { TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

export const decider = 'svc-decider-v1-27b';
export const latest = 'jev-latest';

/** A PNG of one pixel: one vision token. */
export const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The rules that a client's own types cannot state, in the words that a caller reads. */
export const messages = {
  blankNoul: 'Noul question must have criteria or instructions',
  model: `Invalid model 'gpt-6-luna'. Permitted models: ${decider}`,
  key: 'Invalid API key provided.',
  rate: 'Request rate limit exceeded, please try again later.',
  denied: 'This key may not use this operation.',
  bytes: 'request body exceeds the maximum allowed size of 33554432 bytes',
} as const;

const within = 1e-9;

/** Contract 6.5: every name once, each in [0,1], unrounded, together 1. */
export function assertDistribution(probabilities: unknown, names: readonly string[]): void {
  const given = probabilities as Readonly<Record<string, number>>;
  assert.deepEqual(Object.keys(given).sort(), [...names].sort());
  const values = Object.values(given);
  for (const p of values) assert.ok(p >= 0 && p <= 1, `${p} is no probability`);
  assert.ok(Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) <= within, 'the probabilities sum to 1');
}

export function assertShare(value: unknown): void {
  assert.ok(typeof value === 'number' && value >= 0 && value <= 1, `${String(value)} is not in [0,1]`);
}

interface ChoiceLike {
  readonly choice: string;
  readonly probabilities?: unknown;
}

export function assertChoice({ choice, probabilities }: ChoiceLike, options: readonly string[]): void {
  assertDistribution(probabilities, options);
  const given = probabilities as Readonly<Record<string, number>>;
  assert.equal(given[choice], Math.max(...Object.values(given)), 'the choice has the highest probability');
}

interface ScoreLike {
  readonly score: number;
  readonly probabilities?: unknown;
}

export function assertScore({ score, probabilities }: ScoreLike, levels: number): void {
  assertDistribution(
    probabilities,
    Array.from({ length: levels }, (_, index) => String(index)),
  );
  const given = Object.entries(probabilities as Readonly<Record<string, number>>);
  const mean = given.reduce((sum, [level, p]) => sum + Number(level) * p, 0);
  assert.ok(Math.abs(mean - score) <= within, `${score} is the mean ${mean}`);
  assert.ok(score >= 0 && score <= levels - 1);
}

/** `count` options `option-0`, `option-1`, … without descriptions. */
export function manyOptions(count: number): Record<string, null> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`option-${index}`, null]));
}

export interface LoggedRequest {
  readonly id: string;
  readonly operation: string;
  readonly status: number;
}

/** Every request that reached an operation, retries included. */
export function requestsOf({ log }: TestServer): readonly LoggedRequest[] {
  return log.filter((line) => line['msg'] === 'request') as unknown as readonly LoggedRequest[];
}

/** The only request so far: what a client sends when it does not repeat itself. */
export function onlyRequest(server: TestServer): LoggedRequest {
  const [request, ...others] = requestsOf(server);
  assert.equal(others.length, 0, 'the client sent one request');
  if (request === undefined) throw new Error('the client sent no request');
  return request;
}

/** What the server answered to every request, in order. */
export function statusesOf(server: TestServer): readonly number[] {
  return requestsOf(server).map(({ status }) => status);
}

/**
 * Lets a second pass once a request was refused. By a clock that goes on by itself one that is late enough is not refused.
 */
export async function passAfterRefusal(server: TestServer, clock: ManualClock): Promise<void> {
  await until(() => statusesOf(server).includes(429), 'no request is refused');
  clock.advance(1_000);
}

const engineParts = {
  name: 'stub',
  vision: true,
  health: () => 'ok' as const,
  countTokens: (state: State) => Promise.resolve(state.text.length),
  close: () => Promise.resolve(),
} as const;

export interface RecordingEngine extends DecisionEngine {
  /** The states that were judged, in order. */
  readonly seen: readonly State[];
}

/** Gives option `i` of `n` the probability `(i + 1) / (1 + 2 + … + n)`: known numbers, the last one likeliest. */
export function createRisingEngine(): RecordingEngine {
  const seen: State[] = [];
  return {
    ...engineParts,
    seen,
    score(state, questions) {
      seen.push(state);
      return Promise.resolve(
        questions.map(({ options: { length } }) =>
          Array.from({ length }, (_, index) => (index + 1) / ((length * (length + 1)) / 2)),
        ),
      );
    },
  };
}

/** Fails `times` times, then answers like the rising one. */
export function createFailingEngine(code: FaultCode, times = Infinity): DecisionEngine {
  const rising = createRisingEngine();
  let left = times;
  return {
    ...rising,
    score: (...input) =>
      left-- > 0 ? Promise.reject(new Fault(code, undefined, { retryAfterMs: 5 })) : rising.score(...input),
  };
}

/** Never answers; `aborted` resolves once a caller has gone. */
export function createSilentEngine(): DecisionEngine & {
  readonly started: Promise<void>;
  readonly aborted: Promise<void>;
} {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  return {
    ...engineParts,
    started: started.promise,
    aborted: aborted.promise,
    score: (_state, _views, signal) =>
      new Promise((_resolve, reject) => {
        started.resolve();
        signal.addEventListener('abort', () => {
          aborted.resolve();
          reject(signal.reason as Error);
        });
      }),
  };
}

export const deniedKey = 'key-without-decisions';

/** Configuration that admits one decision per second and holds a key that may ask none. JSON is YAML. */
export const narrowConfig = JSON.stringify({
  rate_limits: { tables: { decisions: 1 } },
  keys: [{ key: deniedKey, deny: ['decisions'] }],
});

/** What a promise was rejected with. */
export async function failureOf(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}

type Constructor<T> = abstract new (...parts: never[]) => T;

/** The error that a promise was rejected with, which has to be of this class. */
export async function rejection<T extends Error>(
  promise: PromiseLike<unknown>,
  kind: Constructor<T>,
): Promise<T> {
  const error = await failureOf(promise);
  if (error instanceof kind) return error;
  throw new Error(`expected ${kind.name}`, { cause: error });
}
