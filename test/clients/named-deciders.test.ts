import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createTypeSafeAi } from '@ai-sdk/typesafe-ai';
import { OpenRouter } from '@openrouter/sdk';
import { choice, TypeSafeClient } from '@typesafe-ai/sdk';
import { experimental_decide as decide, type Experimental_DecisionModel } from 'ai';
import OpenAI from 'openai';
import { queueExamples, queueQuestion } from '../support/queues.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { decider } from './support.ts';

const state = 'I was billed two times';
const criteria = { q1: null, q2: null, q3: null } as const;
const { instructions } = queueQuestion;
const question = { type: 'choice', instructions, criteria } as const;

/** Deciders of an account: one that has learned, one that escalates, one that abstains. */
const definitions = {
  desk: { engine: 'encoder' },
  ladder: { cascade: [{ decider: 'desk', confidence: 1 }, { decider }] },
  silent: { engine: 'encoder', abstain: 1 },
} as const;
const models = Object.keys(definitions);

interface Told {
  readonly choice: string;
  readonly confidence: number;
  readonly probabilities: Readonly<Record<string, number>>;
  readonly abstained?: boolean;
  readonly decided_by?: string;
}

suite('stock clients and the deciders of an account', () => {
  let server: TestServer;
  const closing: (() => Promise<void>)[] = [];
  const told = new Map<string, Told>();

  before(async () => {
    const config = JSON.stringify({ decisions: { engine: 'words' } });
    server = await startServer({ after: (close) => closing.unshift(close) }, { config, withEncoder: true });
    const send = async (method: string, path: string, json: object): Promise<unknown> => {
      const headers = { authorization: `Bearer ${server.key}` };
      const response = await fetch(`${server.url}${path}`, { method, headers, body: JSON.stringify(json) });
      const text = await response.text();
      assert.ok(response.ok, text);
      return JSON.parse(text);
    };
    for (const [name, definition] of Object.entries(definitions))
      await send('PUT', `/v1/deciders/${name}`, definition);
    await send('POST', '/v1/deciders/desk/examples', { examples: queueExamples });
    const fit = (await send('POST', '/v1/deciders/desk/fit', { wait: true })) as { readonly state: string };
    assert.equal(fit.state, 'taken');
    for (const model of models) {
      const asked = { model, state, questions: { queue: question } };
      const { answers } = (await send('POST', '/v1/decisions', asked)) as { answers: { queue: Told } };
      told.set(model, answers.queue);
    }
  });

  after(async () => {
    for (const close of closing) await close();
  });

  const toldBy = (model: string): Told => {
    const answer = told.get(model);
    assert.ok(answer);
    return answer;
  };

  test('the three answer differently, and say what their policies did', () => {
    assert.equal(toldBy('desk').choice, 'q1');
    assert.ok(toldBy('desk').confidence > toldBy('silent').confidence);
    assert.deepEqual([toldBy('desk').abstained, toldBy('desk').decided_by], [undefined, undefined]);
    assert.deepEqual([toldBy('ladder').abstained, toldBy('ladder').decided_by], [false, decider]);
    assert.deepEqual([toldBy('silent').abstained, toldBy('silent').decided_by], [true, 'silent']);
  });

  for (const model of models) {
    test(`TypeSafe asks ${model}`, async () => {
      const client = new TypeSafeClient({ baseURL: server.url, apiKey: server.key });
      const questions = { queue: choice(instructions, criteria) };
      const result = await client.systemOne({ model, state, questions });
      assert.equal(result.model, model);
      assert.deepEqual(result.answers.queue, { type: 'choice', ...toldBy(model) });
    });

    test(`OpenAI asks ${model}`, async () => {
      const client = new OpenAI({ baseURL: `${server.url}/openai/v1`, apiKey: server.key });
      const choices = Object.keys(criteria).map((value) => ({ value }));
      const decision = await client.decisions.create({
        model,
        input: state,
        questions: [{ type: 'choice', name: 'queue', instructions, choices }],
      });
      assert.equal(decision.model, model);
      const [answer] = decision.answers;
      assert.ok(answer?.type === 'choice');
      const { probabilities, ...rest } = toldBy(model);
      assert.deepEqual(answer, {
        type: 'choice',
        name: 'queue',
        ...rest,
        probabilities: Object.entries(probabilities).map(([value, probability]) => ({ value, probability })),
      });
    });

    test(`the AI SDK asks ${model}`, async () => {
      const provider = createTypeSafeAi({ baseURL: `${server.url}/v1`, apiKey: server.key });
      const result = await decide({
        model: provider.evaluationModel(model) as unknown as Experimental_DecisionModel,
        state,
        questions: { queue: question },
      });
      const { choice: chosen, confidence, probabilities } = toldBy(model);
      assert.deepEqual(result.answers.queue, { type: 'choice', choice: chosen, probabilities });
      assert.deepEqual(result.providerMetadata, { typesafe: { confidence: { queue: confidence } } });
    });

    test(`OpenRouter asks ${model}`, async () => {
      const client = new OpenRouter({ serverURL: `${server.url}/v1`, apiKey: server.key });
      const decisionsRequest = { model, state, questions: { queue: question } };
      const once = { retries: { strategy: 'none' } } as const;
      const { answers } = await client.systemOne.create({ decisionsRequest }, once);
      const here = { ...once, serverURL: server.url };
      assert.deepEqual((await client.alpha.decisions.create({ decisionsRequest }, here)).answers, answers);
      const answer = answers['queue'];
      assert.ok(answer?.type === 'choice');
      const { choice: chosen, confidence, probabilities } = toldBy(model);
      assert.deepEqual(
        [answer.choice, answer.confidence, answer.probabilities],
        [chosen, confidence, probabilities],
      );
    });
  }
});
