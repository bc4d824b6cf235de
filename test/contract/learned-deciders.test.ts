import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { holdEncoder, remembering } from '../support/held-encoder.ts';
import { sender, type Drift, type Fit, type Received, type Send } from '../support/learning.ts';
import { queueExamples, queueQuestion as question } from '../support/queues.ts';
import { startServer } from '../support/server.ts';
import { poll } from '../support/until.ts';

const otherKey = 'sk-another-account-0123456789';
const place = '/v1/deciders/desk';
const openEncoder = holdEncoder();
/** Most tests teach the same examples. */
const remembered = remembering(openEncoder);

async function start(t: TestContext, config: object = {}, data?: string, opened = remembered) {
  const server = await startServer(t, {
    config: JSON.stringify({
      keys: [{ key: otherKey, account: 'other' }],
      decisions: { engine: 'words' },
      ...config,
    }),
    env: { NESTOR_RATE_LIMITS_ENABLED: 'false' },
    openEncoder: opened,
    ...(data !== undefined && { data }),
  });
  const send = sender(server, server.key);
  const queueOf = async (state: string, criteria: object = question.criteria) => {
    const body = { model: 'desk', state, questions: { queue: { ...question, criteria } } };
    const received = await send('POST', '/v1/decisions', body);
    assert.equal(received.status, 200, JSON.stringify(received.body));
    return (received.body['answers'] as { queue: { choice: string; probabilities: object } }).queue;
  };
  return { server, send, other: sender(server, otherKey), queueOf };
}

async function fit(send: Send, asked: object = {}): Promise<Fit> {
  const { status, body } = await send('POST', `${place}/fit`, { wait: true, ...asked });
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Fit;
}

/** A fit of these takes seconds. */
const many = Array.from({ length: 40 }, (_, n) =>
  queueExamples.map((one) => ({ ...one, state: `${one.state} (${n})` })),
).flat();

const messageOf = ({ body }: Received) => (body['error'] as { readonly message: string }).message;

