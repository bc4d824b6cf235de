import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkXml } from '../evaluation/xml.ts';
import { startServer } from '../support/server.ts';

const guarantee = {
  max_error: 0.05,
  confidence: 0.95,
  engine: 'words',
  prompt_version: 1,
  thresholds: { by_kind: { noul: null, choice: 0.9 }, by_question: {} },
};
const curves = {
  choice: {
    rows: 400,
    points: [
      [40, 0],
      [200, 3],
      [400, 60],
    ],
    found: [200, 3],
  },
  noul: { rows: 80, points: [[80, 20]], found: null },
};

test('coverage against error is drawn of guarantees that keep what their fit saw, for their account alone', async (t) => {
  const server = await startServer(t);
  const send = (method: string, path: string, body?: object) =>
    fetch(`${server.url}/v1/deciders${path}`, {
      method,
      headers: { authorization: `Bearer ${server.key}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const guarantees = [{ ...guarantee, curves }, guarantee];
  const made = await send('PUT', '/a-b', { engine: 'words', guarantees });
  assert.equal(made.status, 200);
  const { definition } = (await made.json()) as { readonly definition: { readonly guarantees: object } };
  assert.deepEqual(definition.guarantees, guarantees);

  const drawn = await send('GET', '/a-b/coverage?kind=choice');
  assert.deepEqual([drawn.status, drawn.headers.get('content-type')], [200, 'image/svg+xml']);
  const choice = await drawn.text();
  checkXml(choice);
  assert.match(choice, /400 rows: confidence 0\.9 or more answers 50 %, 1\.5 % of them wrong/);
  assert.match(choice, /a-b, fitted on answers of words/);
  const noul = await (await send('GET', '/a-b/coverage')).text();
  assert.match(noul, /80 rows: no threshold keeps to it/);

  for (const [path, status] of [
    ['/a-b/coverage?guarantee=1', 404],
    ['/a-b/coverage?guarantee=2', 404],
    ['/a-b/coverage?kind=score', 404],
    ['/a-b/coverage?kind=other', 400],
    ['/nobody/coverage', 404],
    ['/svc-decider-v1-27b/coverage', 404],
  ] as const) {
    const refused = await send('GET', path);
    assert.equal(refused.status, status, `${path}: ${await refused.text()}`);
  }
  const wrong = { ...guarantee, curves: { choice: { ...curves.choice, points: [[1]] } } };
  assert.equal((await send('PUT', '/c', { engine: 'words', guarantees: [wrong] })).status, 400);
});
