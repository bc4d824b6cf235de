import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load, messageOf } from '../../kernel/config/config.fixture.ts';

test('deciders to compare have the keys of the first, and are none by default', () => {
  assert.deepEqual(load().decisions.compare, []);
  const text = `decisions:
  compare:
    - { name: words, engine: words }
    - { name: gpu, engine: logprobs, upstreams: [{ url: http://gpu-1, model: m }] }
    - { name: file, engine: local, path: model.gguf }`;
  assert.deepEqual(load(text).decisions.compare, [
    { name: 'words', engine: 'words', upstreams: [], path: null },
    {
      name: 'gpu',
      engine: 'logprobs',
      upstreams: [{ url: 'http://gpu-1', key: null, model: 'm' }],
      path: null,
    },
    { name: 'file', engine: 'local', upstreams: [], path: 'model.gguf' },
  ]);
});

test('a decider to compare is refused where its name is taken or its engine lacks something', () => {
  const served = 'served: [ours]';
  const cases: Readonly<Record<string, string>> = {
    'compare: [{ name: ours, engine: words }]':
      'decisions.compare[0].name is "ours", as decisions.served; allowed: a name of its own',
    'compare: [{ name: a, engine: words }, { name: a, engine: words }]':
      'decisions.compare[1].name is "a", as decisions.compare[0].name; allowed: a name of its own',
    'compare: [{ name: mine, engine: words }]':
      'decisions.compare[0].name is "mine", as aliases.models; allowed: a name of its own',
    'compare: [{ name: jev-latest, engine: words }]':
      'decisions.compare[0].name is "jev-latest", as the name of the first decider; allowed: a name of its own',
    'compare: [{ name: a-latest, engine: words }]':
      'decisions.compare[0].name is "a-latest"; allowed: a name that does not end in -latest',
    'compare: [{ name: a, engine: systemone }]':
      'decisions.compare[0].engine is systemone, but decisions.compare[0].upstreams is empty; allowed: systemone with at least one upstream',
    'compare: [{ name: a, engine: logprobs, upstreams: [{ url: http://a }] }]':
      'decisions.compare[0].upstreams[0].model is missing; allowed: the name of a model, which logprobs needs',
    'compare: [{ name: a, engine: auto }]':
      'decisions.compare[0].engine is "auto"; allowed: words, encoder, local, onnx, systemone or logprobs',
    'compare: [{ name: A b, engine: words }]':
      'decisions.compare[0].name is "A b"; allowed: 1 to 32 characters of a-z, 0-9 and "-", the first a letter',
  };
  for (const [compare, message] of Object.entries(cases)) {
    const text = `decisions: { ${served}, ${compare} }\naliases: { models: { mine: ours } }`;
    assert.equal(messageOf(text), `c.yaml: ${message}`, compare);
  }
});
