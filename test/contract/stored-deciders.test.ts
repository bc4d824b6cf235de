import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { nativeQuestions, openAiBody, state } from '../support/examples.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { poll } from '../support/until.ts';

const main = 'svc-decider-v1-27b';
const otherKey = 'sk-another-account-0123456789';
const paths = ['/v1/decisions', '/v1/systemone', '/openai/v1/decisions'] as const;

const start = (t: TestContext, decisions: object = {}): Promise<TestServer> =>
  startServer(t, {
    config: JSON.stringify({
      keys: [{ key: otherKey, account: 'other' }],
      decisions: { engine: 'words', deciders: [{ name: 'house', engine: 'words' }], ...decisions },
    }),
  });

interface Received {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function call(
  { url, key }: Pick<TestServer, 'url' | 'key'>,
  method: string,
  path: string,
  json?: object,
): Promise<Received> {
  const body = json === undefined ? {} : { body: JSON.stringify(json) };
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...body,
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Received['body']) };
}

const place = (name: string) => `/v1/deciders/${name}`;
const messageOf = ({ body }: Received) => (body['error'] as { readonly message: string }).message;

const bodyOf = (path: string, model: string): object =>
  path.startsWith('/openai') ? { ...openAiBody, model } : { model, state, questions: nativeQuestions };

const full = {
  engine: 'words',
  passes: 1,
  prior: false,
  negation: false,
  calibration: null,
  cascade: [],
  abstain: {},
  max_error: null,
  guarantees: [],
};

