import { Fault } from '../faults.ts';
/** `conflict`: lost against another transaction and may be repeated. `value`: does not fit its column. */
export type StatementErrorKind =
  'unique' | 'foreign_key' | 'check' | 'not_null' | 'value' | 'conflict' | 'other';

/** A statement refused by either store. Message and statement contain no values, so both may be logged. */
export class StatementError extends Error {
  readonly kind: StatementErrorKind;
  readonly sql: string;

  constructor(message: string, kind: StatementErrorKind, sql: string) {
    super(message);
    this.name = 'StatementError';
    this.kind = kind;
    this.sql = sql;
  }
}

export function isRefusal(error: unknown, kind: StatementErrorKind): error is StatementError {
  return error instanceof StatementError && error.kind === kind;
}

const ofContent: ReadonlySet<StatementErrorKind> = new Set([
  'unique',
  'foreign_key',
  'check',
  'not_null',
  'value',
]);

/** Whether the store refused the content, which it will do again. */
export function isContentRefusal(error: unknown): error is StatementError {
  return error instanceof StatementError && ofContent.has(error.kind);
}

/** The same words whatever the store. */
export function storeUnavailable(cause: unknown): Fault {
  return new Fault('service_unavailable', 'The database is not available.', { cause });
}

export function storeClosing(): Fault {
  return new Fault('service_unavailable', 'The database is being closed.');
}

export function storeCrowded(waiting: 'reads' | 'statements'): Fault {
  const message = `Too many ${waiting} wait for the database.`;
  return new Fault('service_unavailable', message, { retryAfterMs: 1_000 });
}
