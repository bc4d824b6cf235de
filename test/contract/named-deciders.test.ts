import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fingerprintOf } from '../../src/features/decisions/engine.ts';
import { openWordsEngine } from '../../src/features/decisions/engines/words/index.ts';
import { nativeQuestions, openAiBody, state } from '../support/examples.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { poll } from '../support/until.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const main = 'svc-decider-v1-27b';
const paths = ['/v1/decisions', '/v1/systemone', '/openai/v1/decisions'] as const;

const start = (t: TestContext, deciders: readonly object[], more: object = {}): Promise<TestServer> =>
  startServer(t, { config: JSON.stringify({ decisions: { engine: 'words', deciders }, ...more }) });

function bodyOf(path: string, model: string): object {
  return path.startsWith('/openai') ? { ...openAiBody, model } : { model, state, questions: nativeQuestions };
}

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly answers: readonly Readonly<Record<string, unknown>>[];
}

async function ask(server: TestServer, path: string, model: string, headers = {}): Promise<Received> {
  const response = await server.post(path, bodyOf(path, model), headers);
  const text = await response.text();
  const { answers = [] } = JSON.parse(text) as { answers?: object };
  return { status: response.status, headers: response.headers, text, answers: Object.values(answers) };
}

test('the first decider and one without a policy answer byte for byte the same, whatever stands beside them', async (t) => {
  const alone = await start(t, []);
  const beside = await start(t, [
    { name: 'plain', engine: 'words' },
    { name: 'careful', engine: 'words', abstain: 0.9 },
    { name: 'both', cascade: [{ decider: 'plain', confidence: 0.5 }, { decider: main }] },
  ]);
  for (const path of paths) {
    const { text } = await ask(alone, path, main);
    assert.equal((await ask(beside, path, main)).text, text, path);
    assert.equal((await ask(beside, path, 'plain')).text, text.replace(main, 'plain'), path);
    assert.doesNotMatch(text, /abstained|decided_by/);
  }
});

test('every answer of a policy says whether it was abstained from, and whose it is', async (t) => {
  const server = await start(t, [
    { name: 'plain', engine: 'words' },
    { name: 'never', engine: 'words', abstain: { noul: 1, choice: 1, score: 1 } },
    { name: 'nouls', engine: 'words', abstain: { noul: 1 } },
    { name: 'both', cascade: [{ decider: 'plain', confidence: 1 }, { decider: main }] },
  ]);
  const verdicts = async (path: string, model: string) =>
    (await ask(server, path, model)).answers.map((one) => [one['abstained'], one['decided_by']]);
  for (const path of paths) {
    assert.deepEqual(
      await verdicts(path, 'never'),
      [0, 1, 2].map(() => [true, 'never']),
      path,
    );
    assert.deepEqual(
      await verdicts(path, 'nouls'),
      [true, false, false].map((isAbstained) => [isAbstained, 'nouls']),
      path,
    );
    assert.deepEqual(
      await verdicts(path, 'both'),
      [0, 1, 2].map(() => [false, main]),
      path,
    );
    const rest = (answers: Received['answers']) =>
      answers.map((one) => ({ ...one, abstained: null, decided_by: null }));
    const plain = await ask(server, path, main);
    assert.deepEqual(rest((await ask(server, path, 'never')).answers), rest(plain.answers), path);
  }
});

test('a bound on the error needs a guarantee, by the header or by the decider', async (t) => {
  const guarantee = join(await temporaryFolder(t), 'guarantee.json');
  const thresholds = { by_kind: { noul: 0, choice: null }, by_question: {} };
  const fingerprint = await fingerprintOf(await openWordsEngine());
  const name = { engine: 'words', prompt_version: 1, fingerprint };
  const fitted = { max_error: 0.05, confidence: 0.95, ...name, thresholds };
  writeFileSync(guarantee, JSON.stringify([fitted]));
  const server = await start(t, [
    { name: 'sure', engine: 'words', guarantees: [guarantee] },
    { name: 'always', engine: 'words', max_error: 0.1, guarantees: [guarantee] },
    { name: 'lost', engine: 'words', max_error: 0.1 },
  ]);
  const abstained = async (model: string, headers = {}) =>
    (await ask(server, '/v1/decisions', model, headers)).answers.map((one) => one['abstained']);
  assert.deepEqual(await abstained('sure'), [undefined, undefined, undefined]);
  assert.deepEqual(await abstained('sure', { 'x-nestor-max-error': '0.05' }), [false, true, true]);
  assert.deepEqual(await abstained('always'), [false, true, true]);
  const refusals: readonly (readonly [string, string | null, string, RegExp])[] = [
    [main, '0.05', 'x-nestor-max-error', /cannot promise an error of 0.05: no guarantee/],
    ['sure', '0.01', 'x-nestor-max-error', /its guarantees are for 0.05/],
    ['lost', null, 'model', /cannot promise an error of 0.1: no guarantee/],
    ...['', '0', '1', 'x', '-0.1', '0.05, 0.05'].map(
      (header) => ['sure', header, 'x-nestor-max-error', /must be a number between 0 and 1/] as const,
    ),
  ];
  for (const [model, header, param, message] of refusals) {
    const sent: Record<string, string> = header === null ? {} : { 'x-nestor-max-error': header };
    const { status, text } = await ask(server, '/v1/decisions', model, sent);
    const { error } = JSON.parse(text) as { error: { message: string; param: string; type: string } };
    assert.deepEqual([status, error.param, error.type], [400, param, 'invalid_request_error'], text);
    assert.match(error.message, message);
  }
});

