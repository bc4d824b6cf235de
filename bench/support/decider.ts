import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Compared } from '../../src/features/decisions/evaluation/compare.ts';
import type { RowSet } from './decider-rows.ts';

/** What is asked, and how many rows of each set at most. */
export interface Decider {
  readonly name: string;
  /** One of `decisions.engine`. */
  readonly engine: string;
  readonly path: string | null;
  readonly rows: number;
}

const main = new URL('../../src/main.ts', import.meta.url).pathname;

/** Asks with `nestor eval`, in a process of its own, so that the memory of one is not that of another. */
export async function askDecider(
  { name, engine, path, rows }: Decider,
  set: RowSet,
  out: string,
): Promise<Compared> {
  const folder = resolve(out, name, set.name);
  const earlier = readCompared(folder);
  // One that could not answer, or was interrupted, is asked again.
  if (earlier?.complete === true && earlier.measures !== null) return earlier;
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'nestor.yaml');
  // One thread: those of llama.cpp wait for each other, which would be counted as cost.
  const decisions = {
    threads: 1,
    ...(path !== null && { compare: [{ name, engine, path: resolve(path) }] }),
  };
  writeFileSync(config, JSON.stringify({ data: folder, decisions }));
  const options = ['--config', config, '--sample', String(rows), '--out', folder];
  const argv = [main, 'eval', ...set.files, '--engines', name, ...options];
  await once(spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
  const compared = readCompared(folder);
  if (compared === null) throw new Error(`${name} wrote nothing into ${folder}`);
  return compared;
}

function readCompared(folder: string): Compared | null {
  const path = join(folder, 'comparison.json');
  if (!existsSync(path)) return null;
  const { engines } = JSON.parse(readFileSync(path, 'utf8')) as { readonly engines: readonly Compared[] };
  return engines[0] ?? null;
}
