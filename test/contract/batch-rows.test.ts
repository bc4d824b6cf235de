import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { suite, test, type TestContext } from 'node:test';
import type { DecisionEngine } from '../../src/features/decisions/engine.ts';
import { createBatches, resultsOf, untilOver, type BatchClient } from '../support/batches.ts';
import { hashedDistribution, scriptedEngine } from '../support/engines.ts';
import { rootKey, startServer } from '../support/server.ts';
import { poll, until } from '../support/until.ts';

const model = 'svc-decider-v1-27b';
const questions = { late: { type: 'noul', instructions: 'Is it late?' } };
const operation = 'createDecisionBatch';

const openWith = (t: TestContext, score: DecisionEngine['score']) =>
  startServer(t, {
    decisions: scriptedEngine({ score }),
    env: { NESTOR_RATE_LIMITS_ENABLED: 'false' },
  });

const hashed: DecisionEngine['score'] = (state, asked) =>
  Promise.resolve(asked.map((question) => hashedDistribution(state, question)));

const toLines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n');

async function read(batches: BatchClient, id: string) {
  const { text } = await resultsOf(batches, id);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

async function billed(batches: BatchClient): Promise<number> {
  const { body } = await batches.call('GET', '/v1/account/usage/totals?by=operation');
  const totals = body['data'] as readonly Readonly<Record<string, unknown>>[];
  return Number(totals.find((one) => one['operation'] === operation)?.['requests'] ?? 0);
}

const answeredOf = ({ rows }: Readonly<Record<string, unknown>>) =>
  (rows as { readonly answered: number }).answered;

suite('rows of a batch', () => {
  test('that the engine cannot answer, of a megabyte or half a character, stop none of a thousand others', async (t) => {
    const server = await openWith(t, (state, asked, ...rest) => {
      if (state.text === 'throws at once') throw new TypeError('a defect');
      if (state.text === 'rejects') return Promise.reject(new TypeError('a defect'));
      if (state.text === 'is no distribution') return Promise.resolve(asked.map(() => [2, -1]));
      if (state.text === 'answers too little') return Promise.resolve([]);
      return hashed(state, asked, ...rest);
    });
    const batches = createBatches(server);
    const failing = ['throws at once', 'rejects', 'is no distribution', 'answers too little'];
    const strange = ['x'.repeat(1_048_576), 'half \ud800', '\ufffe\u0000'];
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, state: `row ${id}` }));
    for (const [at, state] of [...failing, ...strange].entries()) {
      const id = 100 + at * 130;
      rows[id] = { id, state };
    }
    const made = await batches.upload({ model, questions }, toLines(rows));
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const over = await untilOver(batches, made.id);
    const failed = failing.length;
    assert.deepEqual(over['rows'], { total: 1_000, answered: 1_000 - failed, failed, left: 0 });
    const results = await read(batches, made.id);
    assert.deepEqual(
      results.map(({ id }) => id),
      [...rows.keys()],
    );
    const wrong = results.filter((one) => 'error' in one);
    assert.deepEqual(
      wrong.map(({ id }) => rows[Number(id)]?.state),
      failing,
    );
    assert.ok(!JSON.stringify(wrong).includes('a defect'));
    assert.equal(await billed(batches), 1_000 - failed);
  });

  test('stand back while somebody waits for a decision', async (t) => {
    let requests = 0;
    let underWay = 0;
    const begunMeanwhile: number[] = [];
    const server = await openWith(t, async (state, asked, ...rest) => {
      if (state.text !== 'a request') {
        if (underWay > 0) begunMeanwhile[requests] = (begunMeanwhile[requests] ?? 0) + 1;
        await setImmediate();
        return hashed(state, asked, ...rest);
      }
      begunMeanwhile[++requests] = 0;
      underWay++;
      for (let turn = 0; turn < 5; turn++) await setImmediate();
      underWay--;
      return hashed(state, asked, ...rest);
    });
    const batches = createBatches(server);
    const rows = Array.from({ length: 20_000 }, (_, at) => ({ state: `row ${at}` }));
    const { id } = await batches.upload({ model, questions }, toLines(rows));
    await poll(
      () => batches.find(id),
      (batch) => answeredOf(batch) > 0,
    );
    const asked = 50;
    for (let at = 0; at < asked; at++)
      assert.equal((await server.post('/v1/decisions', { model, questions, state: 'a request' })).status, 200); // prettier-ignore
    const { status } = await batches.find(id);
    assert.equal(status, 'running', 'the requests were asked beside the batch');
    // A row waits 250 ms at most, which a machine that stands still may take from a request.
    const quiet = begunMeanwhile.filter((count) => count === 0).length;
    assert.ok(requests === asked && quiet >= 0.9 * asked, begunMeanwhile.join(' '));
    await batches.call('DELETE', `/v1/decisions/batches/${id}`);
  });

  test('under way when a batch is cancelled or deleted are neither kept nor billed', async (t) => {
    let held: PromiseWithResolvers<void> | null = null;
    let waiting = 0;
    const server = await openWith(t, async (state, asked, ...rest) => {
      if (state.text === 'hold' && held !== null) {
        waiting++;
        await held.promise;
      }
      return hashed(state, asked, ...rest);
    });
    const batches = createBatches(server);
    const stored = async () => Number((await batches.call('GET', '/v1/account')).body['stored_bytes']);
    let before = 0;
    for (const end of ['cancel', 'delete'] as const) {
      held = Promise.withResolvers<void>();
      waiting = 0;
      // A piece of 256 rows is answered and stored; of the next every row is held.
      const rows = Array.from({ length: 512 }, (_, at) => ({ id: at, state: at < 256 ? 'go on' : 'hold' }));
      const { id } = await batches.upload({ model, questions }, toLines(rows));
      await poll(
        () => batches.find(id),
        (batch) => answeredOf(batch) === 256,
      );
      await until(() => waiting > 0);
      const path = `/v1/decisions/batches/${id}`;
      if (end === 'cancel')
        assert.equal((await batches.call('POST', `${path}/cancel`)).body['status'], 'cancelled');
      else assert.equal((await batches.call('DELETE', path)).status, 204);
      held.resolve();
      before += 256;
      if (end === 'cancel') {
        assert.equal((await read(batches, id)).length, 256);
        assert.equal((await batches.call('DELETE', path)).status, 204);
      }
      await poll(stored, (bytes) => bytes === 0);
      // Another batch is answered after it: what was under way is over by then.
      const next = await batches.upload({ model, questions }, toLines([{ state: 'go on' }]));
      await untilOver(batches, next.id);
      before += 1;
      assert.equal(await billed(batches), before, end);
      await batches.call('DELETE', `/v1/decisions/batches/${next.id}`);
      await poll(stored, (bytes) => bytes === 0);
    }
  });

  test('belong to the account: one whose key is revoked goes on, and is read and billed with the others', async (t) => {
    const held = Promise.withResolvers<void>();
    let waiting = 0;
    const server = await openWith(t, async (state, asked, ...rest) => {
      waiting++;
      await held.promise;
      return hashed(state, asked, ...rest);
    });
    const made = await server.post('/generate_auth_token', { token_name: 'batches' });
    const { auth_token: token } = (await made.json()) as { readonly auth_token: string };
    const own = createBatches({ url: server.url, key: token });
    const { id } = await own.upload({ model, questions }, toLines([{ state: 'a' }, { state: 'b' }]));
    await until(() => waiting > 0);
    const owner = createBatches({ url: server.url, key: rootKey });
    const keys = (await owner.call('GET', '/v1/account/keys')).body['data'] as readonly {
      readonly id: string;
      readonly name: string;
    }[];
    const key = keys.find(({ name }) => name === 'batches')?.id ?? assert.fail(JSON.stringify(keys));
    assert.equal((await owner.call('DELETE', `/v1/account/keys/${key}`)).status, 200);
    held.resolve();
    assert.equal((await own.call('GET', `/v1/decisions/batches/${id}`)).status, 401);
    const over = await untilOver(owner, id);
    assert.deepEqual(over['rows'], { total: 2, answered: 2, failed: 0, left: 0 });
    assert.equal((await read(owner, id)).length, 2);
    assert.equal(await billed(owner), 2);
  });
});
