import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { requestExamples } from './request-examples.ts';

const body = {
  model: 'svc',
  stream: false,
  system: null,
  list: [1, 'two'],
  empty: [],
  text: `it's "so" \\ $HOME \`x\` \${y}\n<script>`,
};
const codes = Object.fromEntries(
  requestExamples({ origin: 'http://server.invalid', path: '/x', body }).map(({ language, code }) => [
    language,
    code,
  ]),
);
const curl = codes['curl'] ?? '';
const python = codes['Python'] ?? '';
const typeScript = codes['TypeScript'] ?? '';

test('the shell sends the body as it is, and puts in the key', () => {
  const script = `curl() { printf '%s\\n' "$4" "$6"; }\n${curl}`;
  const { stdout } = spawnSync('sh', ['-c', script], {
    env: { NESTOR_KEY: 'k', HOME: '/' },
    encoding: 'utf8',
  });
  const [authorization, ...sent] = stdout.split('\n');
  assert.equal(authorization, 'authorization: Bearer k');
  assert.deepEqual(JSON.parse(sent.join('\n')), body);
});

test('the literal of Python says the same as the JSON', (t) => {
  const found = spawnSync('python3', ['-c', '0']);
  if (found.status !== 0) return t.skip('needs Python');
  const literal = python.slice(python.indexOf('body ='), python.indexOf('request ='));
  const { stdout } = spawnSync('python3', ['-c', `import json\n${literal}\nprint(json.dumps(body))`], {
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(stdout), body);
});

test('the TypeScript sends the body as it is, and puts in the key', () => {
  const stub =
    'const fetch = (url, { headers, body }) => ({ json: () => JSON.stringify({ url, key: headers.authorization, body }) });';
  const { stdout } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', `${stub}\n${typeScript}`],
    {
      env: { NESTOR_KEY: 'k' },
      encoding: 'utf8',
    },
  );
  const sent = JSON.parse(stdout) as { url: string; key: string; body: string };
  assert.equal(sent.url, 'http://server.invalid/x');
  assert.equal(sent.key, 'Bearer k');
  assert.deepEqual(JSON.parse(sent.body), body);
});
