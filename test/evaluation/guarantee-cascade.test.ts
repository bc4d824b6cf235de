import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { runGuarantee } from '../../src/features/decisions/commands/guarantee.ts';
import { openBareDecisions } from '../../src/features/decisions/feature.ts';
import { startServer } from '../support/server.ts';
import { createBench } from './support.ts';

const question = { type: 'noul', instructions: 'Is a refund asked for?' };

const rows = Array.from({ length: 100 }, (_, at) => [
  JSON.stringify({ state: `I want my money back for order ${at}`, question, answer: true }),
  JSON.stringify({ state: `Where is parcel ${at}?`, question, answer: false }),
]).flat();

suite('nestor guarantee --decider, and a server with what it wrote', () => {
  test('of a cascade holds for it as a whole, also for that of an account, and not once a decider of it changed', async (t) => {
    const deciders = [
      { name: 'quick', engine: 'words', prior: true },
      { name: 'careful', cascade: [{ decider: 'quick', confidence: 0.1 }, { decider: 'reader' }] },
      { name: 'reader', engine: 'encoder' },
    ];
    const bench = createBench(t, openBareDecisions);
    const config = join(bench.folder, 'nestor.yaml');
    writeFileSync(config, JSON.stringify({ decisions: { engine: 'words', deciders } }));
    writeFileSync(join(bench.folder, 'mine.jsonl'), rows.join('\n'));
    const words = ['mine.jsonl', '--config', config, '--max-error', '0.05', '--out', 'out'];
    assert.equal(await runGuarantee([...words, '--decider', 'careful'], bench.context), 0, bench.err());
    assert.match(bench.out(), /^noul +quick +(none|from \S+) +120 /m);
    assert.match(bench.out(), /^noul +reader +/m);
    assert.match(bench.out(), /At most 5 % of what is answered is wrong/);
    const file = join(bench.folder, 'out/guarantee.json');
    const guarantee = JSON.parse(readFileSync(file, 'utf8')) as { engine: string; thresholds: unknown[] };
    assert.deepEqual([guarantee.engine, guarantee.thresholds.length], ['careful', 2]);

    const server = (changed: object) => {
      const [quick, careful, reader] = deciders;
      const given = [{ ...quick, ...changed }, { ...careful, max_error: 0.05, guarantees: [file] }, reader];
      const decisions = { engine: 'words', deciders: given };
      return startServer(t, { config: JSON.stringify({ decisions }), withEncoder: true });
    };
    const asking = { state: 'I want my money back for order 7', questions: { refund: question } };
    const fitted = await server({});
    const answered = async (model: string) => {
      const response = await fitted.post('/v1/decisions', { model, ...asking });
      const { answers } = (await response.json()) as {
        answers: { refund: { noul: number; abstained: boolean } };
      };
      const { noul, abstained } = answers.refund;
      return { isYes: noul > 0.5, abstained };
    };
    assert.deepEqual(await answered('careful'), { isYes: true, abstained: false });
    const own = { cascade: [{ decider: 'quick', confidence: 0.1 }, { decider: 'reader' }] };
    const put = await fetch(`${fitted.url}/v1/deciders/mine`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${fitted.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...own, max_error: 0.05, guarantees: [guarantee] }),
    });
    assert.equal(put.status, 200);
    assert.deepEqual(((await put.json()) as { definition: { guarantees: unknown } }).definition.guarantees, [
      guarantee,
    ]);
    assert.deepEqual(await answered('mine'), { isYes: true, abstained: false });

    const changed = await server({ prior: false });
    const refused = await changed.post('/v1/decisions', { model: 'careful', ...asking });
    assert.equal(refused.status, 400);
    assert.match(
      ((await refused.json()) as { error: { message: string } }).error.message,
      /this has changed: prior of stage 1; fit it again/,
    );
  });

  test('names the deciders that there are', async (t) => {
    const bench = createBench(t);
    writeFileSync(join(bench.folder, 'mine.jsonl'), rows.join('\n'));
    const words = ['mine.jsonl', '--max-error', '0.05', '--decider'];
    assert.equal(await runGuarantee([...words, 'gone'], bench.context), 2);
    assert.match(bench.err(), /No decider is called "gone": there are svc-decider-v1-27b\./);
    assert.equal(await runGuarantee([...words, 'gone', '--engine', 'words'], bench.context), 2);
    assert.match(bench.err(), /--decider excludes --engine and --url/);
  });
});