suite('deciders of an account', () => {
  test('are made, shown, replaced whole, listed after the operator’s and deleted', async (t) => {
    const server = await start(t);
    const made = await call(server, 'PUT', place('careful'), {
      engine: 'words',
      negation: true,
      abstain: 0.3,
    });
    assert.equal(made.status, 200);
    const abstain = { noul: 0.3, choice: 0.3, score: 0.3 };
    const { created_at: createdAt, ...shown } = made.body;
    assert.deepEqual(
      { ...shown, updated_at: null },
      {
        name: 'careful',
        owner: 'account',
        definition: { ...full, negation: true, abstain },
        fit: null,
        updated_at: null,
      },
    );
    assert.deepEqual(await call(server, 'GET', place('careful')), made);
    const replaced = await call(server, 'PUT', place('careful'), { cascade: [{ decider: 'house' }] });
    const cascade = [{ decider: 'house', confidence: {} }];
    assert.deepEqual(replaced.body['definition'], { ...full, engine: null, cascade });
    assert.equal(replaced.body['created_at'], createdAt);
    const { body } = await call(server, 'GET', '/v1/deciders');
    const listed = body['deciders'] as readonly { name: string; owner: string }[];
    assert.deepEqual(
      listed.map(({ name, owner }) => [name, owner]),
      [
        [main, 'operator'],
        ['house', 'operator'],
        ['careful', 'account'],
      ],
    );
    assert.equal((await call(server, 'DELETE', place('careful'))).status, 204);
    assert.equal((await call(server, 'DELETE', place('careful'))).status, 404);
    assert.equal((await call(server, 'GET', place('careful'))).status, 404);
  });

  test('answer under their names on every path, as they are defined at that moment', async (t) => {
    const server = await start(t);
    for (const path of paths) {
      await call(server, 'PUT', place('careful'), { engine: 'words', abstain: 1 });
      const plain = await call(server, 'POST', path, bodyOf(path, main));
      const first = await call(server, 'POST', path, bodyOf(path, 'careful'));
      assert.deepEqual([first.status, first.body['model']], [200, 'careful'], path);
      const answers = Object.values(first.body['answers'] as object) as Record<string, unknown>[];
      assert.deepEqual(
        answers.map((one) => [one['abstained'], one['decided_by']]),
        [0, 1, 2].map(() => [true, 'careful']),
      );
      await call(server, 'PUT', place('careful'), { engine: 'words' });
      const second = await call(server, 'POST', path, bodyOf(path, 'careful'));
      assert.deepEqual(second.body, { ...plain.body, model: 'careful' }, path);
    }
  });

  test('a cascade asks deciders of the account and of the operator', async (t) => {
    const server = await start(t);
    await call(server, 'PUT', place('quick'), { engine: 'words' });
    await call(server, 'PUT', place('careful'), {
      cascade: [{ decider: 'quick', confidence: { noul: 1, score: 0 } }, { decider: 'house' }],
    });
    const { body } = await call(server, 'POST', '/v1/decisions', bodyOf('/v1/decisions', 'careful'));
    const answers = body['answers'] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    assert.deepEqual(
      Object.values(answers).map((one) => one['decided_by']),
      ['house', 'quick', 'quick'],
    );
  });

  test('are nobody else’s: neither shown, nor asked, nor changed', async (t) => {
    const server = await start(t);
    const other = { url: server.url, key: otherKey };
    await call(server, 'PUT', place('mine'), { engine: 'words' });
    assert.equal((await call(other, 'GET', place('mine'))).status, 404);
    assert.equal((await call(other, 'DELETE', place('mine'))).status, 404);
    const refused = await call(other, 'POST', '/v1/decisions', bodyOf('/v1/decisions', 'mine'));
    assert.equal(messageOf(refused), `Invalid model 'mine'. Permitted models: ${main}, house`);
    const cascade = await call(other, 'PUT', place('theirs'), { cascade: [{ decider: 'mine' }] });
    assert.equal(cascade.status, 400);
    assert.equal((await call(other, 'PUT', place('mine'), { engine: 'words', abstain: 1 })).status, 200);
    const own = await call(server, 'GET', place('mine'));
    assert.deepEqual((own.body['definition'] as typeof full).abstain, {});
  });

  test('an unknown name is refused where it was: after the shape above it, before the questions', async (t) => {
    const server = await start(t);
    const cases: readonly (readonly [object, string])[] = [
      [
        { model: 'nobody', state: 5, questions: {} },
        `Invalid model 'nobody'. Permitted models: ${main}, house`,
      ],
      [{ model: 'nobody', extra: 1 }, 'Unknown field "extra"'],
      [{ model: 'x-latest' }, `Invalid model 'x-latest'. Permitted models: ${main}, house`],
      [{ model: 7 }, `Invalid model '7'. Permitted models: ${main}, house`],
      [{}, 'Missing required field "model"'],
    ];
    for (const [body, message] of cases) {
      const received = await call(server, 'POST', '/v1/decisions', body);
      assert.deepEqual([received.status, messageOf(received)], [400, message]);
    }
  });

  test('a definition that cannot work is refused, and nothing is changed', async (t) => {
    const server = await start(t);
    await call(server, 'PUT', place('quick'), { engine: 'words' });
    await call(server, 'PUT', place('careful'), { cascade: [{ decider: 'quick' }] });
    const calibration = {
      version: 1,
      engine: 'encoder',
      promptVersion: 1,
      fittedAt: '2026-11-20T12:00:00Z',
      temperatures: {
        noul: { min: 1, a: 1, b: 0 },
        choice: { min: 1, a: 1, b: 0 },
        score: { min: 1, a: 1, b: 0 },
      },
      figures: { examples: 1, accuracy: 1, nll: 0, ece: 0 },
    };
    const cases: readonly (readonly [string, object, RegExp])[] = [
      ['new', {}, /either an engine or a cascade/],
      ['new', { engine: 'words', cascade: [{ decider: 'house' }] }, /either an engine or a cascade/],
      ['new', { engine: 'systemone' }, /engine must be words or encoder/],
      ['new', { engine: 'words', upstreams: [{ url: 'http://127.0.0.1' }] }, /Unknown field "upstreams"/],
      ['new', { engine: 'words', path: '/etc/passwd' }, /Unknown field "path"/],
      ['new', { cascade: [{ decider: 'careful' }] }, /asks "careful", which is no decider with an engine/],
      ['new', { cascade: [{ decider: 'new' }] }, /asks "new"/],
      ['quick', { cascade: [{ decider: 'house' }] }, /cascade of "careful" asks "quick"/],
      ['new', { cascade: [{ decider: 'house' }], negation: true }, /Steps and calibrations belong/],
      ['new', { engine: 'words', calibration }, /fitted for another engine than words/],
      ['new', { engine: 'words', abstain: 2 }, /A confidence must be a number from 0 to 1/],
      ['house', { engine: 'words' }, /"house" is a decider of the operator/],
      [main, { engine: 'words' }, /is a decider of the operator/],
      ['jev-latest', { engine: 'words' }, /does not end in -latest/],
      ['Big', { engine: 'words' }, /A name is 1 to 32 characters/],
    ];
    const before = await call(server, 'GET', '/v1/deciders');
    for (const [name, definition, message] of cases) {
      const received = await call(server, 'PUT', place(name), definition);
      assert.equal(received.status, 400, JSON.stringify(received.body));
      assert.match(messageOf(received), message);
    }
    const used = await call(server, 'DELETE', place('quick'));
    assert.match(messageOf(used), /cascade of "careful" asks "quick"/);
    assert.deepEqual(await call(server, 'GET', '/v1/deciders'), before);
  });

  test('the description never shows servers, keys or files of the operator', async (t) => {
    const upstreams = [{ url: 'http://127.0.0.1:9', key: 'sk-secret-of-the-operator', model: 'm' }];
    const server = await start(t, { deciders: [{ name: 'far', engine: 'systemone', upstreams }] });
    const text = JSON.stringify((await call(server, 'GET', '/v1/deciders')).body);
    assert.doesNotMatch(text, /127\.0\.0\.1|sk-secret/);
    assert.match(text, /"systemone"/);
  });

  test('a decision is metered under the name of its decider', async (t) => {
    const server = await start(t);
    await call(server, 'PUT', place('mine'), { engine: 'words' });
    await call(server, 'POST', '/v1/decisions', bodyOf('/v1/decisions', 'mine'));
    const rows = async () =>
      (await call(server, 'GET', '/v1/account/usage')).body['data'] as readonly { readonly model: string }[];
    const [row] = await poll(rows, ({ length }) => length > 0);
    assert.equal(row?.model, 'mine');
  });
});
