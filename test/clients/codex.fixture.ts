import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hangMs } from '../support/until.ts';

/** Its program, unmodified. */
const codex = process.env['NESTOR_TEST_CODEX'];
export const skipsCodex = codex === undefined && 'NESTOR_TEST_CODEX names no program; .ci/run installs one';

export interface CodexEvent {
  readonly type: string;
  readonly message?: string;
  readonly item?: { readonly type: string; readonly text?: string; readonly message?: string };
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number };
}

/** The settings that the guide tells, or those of the section that begins with `heading`. */
async function readSettings(heading: string): Promise<string> {
  const page = await readFile(new URL('../../docs/guide/codex.md', import.meta.url), 'utf8');
  const [, settings = ''] = /```toml\n([^`]+)```/.exec(page.slice(page.indexOf(heading))) ?? [];
  assert.notEqual(settings, '');
  return settings;
}

export interface CodexRun {
  readonly url: string;
  readonly key: string;
  /** Options of `codex exec`, and what it is asked. */
  readonly words: readonly string[];
  /** Where in the guide its settings stand. */
  readonly heading?: string;
  /** Files beside the settings. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs `codex exec` in `work` of a folder of its own. Rejects where it does not end with success. */
export async function runCodex(
  folder: string,
  { url, key, words, heading = '# Codex', files = {} }: CodexRun,
): Promise<readonly CodexEvent[]> {
  const home = join(folder, 'home');
  const work = join(folder, 'work');
  await Promise.all([mkdir(home, { recursive: true }), mkdir(work, { recursive: true })]);
  const settings = (await readSettings(heading)).replace('http://127.0.0.1:8787', url);
  for (const [name, text] of Object.entries({ 'config.toml': settings, ...files }))
    await writeFile(join(home, name), text);
  const running = promisify(execFile)(
    codex ?? '',
    ['exec', ...words, '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '--json'],
    { cwd: work, env: { ...process.env, CODEX_HOME: home, NESTOR_ROOT_KEY: key }, timeout: hangMs },
  );
  running.child.stdin?.end();
  const { stdout } = await running;
  return toEvents(stdout);
}

export function toEvents(stdout: string): readonly CodexEvent[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as CodexEvent);
}