test('a file that is no guarantee, or a decider that cannot be opened, stops the start by its name', async (t) => {
  const file = join(await temporaryFolder(t), 'x.json');
  writeFileSync(file, '{"max_error": 5}');
  await assert.rejects(start(t, [{ name: 'a', engine: 'words', guarantees: [file] }]), {
    message: `guarantee ${file}: not a file of "nestor guarantee"`,
  });
  await assert.rejects(start(t, [{ name: 'by-file', engine: 'local' }]), {
    message: /^decisions\.deciders by-file: .*no GGUF file is named/,
  });
});

test('fields of a question that nobody knows change nothing, and the header names them', async (t) => {
  const server = await start(t, []);
  for (const path of paths) {
    const body = bodyOf(path, main) as {
      readonly questions: Readonly<Record<string, object>> | readonly object[];
    };
    const plain = await server.post(path, body);
    assert.equal(plain.headers.get('x-nestor-ignored'), null);
    const [entries, isList] = [Object.entries(body.questions), Array.isArray(body.questions)];
    const more = entries.map(
      ([name, one], index) => [name, index === 1 ? { ...one, weight: 2, 'a b': 1 } : one] as const,
    );
    const questions = isList ? more.map(([, one]) => one) : Object.fromEntries(more);
    const received = await server.post(path, { ...body, questions });
    const name = isList ? '1' : 'topic';
    assert.equal(
      received.headers.get('x-nestor-ignored'),
      `questions.${name}.weight,questions.${name}.a_b`,
      path,
    );
    assert.equal(await received.text(), await plain.text(), path);
  }
});

test('a body in the shape of OpenAI is told where it is answered', async (t) => {
  const server = await start(t, []);
  const response = await server.post('/v1/decisions', openAiBody);
  assert.equal(response.status, 400);
  assert.match(await response.text(), /\/openai\/v1\/decisions/);
});

test('the ledger tells what each decider of a cascade was asked and cost', async (t) => {
  const deciders = [
    { name: 'plain', engine: 'words' },
    { name: 'both', cascade: [{ decider: 'plain', confidence: { noul: 1 } }, { decider: main }] },
  ];
  const server = await start(t, deciders, { prices: { decisions: 1_000_000 } });
  await ask(server, '/v1/decisions', 'both');
  const headers = { authorization: `Bearer ${server.key}` };
  const rows = async () => {
    const { data } = (await (await fetch(`${server.url}/v1/account/usage`, { headers })).json()) as {
      readonly data: readonly {
        readonly model: string;
        readonly input_tokens: number;
        readonly cost_usd: number;
        readonly other_units: object;
        readonly cost_parts: Readonly<Record<string, number>>;
      }[];
    };
    return data;
  };
  const [row] = await poll(rows, ({ length }) => length > 0);
  assert.equal(row?.model, 'both');
  const counts = { 'questions:plain': 3, 'passed_on:plain': 1 };
  assert.deepEqual(row.other_units, { ...counts, [`questions:${main}`]: 1, [`passed_on:${main}`]: 0 });
  assert.deepEqual(Object.keys(row.cost_parts).toSorted(), ['input:plain', `input:${main}`]);
  const sum = Object.values(row.cost_parts).reduce((total, cost) => total + cost, 0);
  assert.deepEqual([sum, row.cost_usd], [row.input_tokens, row.input_tokens]);
});
