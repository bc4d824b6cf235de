import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openConsole } from './support.ts';

interface Message {
  readonly id: number | string | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

const linesOf = (text: string): readonly Message[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Message);

test('writes nothing but messages, one a line, and ends with its input', async (t) => {
  const { nestor } = openConsole(t);
  const stdin = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '',
    'no json',
    '[{"jsonrpc":"2.0","id":2,"method":"ping"}]',
    '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    '{"jsonrpc":"2.0","id":9,"result":{}}',
    '{"jsonrpc":"2.0","id":"last","method":"ping"}',
  ].join('\r\n');
  const { code, out, err } = await nestor(['mcp'], { stdin });
  assert.deepEqual([code, err], [0, '']);
  const messages = linesOf(out);
  const first = messages.find(({ id }) => id === 1);
  assert.equal(first?.result?.['protocolVersion'], '2024-11-05');
  assert.deepEqual(messages.find(({ id }) => id === 'last')?.result, {});
  assert.deepEqual(
    messages.flatMap(({ error }) => (error === undefined ? [] : [error.code])),
    [-32_700, -32_600, -32_600],
  );
  assert.equal(messages.length, 5);
});

test('a version that is not known is answered with the newest, and a call without a server is a failed tool', async (t) => {
  const { nestor } = openConsole(t);
  const stdin = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01"}}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"kea"}}}',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":[]}}',
  ].join('\n');
  const { out } = await nestor(['mcp'], { stdin, api: { url: 'http://127.0.0.1:9', key: 'k-0123456789' } });
  const [first, ...others] = linesOf(out).toSorted((a, b) => Number(a.id) - Number(b.id));
  assert.equal(first?.result?.['protocolVersion'], '2025-11-25');
  assert.equal(others[0]?.result?.['isError'], true);
  assert.match(JSON.stringify(others[0]?.result), /127\.0\.0\.1:9 cannot be reached: ECONNREFUSED/);
  assert.equal(others[1]?.error?.code, -32_602);
});

test('every command that calls a server has a help with examples and its exit codes', async (t) => {
  const { nestor } = openConsole(t);
  for (const name of ['decide', 'ask', 'research', 'search', 'skills', 'mcp', 'doctor']) {
    const { code, out } = await nestor([name, '--help']);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^nestor ${name}[^\\n]*: `));
    assert.ok(
      (out.match(new RegExp(`^  .*nestor ${name}`, 'gm')) ?? []).length >= 2,
      `${name} shows examples`,
    );
    assert.match(out, /Exit codes: 0 /);
    for (const line of out.split('\n')) assert.ok(line.length <= 120, line);
  }
});
