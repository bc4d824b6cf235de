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

const notOwn = { noul: null, choice: null, score: null };

test('a decider has the steps of the first, a policy, and a confidence for all kinds or for each', () => {
  const text = `decisions:
  deciders:
    - { name: quick, engine: words, order: { passes: 2 }, negation: true, abstain: 0.2 }
    - name: careful
      cascade: [{ decider: quick, confidence: { noul: 0.8 } }, { decider: svc-decider-v1-27b }]
      max_error: 0.05
      guarantees: [careful.json]`;
  const usual = { upstreams: [], path: null, prior: false, calibration: null, learned: null };
  assert.deepEqual(load(text).decisions.deciders, [
    {
      ...usual,
      name: 'quick',
      engine: 'words',
      order: { passes: 2 },
      negation: true,
      cascade: [],
      abstain: 0.2,
      maxError: null,
      guarantees: [],
    },
    {
      ...usual,
      name: 'careful',
      engine: null,
      order: { passes: 1 },
      negation: false,
      cascade: [
        { decider: 'quick', confidence: { ...notOwn, noul: 0.8 } },
        { decider: 'svc-decider-v1-27b', confidence: 0 },
      ],
      abstain: 0,
      maxError: 0.05,
      guarantees: ['careful.json'],
    },
  ]);
});

test('a decider of its own is refused where its name, its engine or its cascade is wrong', () => {
  const path = 'decisions.deciders[0]';
  const cases: Readonly<Record<string, string>> = {
    '{ name: mine, engine: words }': `${path}.name is "mine", as aliases.models; allowed: a name of its own`,
    '{ name: words, engine: words }': `${path}.name is "words", as decisions.compare[0].name; allowed: a name of its own`,
    '{ name: a }': `${path}.engine is missing; allowed: the name of an engine, or a cascade in its place`,
    '{ name: a, engine: words, cascade: [{ decider: words }] }': `${path}.cascade stands beside the engine words; allowed: one of the two`,
    '{ name: a, engine: systemone }': `${path}.engine is systemone, but ${path}.upstreams is empty; allowed: systemone with at least one upstream`,
    '{ name: a, cascade: [{ decider: words }, { decider: a }] }': `${path}.cascade[1].decider is "a"; allowed: a decider with an engine: svc-decider-v1-27b, words`,
    '{ name: a, engine: words, abstain: 1.5 }': `${path}.abstain is a number; allowed: a number from 0 to 1, or a mapping of such numbers`,
    '{ name: a, engine: words, max_error: 2 }': `${path}.max_error is 2; allowed: a number above 0 and at most 1 or null`,
  };
  for (const [decider, message] of Object.entries(cases)) {
    const text = `decisions: { compare: [{ name: words, engine: words }], deciders: [${decider}] }\naliases: { models: { mine: svc-decider-v1-27b } }`;
    assert.equal(messageOf(text), `c.yaml: ${message}`, decider);
  }
});
