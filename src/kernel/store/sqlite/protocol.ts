/** Messages between the main thread and a storage thread. Plain data only. */
import type { SQLOutputValue } from 'node:sqlite';

import type { Value } from '../value.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Value[];
  /** Certainly changes nothing; a batch of reads needs no write transaction. */
  readonly reads: boolean;
}

/** A step of an interactive transaction. `begin read` takes a snapshot and blocks no other process. */
export type Step = Statement | 'begin' | 'begin read' | 'commit' | 'rollback';

export type Message =
  /** Independent statements in one transaction, each with its own outcome. */
  | { readonly kind: 'group'; readonly statements: readonly Statement[] }
  /** Steps of the interactive transaction that owns the store. */
  | { readonly kind: 'own'; readonly steps: readonly Step[] }
  | { readonly kind: 'close' };

export interface Done {
  readonly ok: true;
  readonly rows: readonly Readonly<Record<string, SQLOutputValue>>[];
  /** Changed rows; null for a statement that returns rows. */
  readonly changes: number | null;
}

export interface Failed {
  readonly ok: false;
  readonly message: string;
  /** Extended result code; null when the failure is not SQLite's. */
  readonly errcode: number | null;
}

export type Outcome = Done | Failed;

export type Reply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly message: string }
  /** One outcome per statement or step. `commits`: write transactions so far. */
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[]; readonly commits: number }
  | { readonly kind: 'closed' };

export interface WorkerInput {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  /** Only `create` creates an absent file; `read` writes nothing. */
  readonly access: 'create' | 'reopen' | 'read';
}

const resultNotADatabase = 26;
const resultCorrupt = 11;

/** Whether a result code means a broken file; the low byte of an extended code is the plain one. */
export function isDamage(errcode: number | null): boolean {
  return errcode !== null && [resultCorrupt, resultNotADatabase].includes(errcode & 0xff);
}

export const damageRemedy =
  'stop the server and put a backup in its place with nestor restore FILE, or save what can be read with sqlite3 FILE .recover';
