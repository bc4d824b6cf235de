import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { parseBody } from '../../src/kernel/http/body.ts';
import type { Operation } from '../../src/kernel/http/operation.ts';
import { createValidator } from '../../src/kernel/http/validate.ts';
import { parseJson } from '../../src/kernel/kit/json-parse.ts';
import { operations } from '../support/operations.ts';
import { assertAnswers, assertDistribution } from '../support/answers.ts';
import { scriptedEngine } from '../support/engines.ts';
import { exampleBodies, model } from '../support/examples.ts';
import { createClient, errorOf } from '../support/http.ts';
import { dataUrl, imagePart, png } from '../support/images.ts';
import { createRandom, damage, mutate, toNode, toText, type Random } from '../support/mutate.ts';
import { roundsOf } from '../support/rounds.ts';
import { startServer } from '../support/server.ts';
import { assertError, assertSuccess } from '../support/strict.ts';
import { settings } from '../support/settings.ts';

/** Change it to search elsewhere; a failure names the body that failed. */
const seed = 20_261_120;
const rounds = roundsOf(1_000, 7_000);
const parallel = 24;

const server = await startServer(
  { after },
  { env: { NESTOR_RATE_LIMITS_ENABLED: 'false' }, decisions: scriptedEngine() },
);
const send = createClient(server.url);
after(() => {
  send.close();
});

const decisions = operations(settings).filter(
  ({ group, isBilled }) => group === 'decisions' && isBilled === true,
) as readonly Operation<never>[];

const image = imagePart(dataUrl(png(33, 33)));
const levels = ['calm', { b: 1, a: [null] }, ['x']];
const nativeBases = [
  exampleBodies['createDecision'],
  { model, state: '', questions: { q: { type: 'noul', instructions: 'x' } } },
  {
    model,
    state: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, image] }],
    questions: { q: { type: 'noul', criteria: { true: 'x', false: null } } },
  },
  {
    model,
    state: { 10: 'a', 2: [{ b: null }] },
    questions: {
      10: { type: 'choice', criteria: { 10: null, 2: 'x', a: { y: 1 } } },
      2: { type: 'score', criteria: levels },
    },
  },
  {
    model,
    state: [image, image],
    questions: {
      a: { type: 'choice', instructions: ['q'], criteria: { only: null } },
      b: { type: 'score', instructions: null, criteria: ['one'] },
    },
  },
];
const openAiBases = [
  exampleBodies['createOpenAiDecision'],
  {
    model,
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: image.image_url.url },
        ],
      },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_json', data: [{ a: 1 }] }] },
    ],
    questions: [
      {
        type: 'choice',
        name: 'n',
        instructions: [{ type: 'input_text', text: 'q' }],
        choices: [{ value: true }, { value: 'true', description: 'd' }],
      },
    ],
    prompt_cache_key: null,
  },
];

function makeBody(bases: readonly unknown[], random: Random): Buffer {
  let node = toNode(random.pick(bases));
  for (let left = random.below(4); left > 0; left--) node = mutate(node, random);
  const bytes = Buffer.from(toText(node), 'utf8');
  return random.next() < 0.15 ? damage(bytes, random) : bytes;
}

test(`${rounds} mutated bodies are answered or refused, never broken (seed ${seed})`, async () => {
  const random = createRandom(seed);
  const counts = new Map<number, number>();
  const targets = decisions.map((operation) => ({
    operation,
    path: operation.paths[0],
    validator: operation.body?.schema && createValidator(operation.body.schema),
    bases: operation.id === 'createOpenAiDecision' ? openAiBases : nativeBases,
  }));
  assert.equal(targets.length, 3);
  let started = 0;
  const worker = async (): Promise<void> => {
    while (started < rounds) {
      const target = targets[started++ % targets.length];
      assert.ok(target?.validator);
      const body = makeBody(target.bases, random);
      const about = `${target.path} ${JSON.stringify(body.toString('utf8')).slice(0, 1_500)}`;
      const valid = isValid(body, target.validator, about);
      const received = await send({
        method: 'POST',
        path: target.path,
        body,
        headers: { authorization: `Bearer ${server.key}` },
      });
      counts.set(received.status, (counts.get(received.status) ?? 0) + 1);
      if (received.status !== 200) {
        assertError(received, target.operation.surface, 400, about);
        const { message, type } = errorOf(received);
        assert.ok(message !== '' && !/\/(?:src|node_modules)\/|\bat .+:\d+:\d+/.test(message), about);
        // What passed the schema can only break a rule about images, calls or length.
        if (valid) assert.equal(type, 'invalid_request', about);
        continue;
      }
      assert.ok(valid, about);
      assertSuccess(received, target.operation, about);
      const request = parse(body);
      const answered = parse(Buffer.from(received.text));
      if (target.operation.id === 'createOpenAiDecision') assertOpenAi(request, answered);
      else assertAnswers(request, answered);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  assert.ok((counts.get(200) ?? 0) > rounds / 10, `too few valid bodies: ${JSON.stringify([...counts])}`);
  assert.ok((counts.get(400) ?? 0) > rounds / 3, `too few invalid bodies: ${JSON.stringify([...counts])}`);
});

/** By our own parser: JSON.parse of V8 14.6 mixes up names, see json.test.ts. */
function parse(bytes: Buffer): never {
  return parseJson(bytes, { depthMax: 1_000 }).value as never;
}

/** Whether parser and schema take a body; fails when the validator and its explanation disagree. */
function isValid(body: Buffer, validator: ReturnType<typeof createValidator>, about: string): boolean {
  let parsed: ReturnType<typeof parseBody>;
  try {
    parsed = parseBody(body);
  } catch {
    return false;
  }
  const passes = validator.check(parsed.value);
  const problem = validator.explain(parsed.value, parsed.keysOf);
  assert.equal(
    problem === null,
    passes,
    `check says ${passes}, explain says ${JSON.stringify(problem?.kind)}: ${about}`,
  );
  return passes;
}

interface OpenAiRequest {
  readonly questions: readonly {
    type: string;
    name?: string;
    choices?: { value: unknown }[];
    levels?: { label: string }[];
  }[];
}
interface OpenAiResponse {
  readonly answers: readonly {
    type: string;
    name: string | null;
    choice?: unknown;
    score?: number;
    probabilities?: { value: unknown; label?: string; probability: number }[];
  }[];
}

function assertOpenAi({ questions }: OpenAiRequest, { answers }: OpenAiResponse): void {
  assert.equal(answers.length, questions.length);
  for (const [index, answer] of answers.entries()) {
    const question = questions[index];
    assert.equal(answer.type, question?.type);
    assert.equal(answer.name, question?.name ?? null);
    if (!answer.probabilities) continue;
    const values = answer.probabilities.map(({ probability }) => probability);
    assertDistribution(values);
    if (question?.choices) {
      assert.deepEqual(
        answer.probabilities.map(({ value }) => value),
        question.choices.map(({ value }) => value),
      );
      const chosen = answer.probabilities.find(({ value }) => value === answer.choice);
      assert.equal(chosen?.probability, Math.max(...values));
    } else {
      assert.deepEqual(
        answer.probabilities.map(({ label }) => label),
        question?.levels?.map(({ label }) => label),
      );
      const mean = values.reduce((sum, p, level) => sum + p * level, 0);
      assert.ok(Math.abs(mean - (answer.score ?? -1)) <= 1e-9);
    }
  }
}
