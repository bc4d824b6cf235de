import type { ChatEvent } from '../../parts/answers/chat-wire.ts';

export interface JobSummary {
  readonly id: string;
  readonly model: string;
  readonly status: 'CREATED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
  /** Unix seconds, as all of them. */
  readonly created_at: number;
  readonly started_at: number | null;
  readonly completed_at: number | null;
  readonly failed_at: number | null;
}

export interface Job extends JobSummary {
  readonly response: ChatEvent | null;
  readonly error_message: string | null;
}

export interface JobPage {
  readonly requests: readonly JobSummary[];
  /** '' on the last page. */
  readonly next_token: string;
}

/** How often a job that is under way is asked for. Unit: ms. */
export const lookAgainMs = 2_000;

export function isUnderWay({ status }: Pick<JobSummary, 'status'>): boolean {
  return status === 'CREATED' || status === 'IN_PROGRESS';
}

export const statusNames: Readonly<Record<JobSummary['status'], string>> = {
  CREATED: 'Waiting',
  IN_PROGRESS: 'Running',
  COMPLETED: 'Complete',
  FAILED: 'Failed',
};

/** Duration as text; empty while it is unknown. */
export function durationOf({
  started_at: from,
  completed_at: completed,
  failed_at: failed,
}: JobSummary): string {
  const to = completed ?? failed;
  if (from === null || to === null) return '';
  const seconds = to - from;
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A unique idempotency key; also on pages without `crypto.randomUUID`. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
