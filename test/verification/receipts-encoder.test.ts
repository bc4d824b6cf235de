import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { openBareDecisions } from '../../src/features/decisions/open-decisions.ts';
import { runVerify } from '../../src/features/verification/commands/verify.ts';
import type { Receipt } from '../../src/features/verification/receipt-schema.ts';
import { withDigest } from '../../src/features/verification/receipt-digest.ts';
import { createVerifier } from '../../src/features/verification/run-verifier.ts';
import { configuration } from '../../src/configuration.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { createBench } from '../evaluation/support.ts';

const text = `The kea is a parrot of New Zealand. It steals food from visitors of the mountains. Keas live in forests.
In winter they move down into the valleys, where farmers feed them.`;
/** Near enough that the decider's answer may change what is found of them. */
const sentences = [
  'The kea takes food from visitors of mountains.',
  'Visitors of the mountains lose food to it.',
  'In winter they come down to the valleys and farmers feed keas.',
  'Keas live in the woods of New Zealand.',
  'The kea is a bird of New Zealand and steals food.',
  'In winter keas move into valleys.',
];

test('a receipt with answers of the shipped decider is recomputed bit for bit', async (t) => {
  const open = (request: Parameters<typeof openBareDecisions>[0]) => openBareDecisions(request);
  const config = configuration.load({ env: {}, cwd: '/' });
  const engine = await open({ config, engine: 'encoder', remote: null, onLabelMass: () => {} });
  t.after(() => engine.close());
  const kept: Receipt[] = [];
  const receipts = {
    put: async (_: string, receipt: Receipt) => (kept.push(receipt), receipt.id),
  };
  const verifier = createVerifier({ engine, receipts, clock: systemClock, ids: randomIds });
  const run = verifier.forRun('auto');
  assert.ok(run !== null);
  const verification = run.begin('acme', new AbortController().signal);
  const passage = { id: 1, url: 'https://example.com/kea', title: 'Kea', text };
  const placed = sentences.map((one, block) => ({ text: one, start: 0, end: 0, citations: [1], block }));
  await verification.judge(placed, () => [passage]);
  await run.end(verification, 'acme');
  const [receipt] = kept;
  const decided = verification.sentences.filter((one) => one.decided !== null);
  assert.ok(
    receipt !== undefined && decided.length > 0,
    JSON.stringify(verification.sentences.map(({ probability }) => probability)),
  );
  assert.equal(receipt.decider?.name, 'encoder');

  const bench = createBench(t, open);
  const check = async (given: Receipt): Promise<number> => {
    await writeFile(join(bench.folder, 'receipt.json'), JSON.stringify(given));
    return runVerify(['receipt.json'], bench.context);
  };
  assert.equal(await check(receipt), 0, bench.out());
  // By one bit, and with a digest of its own: nothing but judging again can tell.
  const nudged = receipt.sentences.map((one) =>
    one.decided === null ? one : { ...one, decided: one.decided + Number.EPSILON },
  );
  const { sha256: _, ...rest } = receipt;
  assert.equal(await check(withDigest({ ...rest, sentences: nudged })), 1);
  assert.match(bench.out(), /sentence \d+: decided is 0\.\d+ and was 0\.\d+/);
  assert.doesNotMatch(bench.out(), /was changed/);
});
