import type { Fault } from '../../../kernel/faults.ts';
import type { UsageRow } from '../../accounts/feature.ts';
import type { BatchRow } from '../store/batch-row.ts';
import type { Piece } from '../store/batches.ts';

/** What a row came to. */
export interface RowResult {
  /** A line of JSON. */
  readonly text: string;
  /** Null for a row that failed: it costs nothing. */
  readonly usage: UsageRow | null;
}

/** Answers rows of one batch. */
export interface RowAnswerer {
  /** Short rows that are best asked at the same time. */
  readonly atOnce: number;
  /** Rejects with a Fault that `saysLater` alone: any other failure is the row's result. */
  answer(text: string, line: number, signal: AbortSignal): Promise<RowResult>;
  /** The result of a row that is not asked again. */
  refuse(text: string, line: number, fault: Fault): RowResult;
}

export type OpenAnswerer = (batch: BatchRow) => Promise<RowAnswerer>;

/** Whether the same row can be answered later. */
export function saysLater({ code, away, final }: Fault): boolean {
  return (
    !final && (away || code === 'service_unavailable' || code === 'overloaded' || code === 'server_stopping')
  );
}

/** Results of a turn up to the first row without one. */
export interface Answered {
  readonly piece: Piece;
  readonly answered: number;
  readonly failed: number;
  readonly usage: readonly UsageRow[];
}

/** `results` has null for a blank line, and nothing for a row that was not answered. */
export function gather(firstLine: number, results: readonly (RowResult | null | undefined)[]): Answered {
  const hole = results.indexOf(undefined);
  const whole = (hole === -1 ? results : results.slice(0, hole)) as readonly (RowResult | null)[];
  const rows = whole.filter((one) => one !== null);
  const usage = rows.flatMap((one) => (one.usage === null ? [] : [one.usage]));
  return {
    piece: { firstLine, lines: whole.length, content: rows.map(({ text }) => `${text}\n`).join('') },
    answered: usage.length,
    failed: rows.length - usage.length,
    usage,
  };
}
