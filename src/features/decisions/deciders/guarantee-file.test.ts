import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import type { Guarantee } from '../policy.ts';
import { fromGuarantee, readGuarantees } from './guarantee-file.ts';

const thresholds = (noul: number | null) => ({ byKind: { noul }, byQuestion: { key: 0.5 } });
const guarantee: Guarantee = {
  maxError: 0.05,
  confidence: 0.95,
  engine: 'words',
  promptVersion: 1,
  fingerprint: { engine: 'words' },
  thresholds: thresholds(0.9),
};
const ofCascade: Guarantee = { ...guarantee, thresholds: [thresholds(0.9), thresholds(null)] };

suite('a file of nestor guarantee', () => {
  test('is read as it was written, of one decider, of a cascade, and of several bounds', async (t) => {
    const path = join(await temporaryFolder(t), 'guarantee.json');
    for (const one of [guarantee, ofCascade]) {
      writeFileSync(path, JSON.stringify(fromGuarantee(one)));
      assert.deepEqual(readGuarantees(path), [one]);
    }
    writeFileSync(path, JSON.stringify([guarantee, ofCascade].map(fromGuarantee)));
    assert.deepEqual(readGuarantees(path), [guarantee, ofCascade]);
  });

  test('is refused where thresholds are none, or not those of a policy', async (t) => {
    const path = join(await temporaryFolder(t), 'guarantee.json');
    for (const wrong of [[], [{ by_kind: { noul: 2 }, by_question: {} }], [[]], 0.9]) {
      writeFileSync(path, JSON.stringify({ ...fromGuarantee(guarantee), thresholds: wrong }));
      assert.throws(() => readGuarantees(path), /not a file of "nestor guarantee"/);
    }
  });
});
