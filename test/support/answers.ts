import assert from 'node:assert/strict';

export type NativeAnswer =
  | { readonly type: 'noul'; readonly noul: number }
  | {
      readonly type: 'choice';
      readonly choice: string;
      readonly confidence: number;
      readonly probabilities: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'score';
      readonly score: number;
      readonly confidence: number;
      readonly legend: Readonly<Record<string, unknown>>;
      readonly probabilities: Readonly<Record<string, number>>;
    };

export interface NativeResponse {
  readonly model: string;
  readonly answers: Readonly<Record<string, NativeAnswer>>;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

interface NativeRequest {
  readonly model: string;
  readonly questions: Readonly<Record<string, { readonly type: string; readonly criteria?: unknown }>>;
}

/** The exact properties of contract 6.5, for any request that was answered. */
export function assertAnswers(request: NativeRequest, response: NativeResponse): void {
  const names = Object.keys(request.questions);
  assert.deepEqual(Object.keys(response), ['model', 'answers', 'usage']);
  assert.equal(response.model, request.model);
  assert.deepEqual(Object.keys(response.answers).sort(), names.sort());
  assert.deepEqual(Object.keys(response.usage), ['input_tokens', 'output_tokens']);
  assert.equal(response.usage.output_tokens, names.length);
  for (const [name, question] of Object.entries(request.questions)) {
    const answer = Object.getOwnPropertyDescriptor(response.answers, name)?.value as NativeAnswer;
    assert.equal(answer.type, question.type);
    assertAnswer(question.criteria, answer);
  }
}

function assertAnswer(criteria: unknown, answer: NativeAnswer): void {
  if (answer.type === 'noul') {
    assert.ok(answer.noul >= 0 && answer.noul <= 1);
    return;
  }
  const { probabilities, confidence } = answer;
  const options = Object.keys(criteria as object);
  assert.deepEqual(Object.keys(probabilities).sort(), options.sort());
  assertDistribution(Object.values(probabilities));
  assert.ok(confidence >= 0 && confidence <= 1);
  if (answer.type === 'choice') assertChoice(probabilities, answer.choice);
  else {
    const mean = Object.entries(probabilities).reduce((sum, [level, p]) => sum + Number(level) * p, 0);
    assert.ok(Math.abs(mean - answer.score) <= 1e-9);
    assert.ok(answer.score >= 0 && answer.score <= options.length - 1);
    // JSON has one zero, so -0 may come back as 0.
    assert.deepEqual(plain(Object.values(answer.legend)), plain(criteria));
  }
}

function plain(value: unknown): unknown {
  if (value === Infinity || value === -Infinity) return `${value}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value === 0 ? 0 : value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}

export function assertDistribution(values: readonly number[]): void {
  assert.ok(values.every((p) => p >= 0 && p <= 1));
  assert.ok(Math.abs(values.reduce((sum, p) => sum + p, 0) - 1) <= 1e-9);
}

function assertChoice(probabilities: Readonly<Record<string, number>>, choice: string): void {
  const highest = Math.max(...Object.values(probabilities));
  const best = Object.entries(probabilities).filter(([, p]) => p === highest);
  const [first] = best.map(([name]) => name).sort(byCodePoint);
  assert.equal(choice, first);
}

function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}
