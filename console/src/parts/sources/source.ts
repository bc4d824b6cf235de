/** A source as on the wire. Times are Unix seconds; counts are documents. */
export interface Source {
  readonly id: string;
  readonly kind: 'folder' | 'web' | 'docs' | 'texts';
  readonly location: string;
  /** `30m`, `12h`, `1d`; null is never by itself. */
  readonly every: string | null;
  readonly documents: number;
  readonly refreshed_at: number | null;
  readonly state: 'new' | 'queued' | 'running' | 'ready' | 'unfinished' | 'failed' | 'set_aside';
  readonly error: string | null;
  readonly progress: { readonly done: number; readonly total: number; readonly failed: number } | null;
}

export interface SourceList {
  readonly data: readonly Source[];
}

/** Whether a source is being read, so that the list changes soon. */
export function isMoving({ state }: Source): boolean {
  return state === 'queued' || state === 'running';
}

const words: Readonly<Record<Source['state'], string>> = {
  new: 'not read yet',
  queued: 'waits to be read',
  running: 'is being read',
  ready: 'up to date',
  unfinished: 'broken off; goes on with the next refresh',
  failed: 'failed',
  set_aside: 'set aside',
};

export function describeState({ state, progress, error }: Source): string {
  if ((state === 'failed' || state === 'set_aside') && error !== null) return `${words[state]}: ${error}`;
  if (state !== 'running' || progress === null) return words[state];
  const failed = progress.failed === 0 ? '' : `, ${progress.failed} failed`;
  return `is being read: ${progress.done} of ${Math.max(progress.total, progress.done)}${failed}`;
}
