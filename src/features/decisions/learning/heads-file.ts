import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ExampleError } from '../../../kernel/commands/exit-codes.ts';
import type { Head } from './fit-head.ts';
import { parseHeads, toHeadsText, type Heads } from './heads-text.ts';

/** Replaces the file atomically. */
export function writeHeads(path: string, features: string, heads: ReadonlyMap<string, Head>): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, `${toHeadsText({ features, heads })}\n`, { mode: 0o600, flush: true });
  renameSync(temporary, path);
}

/** Throws ExampleError, one line that names the file. */
export function readHeads(path: string, features: string | undefined): ReadonlyMap<string, Head> {
  const refuse = (reason: string) => new ExampleError(`learned ${path}: ${reason}`);
  let value: Heads | null;
  try {
    value = parseHeads(readFileSync(path, 'utf8'));
  } catch (error) {
    throw refuse(error instanceof SyntaxError ? 'not valid JSON' : 'cannot be read');
  }
  if (value === null) throw refuse('not a file of "nestor learn"');
  if (features === undefined) throw refuse('the engine that answers has no vectors; the engine encoder has');
  if (value.features !== features)
    throw refuse('learned with another version of the encoder; learn again with "nestor learn"');
  return value.heads;
}
