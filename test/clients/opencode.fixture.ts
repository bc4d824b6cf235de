import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hangMs } from '../support/until.ts';

/** Its program, unmodified. */
const opencode = process.env['NESTOR_TEST_OPENCODE'];
export const skipsOpenCode =
  opencode === undefined && 'NESTOR_TEST_OPENCODE names no program; .ci/run installs one';

/** The settings that the guide tells below `heading`, for another address and another model. */
async function readSettings(heading: string, url: string, model: string): Promise<string> {
  const page = await readFile(new URL('../../docs/guide/opencode.md', import.meta.url), 'utf8');
  const [, settings = ''] = /```json\n([^`]+)```/.exec(page.slice(page.indexOf(heading))) ?? [];
  assert.notEqual(settings, '');
  return settings.replace('http://127.0.0.1:8787', url).replaceAll('svc/svc', model);
}

export interface OpenCodeRun {
  readonly url: string;
  readonly key: string;
  readonly model: string;
  /** Options of `opencode run`, and what it is asked. */
  readonly words: readonly string[];
  /** Where in the guide its settings stand. */
  readonly heading?: string;
}

/** Runs `opencode run` in `work` of a folder of its own; the result is what it printed. */
export async function runOpenCode(
  folder: string,
  { url, key, model, words, heading = '# OpenCode' }: OpenCodeRun,
): Promise<string> {
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  await Promise.all([mkdir(home), mkdir(work)]);
  await writeFile(join(work, 'opencode.json'), await readSettings(heading, url, model));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    NESTOR_ROOT_KEY: key,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  };
  const running = promisify(execFile)(opencode ?? '', ['run', '--format', 'json', ...words], {
    cwd: work,
    env,
    timeout: hangMs,
  });
  running.child.stdin?.end();
  return (await running).stdout;
}
