import { errorCode } from '../../kit/errors.ts';
import { StatementError, type StatementErrorKind, storeUnavailable } from '../errors.ts';

/** A failure of PostgreSQL or of the connection, without values, so it may be logged. */
export class PostgresError extends StatementError {
  /** SQLSTATE, or Node's code of a connection failure such as `ECONNREFUSED`; null without either. */
  readonly code: string | null;

  constructor(message: string, code: string | null, sql: string) {
    super(message, code === null ? 'other' : kindOf(code), sql);
    this.name = 'PostgresError';
    this.code = code;
  }
}

interface Failure {
  /** A Fault when the store could not serve, else a PostgresError or the original error. */
  readonly error: Error;
  /** The connection is unusable. */
  readonly isBroken: boolean;
  /** The server may be gone too. */
  readonly isLoss: boolean;
}

const kinds: ReadonlyMap<string, StatementErrorKind> = new Map([
  ['23505', 'unique'],
  ['23503', 'foreign_key'],
  ['23514', 'check'],
  ['23502', 'not_null'],
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
]);

function kindOf(code: string): StatementErrorKind {
  return kinds.get(code) ?? (code.startsWith('22') ? 'value' : 'other');
}

/**
 * The session is over or refused: connection failure, shutdown, crash, starting up, idle timeouts; or a read-only
 * server after a failover.
 */
const ended = /^(?:08...|28...|3D000|57P0[1-5]|25P0[34]|25006)$/;

/** The server cannot serve this statement: resources, time limits, locks, I/O, damaged data. */
const overloaded = /^(?:53...|57014|55P03|58...|XX...)$/;

/** Classifies an error of `pg`. Keeps only code and message: `detail` has the row. */
export function toFailure(error: unknown, sql: string): Failure {
  if (!(error instanceof Error)) return unavailable(new PostgresError(String(error), null, sql), true);
  const code = errorCode(error);
  if (!('severity' in error) || code === null) {
    // Thrown by our own parsers and checks; the connection is fine.
    if (error instanceof RangeError || error instanceof TypeError) {
      return { error, isBroken: false, isLoss: false };
    }
    return unavailable(new PostgresError(messageOf(error), code, sql), true);
  }
  const cleaned = new PostgresError(withoutValues(error.message, code), code, sql);
  if (ended.test(code)) return unavailable(cleaned, true);
  if (overloaded.test(code)) return unavailable(cleaned, false);
  return { error: cleaned, isBroken: false, isLoss: false };
}

function unavailable(cause: PostgresError, isLoss: boolean): Failure {
  return { error: storeUnavailable(cause), isBroken: isLoss, isLoss };
}

/** Class 22 quotes the value: `invalid input syntax for type bigint: "…"`. */
function withoutValues(message: string, code: string): string {
  return code.startsWith('22') ? 'a value does not fit its column' : message.replaceAll('\n', ' ');
}

/** Node tries all addresses of a name and throws an AggregateError with an empty message. */
function messageOf(error: Error): string {
  if (error.message !== '') return error.message.replaceAll('\n', ' ');
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return first instanceof Error ? first.message : (errorCode(error) ?? 'unknown failure');
}
