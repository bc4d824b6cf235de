import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { startOpenAiTalker, type Said, type Told } from '../support/upstream-talk.ts';
import { runOpenCode, skipsOpenCode } from './opencode.fixture.ts';

/** OpenCode itself, unmodified: its program works on a folder with a scripted model behind a whole server. */

test('a session: a command and a file, over chat completions', { skip: skipsOpenCode }, async (t) => {
  const folder = await temporaryFolder(t);
  const work = join(folder, 'work');
  const note = { filePath: join(work, 'note.md'), content: 'The kea says "hello" \\o/\n' };
  const steps: readonly Said[] = [
    {
      deltas: ['I look. '],
      calls: [toCall('bash', { command: 'echo seen > seen.txt', description: 'Looks' })],
    },
    { deltas: [], calls: [toCall('write', note)] },
    { deltas: ['All ', 'done.'] },
  ];
  const seen: Told[] = [];
  const model = await startOpenAiTalker(t, {
    answer(told) {
      // Beside its work it has a title written, without tools.
      if (told.tools.length === 0) return { deltas: ['A note'] };
      seen.push(told);
      return steps[seen.length - 1] ?? { deltas: ['No more.'] };
    },
  });
  const provider = {
    name: 'lab',
    type: 'openai-compatible',
    base_url: model.url,
    key: 'k',
    models: ['coder'],
  };
  const server = await startServer(t, { config: JSON.stringify({ providers: [provider] }) });
  const stdout = await runOpenCode(folder, { ...server, model: 'lab/coder', words: ['Write the note.'] });

  assert.equal(await readFile(note.filePath, 'utf8'), note.content);
  assert.equal(await readFile(join(work, 'seen.txt'), 'utf8'), 'seen\n');
  assert.deepEqual(
    seen.map(({ isResult }) => isResult),
    [false, true, true],
    'nothing was asked twice',
  );
  assert.match(stdout, /"text":"All done\."/);
  const requests = server.log.filter(({ msg }) => msg === 'request');
  for (const { operation, status } of requests)
    assert.deepEqual([operation, status], ['createOpenAiChatCompletion', 200]);
});

const toCall = (name: string, args: object) => ({ name, arguments: JSON.stringify(args) });
