import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openBareDecisions, openEngine } from '../../src/features/decisions/open-decisions.ts';
import { load } from '../../src/kernel/config/config.fixture.ts';
import type { LocalEngine } from '../../src/features/decisions/engines/local/index.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { openLocalModel } from '../../src/features/models/providers/local/engine.ts';
import { openLocal } from '../../src/features/models/providers/local/index.ts';
import { createLocalModels, shareLocalModels } from '../../src/features/models/local-models.ts';
import { writeTestModel } from '../support/gguf.ts';
import { noulOf, stateOf } from '../support/gguf-questions.ts';
import { oneThread } from '../support/local-models.ts';

const never = new AbortController().signal;

test('decisions and a provider of the same file use one loaded model, which outlives the first that closes', async (t) => {
  const path = await writeTestModel();
  let loaded = 0;
  const share = createLocalModels((options) => {
    loaded += 1;
    return openLocalModel({ ...options, ...oneThread });
  });
  const [decisions, provider] = await Promise.all([
    openEngine({
      engine: 'local',
      path,
      gpu: false,
      openLocal: share,
      upstreams: [],
      timeoutMs: 1_000,
      dataFolder: '.',
    }),
    openLocal({ name: 'home', path }, { ids: randomIds, open: share }),
  ]);
  t.after(() => decisions.close());
  assert.deepEqual([loaded, decisions.problem, provider.health()], [1, null, 'ok']);
  await provider.close();
  const [answer] = await decisions.score(stateOf('x'), [noulOf('Is it?')], never);
  assert.equal(answer?.length, 2);
});

test('the threads that the configuration names evaluate, in a server and in a command', async (t) => {
  const path = await writeTestModel();
  const config = load(`decisions: { engine: local, path: ${JSON.stringify(path)}, threads: 3 }`);
  const shared = await shareLocalModels(config.decisions)({ path });
  t.after(() => shared.close());
  const bare = await openBareDecisions({ config, engine: null, remote: null, onLabelMass() {} });
  t.after(() => bare.close());
  assert.deepEqual([shared.threads, (bare as LocalEngine).threads], [3, 3]);
});
