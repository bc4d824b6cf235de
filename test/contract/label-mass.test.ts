import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { countMasses } from '../../src/features/decisions/calibration.ts';
import { PROMPT_VERSION } from '../../src/features/decisions/prompt.ts';
import { freePort } from '../support/free-port.ts';
import { startServer } from '../support/server.ts';
import { llamaHandler } from '../support/upstream-local-servers.ts';
import { startUpstream } from '../support/upstream.ts';

const flat = { min: 1, a: 1, b: 0 };

/** A calibration of rows of which each had this label mass. */
const calibrationOf = (mass: number): string =>
  JSON.stringify({
    version: 1,
    engine: 'logprobs',
    promptVersion: PROMPT_VERSION,
    fittedAt: '2026-11-26T00:00:00.000Z',
    temperatures: { noul: flat, choice: flat, score: flat },
    figures: { examples: 300, accuracy: 0.9, nll: 0.3, ece: 0.02 },
    labelMass: countMasses(Array.from({ length: 300 }, () => mass)),
  });

interface Told {
  readonly evaluations: number;
  readonly baseline: number;
  readonly difference: { readonly psi: number; readonly psi_by_chance: number; readonly z: number };
  readonly drifted: boolean;
  readonly since: string | null;
}

test('a model that no longer puts on the options what it did at its calibration is told with figures', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const calibration = join(folder, 'calibration.json');
  await writeFile(calibration, calibrationOf(0.005));
  const upstream = await startUpstream(t, llamaHandler());
  const upstreams = [{ url: upstream.url, key: null, model: 'local-model' }];
  const port = await freePort();
  const deciders = [{ name: 'careful', engine: 'logprobs', upstreams, calibration }];
  const server = await startServer(t, {
    config: JSON.stringify({
      metrics: { port },
      rate_limits: { enabled: false },
      decisions: { engine: 'words', deciders },
    }),
  });
  const told = async (name: string): Promise<Told | undefined> => {
    const response = await fetch(`${server.url}/v1/deciders/${name}`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    return ((await response.json()) as { readonly label_mass?: Told }).label_mass;
  };
  assert.equal((await told('careful'))?.evaluations, 0);
  const questions = Object.fromEntries(
    Array.from({ length: 50 }, (_, at) => [`q${at}`, { type: 'noul', instructions: `Is it number ${at}?` }]),
  );
  for (let n = 0; n < 4; n++) {
    const answered = await server.post('/v1/decisions', {
      model: 'careful',
      state: `number ${n}`,
      questions,
    });
    assert.equal(answered.status, 200, await answered.text());
  }
  const own = await told('careful');
  assert.ok(own !== undefined);
  assert.deepEqual([own.evaluations, own.baseline, own.drifted], [200, 300, true]);
  assert.ok(own.since !== null && own.difference.z >= 4);
  assert.ok(own.difference.psi > own.difference.psi_by_chance + 0.1, JSON.stringify(own));
  // Words know no label mass.
  assert.equal(await told('svc-decider-v1-27b'), undefined);
  const lines = server.log.filter(({ msg }) => String(msg).includes('label mass'));
  assert.deepEqual(
    lines.map(({ decider, evaluations }) => [decider, evaluations]),
    [['careful', 200]],
  );
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.match(metrics, /nestor_decider_label_mass_drift_total\{decider="careful",change="begun"\} 1/);
});
