/** Time for which the events of a run that is over may be read. */
export const resumeMs = 3_600_000;
/** Time for which a run that is not stored may be followed. */
export const unstoredMs = 3_600_000;
/** Time after which a run whose process has not renewed its lease is abandoned. */
export const leaseMs = 15_000;

/** States of a run. JSON travels as text. */
export type RunStatus = 'in_progress' | 'requires_action' | 'completed' | 'failed';

export interface StoredRun {
  readonly id: string;
  readonly accountId: string;
  readonly status: RunStatus;
  /** False: kept only because another run follows it; never shown. */
  readonly isStored: boolean;
  readonly previousId: string | null;
  readonly input: string;
  readonly response: string;
  /** Of the last event; null while it runs. */
  readonly lastSequence: number | null;
  readonly createdAtMs: number;
  readonly endedAtMs: number | null;
  readonly expiresAtMs: number;
}

export interface RunLease {
  readonly owner: string;
  readonly leaseMs: number;
}

/** Consecutive events of one run, as a JSON list, with the files that they tell of. */
export interface StoredEvents {
  readonly id: string;
  readonly firstSequence: number;
  readonly lines: string;
  readonly files?: readonly StoredFile[];
}

export interface StoredEnd {
  readonly id: string;
  readonly status: Exclude<RunStatus, 'in_progress'>;
  readonly response: string;
  readonly lastSequence: number;
  readonly endedAtMs: number;
  readonly expiresAtMs: number;
  readonly eventsExpireAtMs: number;
  /** Those that were not appended before. */
  readonly events: readonly StoredEvents[];
  readonly items: readonly { readonly id: string; readonly item: string }[];
  /** All of the run, also those that were appended before. */
  readonly files: readonly RunFile[];
  /** What a conversation gets with this end; an end that takes the place of another takes it back. */
  readonly conversation?: ConversationEnd | null;
  /** The response of an end that may have been stored before, and that this one takes the place of. */
  readonly replaces: string | null;
}

export interface RunFile {
  readonly id: string;
  readonly filename: string;
  readonly bytes: Uint8Array;
}

export interface StoredFile extends RunFile {
  /** Among the files of its run. */
  readonly position: number;
  readonly createdAtMs: number;
}

/** A conversation that a run goes on with. */
export interface RunConversation {
  readonly id: string;
  /** The input of the run. */
  readonly items: readonly { readonly id: string; readonly item: string }[];
}

interface ConversationEnd extends RunConversation {
  /** False: of a run that failed, nothing was said. */
  readonly isKept: boolean;
  readonly expiresAtMs: number;
}
