import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { toGreeting, toGreetingFacts } from '../../src/features/service/commands/serve-greeting.ts';
import { load } from '../../src/kernel/config/config.fixture.ts';
import { openConsole, type RunOptions } from './support.ts';

/** A server that is stopped as soon as it has told what it begins with. */
const once: RunOptions = {
  env: { NESTOR_PORT: '0', NESTOR_DETECT: 'false', NESTOR_SANDBOX_RUNNER: 'off' },
  signal: AbortSignal.abort(),
};

suite('what serve begins with', () => {
  test('with nothing configured it says what answers all the same, shows a new key once, and gives a line to try', async (t) => {
    const { nestor, folder } = openConsole(t);
    const unnamed = { ...once, env: { ...once.env, NESTOR_DECISIONS_ENGINE: 'auto' } };
    const { code, out } = await nestor(['serve'], unnamed);
    assert.equal(code, 0);
    const url = /^Nestor \S+ serves at (http:\/\/127\.0\.0\.1:\d+)\n/.exec(out)?.[1] ?? '';
    assert.ok(out.includes(`\nConsole: ${url}/console\n`), out);
    assert.match(out, /^Decisions: the engine "encoder", which ships with Nestor/m);
    assert.match(out, /^Chat: no model found, so answers are put together from sentences of the sources/m);
    assert.match(out, /^Search: the own index; no engine for the web is set/m);
    assert.match(out, /^Sandbox: switched off/m);
    const key = /^Root key: (svc-[\w-]{43}) .*only its hash/m.exec(out)?.[1] ?? '';
    assert.ok(out.includes(join(folder, 'data')));
    assert.match(out, /nestor doctor/);
    const last = out.trimEnd().split('\n').at(-1) ?? '';
    assert.ok(last.startsWith(`curl -s ${url}/v1/decisions -H "Authorization: Bearer ${key}" -d '{`), last);
    const again = await nestor(['serve'], once);
    assert.ok(!again.out.includes(key), 'the key is shown once');
    assert.match(again.out, /^Root key: the one you know; the line below takes it from NESTOR_ROOT_KEY$/m);
    assert.match(again.out, /^curl .*Bearer \$NESTOR_ROOT_KEY"/m);
  });

  test('models, engines of the web and the sandbox are named as they are configured', async (t) => {
    const { nestor, folder } = openConsole(t);
    const lab = {
      name: 'lab',
      type: 'openai-compatible',
      base_url: 'http://127.0.0.1:9/v1',
      models: ['a', 'b'],
    };
    const file = { providers: [lab], search: { engines: [{ type: 'arxiv' }, { type: 'openalex' }] } };
    writeFileSync(join(folder, 'n.yaml'), JSON.stringify(file));
    const { out } = await nestor(['serve', '--config', 'n.yaml'], once);
    assert.match(out, /^Chat: models of providers: 2 of lab$/m);
    assert.match(out, /^Search: the own index, arxiv, openalex$/m);
    const { out: json } = await nestor(['serve', '--json', '--config', 'n.yaml'], once);
    assert.equal(json.indexOf('\n'), json.length - 1, 'one line');
    const begun = JSON.parse(json) as Record<string, unknown>;
    assert.deepEqual(begun['chat'], { models: { lab: 2 } });
    assert.deepEqual(begun['search'], { engines: ['corpus', 'arxiv', 'openalex'] });
    assert.deepEqual([begun['root_key'], begun['sandbox']], [null, { runner: 'off' }]);
  });

  test('where metrics are served is told, also on a port that was free', async (t) => {
    const { nestor } = openConsole(t);
    const { out: without } = await nestor(['serve'], once);
    assert.doesNotMatch(without, /^Metrics/m);
    const withMetrics = { ...once, env: { ...once.env, NESTOR_METRICS_PORT: '0' } };
    const { out } = await nestor(['serve'], withMetrics);
    assert.match(out, /^Metrics: http:\/\/127\.0\.0\.1:[1-9]\d*\/metrics$/m);
    const { out: json } = await nestor(['serve', '--json'], withMetrics);
    const { metrics } = JSON.parse(json) as Record<string, unknown>;
    assert.match(String(metrics), /^http:\/\/127\.0\.0\.1:[1-9]\d*\/metrics$/);
  });

  test('a sandbox is named once it was seen to work, whatever was wished for', () => {
    const server = {
      url: 'http://127.0.0.1:1',
      metricsUrl: null,
      newRootKey: null,
      engineName: 'words',
      models: [],
    };
    const told = (wanted: string, found: string | null) => {
      const config = load(`sandbox: { runner: ${wanted} }`);
      const running = { ...server, sandboxRunner: found, close: () => Promise.resolve() };
      const facts = toGreetingFacts(running, config, { version: '0.0.0', hasRootKeyVariable: false });
      return /^Sandbox: (.*)$/m.exec(toGreeting(facts))?.[1];
    };
    const lookedFor = 'being looked for; the log tells what runs code of the agent';
    assert.equal(told('auto', 'pyodide'), 'pyodide runs code of the agent');
    assert.equal(told('auto', null), lookedFor);
    assert.equal(told('bubblewrap', null), lookedFor);
    assert.equal(told('off', null), 'switched off, so the agent runs no code');
  });
});
