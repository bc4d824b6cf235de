import { formatCount } from '../../parts/formats.ts';
import { formatDuration, formatRows } from '../decide/batch.ts';
import type { Batch } from './wire.ts';

export const statusNames: Readonly<Record<Batch['status'], string>> = {
  queued: 'Waiting',
  running: 'Running',
  completed: 'Complete',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

/** How far it is, how fast, and how long it takes. */
export function aboutProgress(batch: Batch): string {
  const { rows, rows_per_second: rate, seconds_left: left } = batch;
  return [
    `${formatCount(rows.answered + rows.failed)} of ${formatRows(rows.total)}`,
    ...(rows.failed === 0 ? [] : [`${formatCount(rows.failed)} with errors`]),
    ...(rate === null ? [] : [formatRate(rate)]),
    ...(left === null ? [] : [`about ${formatDuration(left)} left`]),
  ].join(' · ');
}

/** 812.4 as "812 rows a second". */
export function formatRate(rowsPerSecond: number): string {
  return `${rowsPerSecond < 10 ? rowsPerSecond.toFixed(1) : formatCount(Math.round(rowsPerSecond))} rows a second`;
}

const reasons: Readonly<Record<NonNullable<Batch['waiting_for']>, string>> = {
  storage: 'It waits, because the account keeps as much as it may. Delete a batch that you have downloaded.',
  engine: 'It waits for its engine, which is away or being opened.',
  server: 'Something went wrong on the server; it is tried again.',
};

/** Why it does not move; null while it does. */
export function aboutWaiting({ waiting_for: reason }: Batch): string | null {
  return reason === null ? null : reasons[reason];
}