suite('deciders that learn from examples', () => {
  test('what the names do not say is learned, answered, rolled back, and never before it is surely better', async (t) => {
    const { server, send, queueOf } = await start(t);
    await send('PUT', place, { engine: 'encoder' });
    const before = await queueOf('I was billed two times');
    const added = await send('POST', `${place}/examples`, { examples: queueExamples });
    assert.equal(added.status, 201);
    assert.equal(added.body['total'], queueExamples.length);
    assert.equal((added.body['ids'] as string[]).length, queueExamples.length);
    // Examples alone change nothing.
    assert.deepEqual(await queueOf('I was billed two times'), before);

    const first = await fit(send);
    assert.deepEqual([first.state, first.in_use, first.error], ['taken', true, null]);
    const [told] = first.report?.questions ?? [];
    assert.ok(told !== undefined && told.taken !== null && first.report?.questions.length === 1);
    assert.ok(told.after.accuracy > told.before.accuracy + 0.2, JSON.stringify(told));
    assert.ok(told.after.nll < told.before.nll);
    assert.deepEqual(
      told.labels.map(({ name, examples }) => [name, examples]),
      Object.keys(question.criteria).map((name) => [name, queueExamples.length / 3]),
    );
    // The figures by answer and the pairs are of the same answers as the figures of all.
    const wrong = told.confused.reduce((sum, { examples }) => sum + examples, 0);
    const found = told.labels.reduce((sum, { examples, recall }) => sum + examples * (recall ?? 0), 0);
    assert.equal(Math.round(found) + wrong, queueExamples.length);
    assert.equal(Math.round(told.held_out.accuracy * queueExamples.length), Math.round(found));
    const learned = await queueOf('I was billed two times');
    assert.equal(learned.choice, 'q1');
    const reversed = await queueOf('I was billed two times', { q3: null, q2: null, q1: null });
    assert.deepEqual(reversed.probabilities, learned.probabilities);
    assert.equal((await send('GET', place)).body['fit'], first.id);

    // The same examples once more teach nothing new, but they are surely better than no examples.
    assert.equal(told.bound, null);
    const second = await fit(send, { max_error: 0.5 });
    assert.equal(second.state, 'taken');
    const { threshold, answered, ...bound } = second.report?.questions[0]?.bound ?? assert.fail('no bound');
    // 0.5 ^ 8 is the first below the share of the level that each of the seven starts has.
    assert.deepEqual(bound, { max_error: 0.5, confidence: 0.95, examples_needed: 8, wrong: 0 });
    assert.ok(threshold !== null && answered >= 8);
    const refused = await send('POST', `${place}/fit`, { max_error: 1 });
    assert.equal(refused.status, 400);
    assert.equal(messageOf(refused), 'max_error must be a number between 0 and 1');
    assert.deepEqual(await queueOf('I was billed two times'), learned);
    assert.equal((await send('POST', `${place}/rollback`)).body['fit'], first.id);
    assert.deepEqual(await queueOf('I was billed two times'), learned);
    assert.equal((await send('POST', `${place}/rollback`)).body['fit'], null);
    assert.deepEqual(await queueOf('I was billed two times'), before);
    assert.equal((await send('POST', `${place}/rollback`)).status, 409);
    const { body } = await send('GET', `${place}/fits`);
    assert.deepEqual(
      (body['fits'] as Fit[]).map(({ state, in_use: isUsed }) => [state, isUsed]),
      [
        ['rolled_back', false],
        ['rolled_back', false],
      ],
    );
    // A cascade asks it as it is.
    await fit(send);
    await send('PUT', '/v1/deciders/careful', { cascade: [{ decider: 'desk' }] });
    const asked = { model: 'careful', state: 'I was billed two times', questions: { queue: question } };
    const { answers } = (await send('POST', '/v1/decisions', asked)).body as {
      answers: { queue: { probabilities: object } };
    };
    assert.deepEqual(answers.queue.probabilities, learned.probabilities);
    assert.ok(!JSON.stringify(server.log).includes('charged twice'));
  });

  test('examples that contradict each other teach nothing, and leave what was learned as it is', async (t) => {
    const { send, queueOf } = await start(t);
    await send('PUT', place, { engine: 'encoder' });
    await send('POST', `${place}/examples`, { examples: queueExamples });
    const first = await fit(send);
    const learned = await queueOf('I was billed two times');
    const answers = ['q1', 'q2', 'q3'];
    // Each text with each answer, and none of them once more.
    const noise = queueExamples.flatMap(({ state, answer }) =>
      answers.filter((one) => one !== answer).map((one) => ({ state, question, answer: one })),
    );
    await send('POST', `${place}/examples`, { examples: noise });
    const second = await fit(send);
    assert.equal(second.state, 'not_better', JSON.stringify(second.report));
    assert.equal((await send('GET', place)).body['fit'], first.id);
    assert.deepEqual(await queueOf('I was billed two times'), learned);
  });

  test('examples come back as they were sent, a page at a time, and go one by one or all at once', async (t) => {
    const { send } = await start(t);
    await send('PUT', place, { engine: 'words' });
    const examples = [
      { state: { order: 4411, notes: ['late', null] }, question, answer: 'q2' },
      { state: 'é', question: { type: 'noul', instructions: 'Is it a joke?' }, answer: false },
      { state: ['a', 'b'], question: { type: 'score', criteria: ['calm', 'angry'] }, answer: 1 },
    ];
    const { body } = await send('POST', `${place}/examples`, { examples });
    const ids = body['ids'] as readonly string[];
    const first = (await send('GET', `${place}/examples?limit=2`)).body;
    const token = String(first['next_page_token']);
    const rest = (await send('GET', `${place}/examples?limit=2&page_token=${token}`)).body;
    const listed = [...(first['examples'] as object[]), ...(rest['examples'] as object[])];
    assert.deepEqual(
      listed.map((one) => ({ ...one, created_at: null })),
      examples.map((one, n) => ({ id: ids[n], ...one, created_at: null })),
    );
    assert.deepEqual([first['total'], rest['total'], 'next_page_token' in rest], [3, 3, false]);
    const foreign = await send('GET', `${place}/examples?page_token=1.x`);
    assert.match(messageOf(foreign), /page_token is invalid/);
    assert.equal((await send('DELETE', `${place}/examples/${ids[1]}`)).status, 204);
    assert.equal((await send('DELETE', `${place}/examples/${ids[1]}`)).status, 404);
    assert.equal((await send('GET', `${place}/examples`)).body['total'], 2);
    assert.equal((await send('DELETE', `${place}/examples`)).status, 204);
    assert.equal((await send('GET', `${place}/examples`)).body['total'], 0);
  });

  test('examples that no fit could read are refused, all or none', async (t) => {
    const { send } = await start(t);
    await send('PUT', place, { engine: 'words' });
    const good = { state: 'x', question, answer: 'q1' };
    const image = { type: 'image_url', image_url: 'data:image/png;base64,AA==' };
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [[], /array of 1 to 1000 examples/],
      [Array.from({ length: 1_001 }, () => good), /array of 1 to 1000 examples/],
      [[good, { ...good, answer: 'q4' }], /answer "q4": a choice is answered by/],
      [[good, { ...good, answer: true }], /answer true: a choice is answered by/],
      [[{ ...good, answer: null }], /answer must be true or false/],
      [[{ ...good, state: 5 }], /state must be a string, object or array/],
      [[{ ...good, question: { type: 'riddle' } }], /Question type must be noul, choice or score/],
      [[{ ...good, question: { type: 'noul' } }], /Noul question must have criteria or instructions/],
      [[{ ...good, question: { ...question, instructions: [image] } }], /image parts are only allowed/],
      [[{ ...good, state: [image] }], /image|Image/],
      [[{ state: 'x', question }], /Missing required field "answer"|answer/],
    ];
    for (const [examples, message] of cases) {
      const received = await send('POST', `${place}/examples`, { examples });
      assert.equal(received.status, 400, JSON.stringify(received.body));
      assert.match(messageOf(received), message);
    }
    assert.equal((await send('POST', `${place}/examples`, { examples: [good], extra: 1 })).status, 400);
    assert.equal((await send('GET', `${place}/examples`)).body['total'], 0);
    // Further fields of an example are passed over, as in files.
    const more = { examples: [{ ...good, source: 'mail', id: 7 }] };
    assert.equal((await send('POST', `${place}/examples`, more)).status, 201);
  });

  test('deciders that cannot learn say so, and so do those that are not there', async (t) => {
    const { send } = await start(t, {
      decisions: { engine: 'words', deciders: [{ name: 'house', engine: 'words' }] },
    });
    await send('PUT', place, { engine: 'words' });
    await send('PUT', '/v1/deciders/careful', { cascade: [{ decider: 'desk' }] });
    const examples = { examples: queueExamples };
    assert.match(
      messageOf(await send('POST', '/v1/deciders/house/examples', examples)),
      /decider of the operator/,
    );
    assert.match(messageOf(await send('POST', '/v1/deciders/house/fit')), /decider of the operator/);
    assert.match(messageOf(await send('POST', '/v1/deciders/careful/fit')), /A cascade learns nothing/);
    assert.match(messageOf(await send('POST', `${place}/fit`)), /"words" has no vectors/);
    await send('PUT', place, { engine: 'encoder' });
    assert.match(messageOf(await send('POST', `${place}/fit`)), /no examples to learn from/);
    for (const [method, path] of [
      ['POST', 'examples'],
      ['GET', 'examples'],
      ['DELETE', 'examples'],
      ['DELETE', 'examples/ex_1'],
      ['POST', 'fit'],
      ['GET', 'fits'],
      ['GET', 'fits/fit_1'],
      ['DELETE', 'fits/fit_1'],
      ['POST', 'rollback'],
    ] as const) {
      const body = path === 'examples' && method === 'POST' ? examples : undefined;
      const received = await send(method, `/v1/deciders/nobody/${path}`, body);
      assert.equal(received.status, 404, `${method} ${path}`);
    }
  });

  test('one account never sees, changes or learns from another’s', async (t) => {
    const { send, other, queueOf } = await start(t);
    for (const account of [send, other]) await account('PUT', place, { engine: 'encoder' });
    const { body } = await send('POST', `${place}/examples`, { examples: queueExamples });
    const [id = ''] = body['ids'] as readonly string[];
    const first = await fit(send);
    assert.equal((await other('GET', `${place}/examples`)).body['total'], 0);
    assert.equal((await other('DELETE', `${place}/examples/${id}`)).status, 404);
    assert.deepEqual((await other('GET', `${place}/fits`)).body, { fits: [] });
    assert.equal((await other('GET', `${place}/fits/${first.id}`)).status, 404);
    assert.equal((await other('DELETE', `${place}/fits/${first.id}`)).status, 404);
    assert.equal((await other('POST', `${place}/rollback`)).status, 409);
    assert.equal((await other('POST', `${place}/fit`)).status, 400);
    const token = String((await send('GET', `${place}/examples?limit=1`)).body['next_page_token']);
    assert.equal((await other('GET', `${place}/examples?page_token=${token}`)).status, 400);
    const asked = { model: 'desk', state: 'I was billed two times', questions: { queue: question } };
    const theirs = (await other('POST', '/v1/decisions', asked)).body['answers'];
    const own = await queueOf('I was billed two times');
    assert.notDeepEqual(
      (theirs as { queue: { probabilities: object } }).queue.probabilities,
      own.probabilities,
    );
    assert.equal((await other('DELETE', place)).status, 204);
    assert.equal((await send('GET', `${place}/examples`)).body['total'], queueExamples.length);
    // A decider that is made anew has learned nothing.
    assert.equal((await send('DELETE', place)).status, 204);
    await send('PUT', place, { engine: 'encoder' });
    assert.equal((await send('GET', `${place}/examples`)).body['total'], 0);
    assert.deepEqual((await send('GET', `${place}/fits`)).body, { fits: [] });
  });

  test('a fit that is not waited for runs beside the requests, one at a time, and can be cancelled', async (t) => {
    const { send } = await start(t, {}, undefined, openEncoder);
    await send('PUT', place, { engine: 'encoder' });
    await send('POST', `${place}/examples`, { examples: many });
    const begun = await send('POST', `${place}/fit`);
    const { id } = begun.body as unknown as Fit;
    assert.deepEqual([begun.status, begun.body['state'], begun.body['report']], [202, 'running', null]);
    assert.equal((await send('POST', `${place}/fit`)).status, 409);
    assert.equal((await send('DELETE', `${place}/fits/${id}`)).status, 204);
    assert.equal((await send('GET', `${place}/fits/${id}`)).body['state'], 'cancelled');
    assert.equal((await send('DELETE', `${place}/fits/${id}`)).status, 409);
    await send('DELETE', `${place}/examples`);
    await send('POST', `${place}/examples`, { examples: queueExamples });
    const again = (await send('POST', `${place}/fit`)).body as unknown as Fit;
    const look = async () => (await send('GET', `${place}/fits/${again.id}`)).body as unknown as Fit;
    const ended = await poll(look, ({ state }) => state !== 'running');
    assert.deepEqual(
      [ended.state, ended.report?.examples],
      ['taken', queueExamples.length],
      JSON.stringify(ended),
    );
    assert.equal((await send('GET', `${place}/fits/${id}`)).body['state'], 'cancelled');
  });

  test('what was read of examples is not read again for a fit, nor after a restart', async (t) => {
    const read: number[] = [];
    const counting = async () => {
      const encoder = await openEncoder();
      const run: typeof encoder.run = (rows, ...rest) => {
        read.push(...rows.filter(({ about }) => about === undefined).map(({ ids }) => ids.length));
        return encoder.run(rows, ...rest);
      };
      return { ...encoder, run };
    };
    const first = await start(t, { decisions: { engine: 'words' } }, undefined, counting);
    await first.send('PUT', place, { engine: 'encoder' });
    await first.send('POST', `${place}/examples`, { examples: queueExamples });
    const learned = await fit(first.send);
    // Examples, options and questions, each once.
    assert.ok(
      read.length >= queueExamples.length && read.length < 2 * queueExamples.length,
      `${read.length}`,
    );
    await first.server.close();
    const second = await start(t, { decisions: { engine: 'words' } }, first.server.data, counting);
    const known = read.length;
    const again = await fit(second.send);
    assert.deepEqual(again.report?.questions[0]?.after, learned.report?.questions[0]?.after);
    // Options and questions stay on disk as well; what opens the engine is read once.
    assert.ok(read.length - known <= 1, `${read.length - known} rows were read again`);
  });

  test('a fit that a server leaves behind has failed for the next one, and can be begun again', async (t) => {
    const first = await start(t, {}, undefined, openEncoder);
    await first.send('PUT', place, { engine: 'encoder' });
    await first.send('POST', `${place}/examples`, { examples: many });
    const { body } = await first.send('POST', `${place}/fit`);
    await first.server.close();
    const second = await start(t, {}, first.server.data);
    const left = (await second.send('GET', `${place}/fits/${String(body['id'])}`)).body;
    assert.equal(left['state'], 'failed', JSON.stringify(left));
    assert.equal(left['error'], 'The server stopped before the fit ended');
    await second.send('DELETE', `${place}/examples`);
    await second.send('POST', `${place}/examples`, { examples: queueExamples });
    assert.equal((await fit(second.send)).state, 'taken');
    const { choice } = await second.queueOf('I was billed two times');
    assert.equal(choice, 'q1');
  });

  test('answers that are unlike those of the fit are told with their figures, and after a restart', async (t) => {
    const first = await start(t);
    const { send, server } = first;
    await send('PUT', place, { engine: 'encoder' });
    assert.ok(!('drift' in (await send('GET', place)).body));
    const sixEach = Array.from({ length: 2 }, (_, n) =>
      queueExamples.map((one) => ({ ...one, state: `${one.state} (${n})` })),
    ).flat();
    await send('POST', `${place}/examples`, { examples: sixEach });
    await fit(send);
    assert.deepEqual((await send('GET', place)).body['drift'], []);
    const ask = (state: string) =>
      send('POST', '/v1/decisions', { model: 'desk', state, questions: { queue: question } });
    // Nothing but bills, of which no queue had more than a third: of examples, whose vectors are kept.
    const bills = sixEach.filter(({ answer }) => answer === 'q1').map(({ state }) => state);
    for (let n = 0; n < 200; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, i) => ask(bills[(n + i) % bills.length] ?? '')));
    const [told, ...others] = (await send('GET', place)).body['drift'] as readonly Drift[];
    assert.ok(told !== undefined && others.length === 0);
    assert.deepEqual([told.answers, told.baseline, told.drifted], [200, sixEach.length, true]);
    assert.ok(
      told.choices.z >= 4 && told.choices.psi > told.choices.psi_by_chance + 0.1,
      JSON.stringify(told),
    );
    assert.ok(told.since !== null);
    const lines = server.log.filter(({ msg }) => String(msg).includes('otherwise than when it learned it'));
    assert.equal(lines.length, 1);
    for (const bill of bills) assert.ok(!JSON.stringify(server.log).includes(bill));
    await server.close();
    const second = await start(t, {}, server.data);
    assert.deepEqual((await second.send('GET', place)).body['drift'], [told]);
  });

  test('a full account is refused examples and fits', async (t) => {
    const { send } = await start(t, { accounts: { storage_mb: 1 } });
    await send('PUT', place, { engine: 'encoder' });
    const large = (n: number) => ({ state: `${n} `.repeat(80_000), question, answer: 'q1' });
    assert.equal((await send('POST', `${place}/examples`, { examples: queueExamples })).status, 201);
    const small = await send('POST', `${place}/examples`, { examples: [large(1), large(2), large(3)] });
    assert.equal(small.status, 201);
    const full = await send('POST', `${place}/examples`, {
      examples: [large(4), large(5), large(6), large(7), large(8)],
    });
    assert.equal(full.status, 413);
    assert.match(messageOf(full), /keeps as much as it may/);
    assert.equal((await send('GET', `${place}/examples`)).body['total'], queueExamples.length + 3);
    await send('DELETE', `${place}/examples`);
    assert.equal((await send('POST', `${place}/examples`, { examples: queueExamples })).status, 201);
  });
});
