import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { loadConfig } from '../../src/config.ts';
import { defaultOptions, sourceId, type Outcome, type SourceOptions } from '../../src/corpus/source.ts';
import { openIndexTools } from '../../src/server/corpus.ts';
import type { TestScope } from '../support/server.ts';

export interface RefreshedPlace {
  /** Folder of the store. */
  readonly data: string;
  readonly location: string;
  /** Host that may be asked although it is private. */
  readonly host?: string;
}

/** How a refresh in a process of its own ended. */
export type Ending =
  | { readonly outcome: Outcome | null }
  | { readonly error: string }
  /** `hung`: it did not end by itself. */
  | 'killed'
  | 'hung';

/** Ends a hang, and nothing else. */
const hangMs = 120_000;

export async function addPlace(
  { data, location }: RefreshedPlace,
  kind: 'folder' | 'web',
  options: Partial<SourceOptions> = {},
): Promise<void> {
  const tools = await openIndexTools(loadConfig({ env: { NESTOR_DATA: data }, cwd: data }));
  await tools.sources.ensure({
    id: sourceId(location),
    kind,
    location,
    options: JSON.stringify({ ...defaultOptions, ...options }),
    everyMs: null,
    addedAtMs: 0,
  });
  await tools.close();
}

/** `onStep`: after each document, with the process, which may be killed. */
export async function refreshInProcess(
  t: TestScope,
  { data, location, host = '' }: RefreshedPlace,
  laterMs = 0,
  onStep: (child: ChildProcess) => void = () => {},
): Promise<Ending> {
  const script = fileURLToPath(new URL('./refresh-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, data, location, host, String(laterMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    child.kill('SIGKILL');
  });
  let isHung = false;
  const limit = setTimeout(() => {
    isHung = true;
    child.kill('SIGKILL');
  }, hangMs);
  let ending: Ending = 'killed';
  let rest = '';
  for await (const chunk of child.stdout) {
    const lines = `${rest}${String(chunk)}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const told = JSON.parse(line) as { readonly done: number } | Exclude<Ending, string>;
      if ('done' in told) onStep(child);
      else ending = told;
    }
  }
  clearTimeout(limit);
  return isHung ? 'hung' : ending;
}
