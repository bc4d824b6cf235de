import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer, untilDocs } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startOpenAiTalker, type Said, type Told } from '../support/upstream-talk.ts';
import { runCodex, skipsCodex } from './codex.fixture.ts';

/** Codex itself, unmodified: its binary works on a folder with a scripted model behind a whole server. */

const patch = '*** Begin Patch\n*** Add File: note.md\n+The kea says "hello" \\o/\n*** End Patch';
const summary = 'SUMMARY-OF-WORK: note.md is written.';

test('a session: a command, an edit, a search, a compaction', { skip: skipsCodex }, async (t) => {
  const folder = await temporaryFolder(t);
  const seen: Told[] = [];
  const steps: readonly ((told: Told) => Said)[] = [
    () => ({
      deltas: ['I look. '],
      calls: [
        { name: 'exec_command', arguments: JSON.stringify({ cmd: 'echo seen > seen.txt; cat seen.txt' }) },
      ],
    }),
    () => ({ deltas: [], calls: [{ name: 'apply_patch', arguments: JSON.stringify({ input: patch }) }] }),
    () => ({
      deltas: [],
      calls: [{ name: 'web_search', arguments: '{"queries":["How do I revoke a token?"]}' }],
    }),
    // Behind the search, in the same response: more than Codex keeps before it makes its history shorter.
    () => ({
      deltas: [],
      promptTokens: 90_000,
      calls: [{ name: 'exec_command', arguments: JSON.stringify({ cmd: 'cat note.md' }) }],
    }),
    () => ({ deltas: [summary] }),
    () => ({ deltas: ['All ', 'done.'] }),
  ];
  const model = await startOpenAiTalker(t, {
    answer(told) {
      seen.push(told);
      return steps[seen.length - 1]?.(told) ?? { deltas: ['No more.'] };
    },
  });
  const server = await startServer(t, {
    withDocs: true,
    config: JSON.stringify({
      providers: [
        { name: 'lab', type: 'openai-compatible', base_url: model.url, key: 'k', models: ['coder'] },
      ],
      aliases: { models: { 'gpt-5.5': 'lab/coder' } },
    }),
  });
  await untilDocs(server);
  const options = ['-m', 'gpt-5.5', '-c', 'web_search="live"', '-c', 'model_auto_compact_token_limit=50000'];
  const events = await runCodex(folder, { ...server, words: [...options, 'Write the note.'] });

  assert.equal(await readFile(join(folder, 'work/note.md'), 'utf8'), 'The kea says "hello" \\o/\n');
  assert.equal(await readFile(join(folder, 'work/seen.txt'), 'utf8'), 'seen\n');
  const [first, patched, found, printed, , last] = seen;
  assert.ok(
    first?.tools.includes('exec_command') && first.tools.includes('web_search'),
    'tools of both sides',
  );
  assert.match(patched?.last ?? '', /\bseen\n/, 'the model reads what the command printed');
  assert.match(found?.last ?? '', /Success\. Updated the following files:\nA note\.md/);
  assert.match(printed?.last ?? '', /title="Keys and tokens"/, 'the search ran here');
  assert.match(seen[4]?.last ?? '', /COMPACTION/);
  assert.match(
    JSON.stringify(seen[4]?.body),
    /earlier search found[^]+Keys and tokens/,
    'and is known later',
  );
  assert.match(JSON.stringify(last?.body), /SUMMARY-OF-WORK/, 'the summary takes the place of the history');
  assert.equal(seen.length, 6);
  const finished = events.filter(({ type }) => type === 'item.completed').map(({ item }) => item?.type);
  assert.deepEqual(finished, [
    'agent_message',
    'command_execution',
    'file_change',
    'web_search',
    'command_execution',
    'agent_message',
  ]);
  assert.equal(events.findLast(({ item }) => item?.type === 'agent_message')?.item?.text, 'All done.');
  assert.equal(events.at(-1)?.type, 'turn.completed');
  const requests = server.log.filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ operation, status }) => [operation, status]),
    Array.from({ length: 5 }, () => ['createOpenAiResponse', 200]),
    'nothing was asked twice',
  );
});

test('a session over a WebSocket', { skip: skipsCodex }, async (t) => {
  const folder = await temporaryFolder(t);
  const posts: string[] = [];
  const note = (message: unknown) => {
    const { method = '', url = '' } = (message as { readonly request: IncomingMessage }).request;
    if (method === 'POST' && url.startsWith('/openai/')) posts.push(url);
  };
  subscribe('http.server.request.start', note);
  t.after(() => unsubscribe('http.server.request.start', note));
  const seen: Told[] = [];
  const command = {
    name: 'exec_command',
    arguments: JSON.stringify({ cmd: 'echo seen > seen.txt; cat seen.txt' }),
  };
  const model = await startOpenAiTalker(t, {
    answer(told) {
      seen.push(told);
      return seen.length === 1 ? { deltas: ['I look. '], calls: [command] } : { deltas: ['All ', 'done.'] };
    },
  });
  const lab = { name: 'lab', type: 'openai-compatible', base_url: model.url, key: 'k', models: ['coder'] };
  const server = await startServer(t, { config: JSON.stringify({ providers: [lab] }) });
  const options = ['-m', 'lab/coder', '-c', 'model_providers.nestor.supports_websockets=true'];
  const events = await runCodex(folder, { ...server, words: [...options, 'Look.'] });

  assert.equal(await readFile(join(folder, 'work/seen.txt'), 'utf8'), 'seen\n');
  assert.match(seen[1]?.last ?? '', /\bseen\n/);
  assert.equal(seen.length, 2);
  assert.equal(events.findLast(({ item }) => item?.type === 'agent_message')?.item?.text, 'All done.');
  assert.equal(events.at(-1)?.type, 'turn.completed');
  assert.deepEqual(posts, [], 'nothing went another way');
  const requests = server.log.filter(({ msg }) => msg === 'request');
  assert.deepEqual(
    requests.map(({ operation, status }) => [operation, status]),
    Array.from({ length: 3 }, () => ['createOpenAiResponse', 200]),
    'one to prepare, and one for each call of the model',
  );
});
