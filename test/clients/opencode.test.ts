import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startServer, type TestServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { hangMs } from '../support/until.ts';
import { startOpenAiTalker, type Said, type Told } from '../support/upstream-talk.ts';

/** OpenCode itself, unmodified: its program works on a folder with a scripted model behind a whole server. */

const opencode = process.env['NESTOR_TEST_OPENCODE'];
const skip = opencode === undefined && 'NESTOR_TEST_OPENCODE names no program; .ci/run installs one';

test('a session: a command and a file, over chat completions', { skip }, async (t) => {
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
  const stdout = await run(folder, server);

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

/** The settings that the guide tells, for another address and another model. */
async function readSettings(url: string): Promise<string> {
  const page = await readFile(new URL('../../docs/guide/opencode.md', import.meta.url), 'utf8');
  const [, settings = ''] = /```json\n([^`]+)```/.exec(page) ?? [];
  assert.notEqual(settings, '');
  return settings.replace('http://127.0.0.1:8787', url).replaceAll('svc/svc', 'lab/coder');
}

/** Runs `opencode run` in a folder of its own; the result is what it printed. */
async function run(folder: string, { url, key }: TestServer): Promise<string> {
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  await Promise.all([mkdir(home), mkdir(work)]);
  await writeFile(join(work, 'opencode.json'), await readSettings(url));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    NESTOR_ROOT_KEY: key,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  };
  const running = promisify(execFile)(opencode ?? '', ['run', '--format', 'json', 'Write the note.'], {
    cwd: work,
    env,
    timeout: hangMs,
  });
  running.child.stdin?.end();
  return (await running).stdout;
}
