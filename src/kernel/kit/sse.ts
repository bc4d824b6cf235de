/** `data` is one line: JSON, or text without line breaks. */
export interface ServerSentEvent {
  readonly event?: string;
  readonly data: string;
}

export function formatEvent({ event, data }: ServerSentEvent): string {
  return event === undefined ? `data: ${data}\n\n` : `event: ${event}\ndata: ${data}\n\n`;
}

/** Keeps proxies and clients from closing a silent stream. */
export const pingComment = ': ping\n\n';
