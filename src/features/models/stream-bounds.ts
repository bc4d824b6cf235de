import type { OutboundStreamRequest } from '../../kernel/kit/outbound-request.ts';

export interface ProviderTimeouts {
  /** For the first event, attempts together; and between any two. Unit: ms. */
  readonly timeoutMs: number;
  /** For a whole answer. Unit: ms. */
  readonly totalTimeoutMs: number;
}

/** What is left of them for an attempt, so much after the first began. Unit: ms. */
export function streamBounds(
  { timeoutMs, totalTimeoutMs }: ProviderTimeouts,
  spentMs: number,
): Pick<OutboundStreamRequest, 'timeoutMs' | 'silenceMs' | 'totalMs'> {
  return {
    timeoutMs: Math.max(1, timeoutMs - spentMs),
    silenceMs: timeoutMs,
    totalMs: Math.max(1, totalTimeoutMs - spentMs),
  };
}
