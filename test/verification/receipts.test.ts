import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { runVerify } from '../../src/features/verification/commands/verify.ts';
import type { Receipt } from '../../src/features/verification/receipt-schema.ts';
import type { WireVerification } from '../../src/features/verification/wire/verification.ts';
import { createBench } from '../evaluation/support.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const note = `# Keas

The kea is a large parrot of New Zealand. It was described by John Gould in 1856. A kea is about 48 cm long.`;
const file_url = { url: Buffer.from(note).toString('base64') };
const config = JSON.stringify({
  chat: { verify: 'mark' },
  agent: { verify: 'mark' },
  keys: [
    { key: 'acme-key-0123456789', account: 'acme' },
    { key: 'other-key-0123456789', account: 'other' },
  ],
});

interface Completion {
  readonly choices: readonly [{ readonly message: { readonly content: string } }];
  readonly verification?: WireVerification;
}

const ask = (stream: boolean) => ({
  model: 'svc',
  stream,
  disable_search: true,
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'By whom was the kea described?' },
        { type: 'file_url', file_url, file_name: 'keas.md' },
      ],
    },
  ],
});
const asAcme = { authorization: 'Bearer acme-key-0123456789' };

async function answered(server: TestServer): Promise<WireVerification> {
  const response = await server.post('/chat/completions', ask(false), asAcme);
  const { verification } = (await response.json()) as Completion;
  assert.ok(verification !== undefined);
  return verification;
}

const get = (server: TestServer, id: string | null, key = 'acme-key-0123456789') =>
  fetch(`${server.url}/v1/receipts/${id}`, { headers: { authorization: `Bearer ${key}` } });

async function verify(
  t: TestContext,
  receipt: unknown,
): Promise<{ readonly code: number; readonly out: string }> {
  const bench = createBench(t);
  await writeFile(join(bench.folder, 'receipt.json'), JSON.stringify(receipt));
  const code = await runVerify(['receipt.json'], bench.context);
  return { code, out: bench.out() };
}

suite('receipts', () => {
  test('an answer tells its receipt, which its account reads and no other, also after a restart', async (t) => {
    const server = await startServer(t, { config });
    const verification = await answered(server);
    assert.deepEqual(verification.unsupported, []);
    assert.ok(verification.sentences > 0);
    const response = await get(server, verification.receipt);
    assert.equal(response.status, 200);
    const receipt = (await response.json()) as Receipt;
    assert.ok(receipt.passages.some(({ text }) => text.includes('John Gould')));
    assert.equal((await get(server, verification.receipt, 'other-key-0123456789')).status, 404);
    assert.equal((await get(server, 'rcpt_unknown')).status, 404);
    await server.close();
    const again = await startServer(t, { config, data: server.data });
    assert.deepEqual(await (await get(again, verification.receipt)).json(), receipt);
    assert.equal((await get(again, verification.receipt, 'other-key-0123456789')).status, 404);
  });

  test('a stream tells it with its end and nowhere before', async (t) => {
    const server = await startServer(t, { config });
    const response = await server.post('/chat/completions', ask(true), asAcme);
    const chunks = (await response.text())
      .split('\n\n')
      .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6)) as Completion] : []));
    assert.ok(chunks.length > 1);
    assert.deepEqual(
      chunks.map((chunk) => 'verification' in chunk),
      chunks.map((_, at) => at === chunks.length - 1),
    );
  });

  test('what a killed process had not stored is stored by the next', async (t) => {
    const first = await startServer(t, { config });
    const { receipt: id } = await answered(first);
    const receipt = (await (await get(first, id)).json()) as Receipt;
    await until(async () => (await readdir(join(first.data, 'receipts'))).length === 0);
    await first.close();
    // As the process leaves it between the answer and the store.
    const kept = { ...receipt, id: 'rcpt_killed' };
    const row = {
      accountId: 'acme',
      receipt: JSON.stringify(kept),
      createdAtMs: Date.now(),
      expiresAtMs: Date.now() + 60_000,
    };
    await mkdir(join(first.data, 'receipts'), { recursive: true });
    await writeFile(
      join(first.data, 'receipts', 'rcpt_killed.json'),
      JSON.stringify({ id: 'rcpt_killed', ...row }),
    );
    const second = await startServer(t, { config, data: first.data });
    assert.deepEqual(await (await get(second, 'rcpt_killed')).json(), kept);
    await until(async () => (await readdir(join(first.data, 'receipts'))).length === 0);
    assert.equal((await get(second, 'rcpt_killed')).status, 200);
    assert.equal((await get(second, 'rcpt_killed', 'other-key-0123456789')).status, 404);
  });

  test('of an account only the newest are kept', async (t) => {
    const bounded = { ...(JSON.parse(config) as object), verification: { receipts_per_account: 2 } };
    const server = await startServer(t, { config: JSON.stringify(bounded) });
    const ids: (string | null)[] = [];
    for (let at = 0; at < 4; at++) {
      ids.push((await answered(server)).receipt);
      await until(async () => (await readdir(join(server.data, 'receipts'))).length === 0);
    }
    const statuses = await Promise.all(ids.map(async (id) => (await get(server, id)).status));
    assert.deepEqual(statuses, [404, 404, 200, 200]);
  });

  test('the command finds a receipt the same, and whatever was changed in it', async (t) => {
    const server = await startServer(t, { config });
    const receipt = (await (await get(server, (await answered(server)).receipt)).json()) as Receipt;
    assert.equal((await verify(t, receipt)).code, 0);
    const [passage] = receipt.passages;
    const [sentence] = receipt.sentences;
    assert.ok(passage !== undefined && sentence !== undefined);
    const changes: readonly Receipt[] = [
      { ...receipt, created_at: receipt.created_at + 1 },
      { ...receipt, passages: [{ ...passage, text: passage.text.replace('Gould', 'Smith') }] },
      { ...receipt, sentences: [{ ...sentence, text: `${sentence.text} Really.` }] },
      { ...receipt, sentences: [{ ...sentence, probability: 0.99 }] },
    ];
    for (const changed of changes) assert.equal((await verify(t, changed)).code, 1);
  });
});
