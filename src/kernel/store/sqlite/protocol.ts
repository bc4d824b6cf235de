/** What travels between the main thread and the one thread that holds the SQLite file. Plain data only. */
import type { SQLOutputValue } from 'node:sqlite';

import type { Value } from '../value.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Value[];
  /** True when the statement certainly changes nothing; a batch of such needs no write transaction. */
  readonly reads: boolean;
}

/** A step of an interactive transaction. `begin read` sees one state of the file and keeps no other process from writing. */
export type Step = Statement | 'begin' | 'begin read' | 'commit' | 'rollback';

export type Message =
  /** Independent statements: one transaction around all, each with its own outcome. */
  | { readonly kind: 'group'; readonly statements: readonly Statement[] }
  /** The next steps of the interactive transaction that has the store to itself. */
  | { readonly kind: 'own'; readonly steps: readonly Step[] }
  | { readonly kind: 'close' };

export interface Done {
  readonly ok: true;
  readonly rows: readonly Readonly<Record<string, SQLOutputValue>>[];
  /** Rows changed; null for a statement that answers with rows. */
  readonly changes: number | null;
}

export interface Failed {
  readonly ok: false;
  readonly message: string;
  /** Extended result code of SQLite; null when the failure is not SQLite's. */
  readonly errcode: number | null;
}

export type Outcome = Done | Failed;

export type Reply =
  | { readonly kind: 'opened' }
  | { readonly kind: 'refused'; readonly message: string }
  /** One outcome per statement or step, in order. `commits`: write transactions committed so far. */
  | { readonly kind: 'outcomes'; readonly outcomes: readonly Outcome[]; readonly commits: number }
  | { readonly kind: 'closed' };

export interface WorkerInput {
  /** Absolute path, or `:memory:`. */
  readonly path: string;
  /** `create` makes a file that is absent; `reopen` and `read` refuse to, and `read` writes nothing. */
  readonly access: 'create' | 'reopen' | 'read';
}
