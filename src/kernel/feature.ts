import type { Administration } from '../features/accounts/administration.ts';
import type { LedgerState } from '../features/accounts/ledger/meter.ts';
import type { StorageQuota } from '../features/accounts/storage-quota.ts';
import type { Tokens } from '../features/accounts/tokens.ts';
import type { Chat } from '../features/chat/chat.ts';
import type { PublishedApi } from '../features/client/api.ts';
import type { AgentRole } from '../features/agent/presets.ts';
import type { Runs } from '../features/agent/runs.ts';
import type { DecisionEngine } from '../features/decisions/engine.ts';
import type { EmbeddingEngine } from '../features/embeddings/embedding.ts';
import type { JobRecords } from '../features/jobs/job-records.ts';
import type { JobQueue } from '../features/jobs/queue.ts';
import type { Billing } from './http/operation.ts';
import type { Clock } from './kit/clock.ts';
import type { Ids } from './kit/ids.ts';
import type { StructuredChecks } from '../features/models/open-structured-checks.ts';
import type { Models } from '../features/models/registry.ts';
import type { PageReader } from '../features/search/page.ts';
import type { Search } from '../features/search/search.ts';
import type { SkillStore } from '../features/skills/skills.ts';
import type { ToolParts } from '../features/tools/index.ts';
import type { FetchMedia } from '../features/models/media.ts';

/** What a run cost, whoever waited for it. */
export interface RunRecord {
  readonly requestId: string;
  readonly operation: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly durationMs: number;
  readonly billing: Billing;
}

/** Room in the ledger for one run. */
export interface RunSlot {
  /** Notes what the run cost, when it ends. Never throws. */
  keep(record: RunRecord): void;
  /** May be called again. */
  release(): void;
}

/** A file in the smallest form that a client takes. */
export interface ConsoleFile {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Absent where the bytes are the file itself. */
  readonly contentEncoding?: 'br' | 'gzip';
}

export interface ConsoleFiles {
  /** The page with a nonce in its places; null where the console was not built. */
  page(nonce: string): Promise<string | null>;
  /** A file of the build by its name; null when there is none. `acceptEncoding` is the header of the request. */
  asset(name: string, acceptEncoding: string): Promise<ConsoleFile | null>;
}

/** What a source of the index takes in. */
export interface IndexSourceOptions {
  /** Links that are followed, or levels below a folder; null is 0 for addresses, all for folders. */
  readonly depth: number | null;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly hosts: readonly string[];
  readonly pagesMax: number;
}

/** A folder or an address, and when it is read again. What is null or absent has its default. */
export interface NewIndexSource {
  readonly location: string;
  readonly depth?: number | null;
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[] | null;
  readonly hosts?: readonly string[] | null;
  readonly pagesMax?: number | null;
  /** `30m`, `12h`, `1d`. */
  readonly every?: string | null;
}

export interface IndexSource {
  readonly id: string;
  readonly kind: 'folder' | 'web' | 'docs';
  readonly location: string;
  readonly options: IndexSourceOptions;
  readonly every: string | null;
  readonly documents: number;
  readonly addedAtMs: number;
  readonly refreshedAtMs: number | null;
  /** Null while it is being read, and where no server reads it by itself. */
  readonly dueAtMs: number | null;
  readonly state: 'new' | 'queued' | 'running' | 'ready' | 'unfinished' | 'failed' | 'set_aside';
  /** Why the source itself could not be read, or is not read any more. */
  readonly error: string | null;
  /** Of a refresh in this process. Unit: documents. */
  readonly progress: { readonly done: number; readonly total: number; readonly failed: number } | null;
  /** What the last refresh came to. Unit: documents. */
  readonly outcome: IndexOutcome | null;
}

export interface IndexOutcome {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly duplicates: number;
  readonly failed: number;
  readonly failures: readonly { readonly url: string; readonly reason: string }[];
}

/** What an operator may do with the index. Every method rejects with a Fault that says what is wrong. */
export interface IndexAdministration {
  list(): Promise<readonly IndexSource[]>;
  /** Adds a source, or gives the one at this place other options, and begins to read it. */
  add(source: NewIndexSource): Promise<{ readonly source: IndexSource; readonly isNew: boolean }>;
  /** Begins to read what changed. */
  refresh(id: string): Promise<IndexSource>;
  /** With all of its documents. */
  remove(id: string): Promise<{ readonly id: string; readonly location: string; readonly documents: number }>;
}

export type Health = 'ok' | 'down' | 'not_configured';

/** Whether a server may be sent requests, and the state of each part by its name in `/readyz`. */
export interface Readiness {
  readonly isReady: boolean;
  /** It serves what comes and takes nothing new soon. */
  readonly isStopping: boolean;
  readonly checks: Readonly<
    Record<'store' | 'ledger' | 'decisions' | 'chat' | 'search' | 'embeddings', Health>
  > & { readonly redis: 'ok' | 'degraded' | 'not_configured' };
}

/** What operations may use. Opened by `server.ts`, which alone knows how. */
export interface Services {
  readonly decisions: DecisionEngine;
  /** Deciders beside it, by the name under which they are asked. */
  readonly comparedDecisions: { get(name: string): DecisionEngine | undefined };
  readonly embeddings: EmbeddingEngine;
  readonly search: Search;
  readonly pages: PageReader;
  readonly chat: Chat;
  readonly jobs: JobQueue;
  /** Jobs as those who look after them see them. */
  readonly jobRecords: JobRecords;
  readonly skills: SkillStore;
  readonly tokens: Tokens;
  readonly administration: Administration;
  /** Asked before anything is done that leaves something in the store. */
  readonly storageQuota: Pick<StorageQuota, 'admit'>;
  readonly index: IndexAdministration;
  readonly models: Models;
  /** Whether answers have the format that a caller asked for. */
  readonly structured: StructuredChecks;
  /** What tools of the agent and of chat work with. */
  readonly tools: ToolParts;
  readonly runs: Runs;
  /** Room for what a run of the agent costs, taken before it begins. Throws a Fault where there is none. */
  readonly reserveRunRow: () => RunSlot;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Reads images and documents that a caller names by address; absent where nothing may be fetched. */
  readonly fetchMedia?: FetchMedia;
  /** The operations of this server, called as the owner of a key. */
  readonly published: { withKey(key: string): PublishedApi };
  /** A page of the guide by its name; null when there is none. */
  readonly documentation: (page: string) => Promise<Uint8Array | null>;
  /** The web console as it was built. */
  readonly console: ConsoleFiles;
  /** What `/readyz` tells. Tries the store, at most once a second. */
  readonly readiness: () => Promise<Readiness>;
  /** What the ledger has not handed on, and what it could not. */
  readonly ledger: () => LedgerState;
  /** The published description, without `servers`. */
  readonly openapi: () => object;
}

/** What the declarations of operations depend on: names, limits and switches of the configuration. */
export interface Settings {
  readonly version: string;
  readonly family: string;
  readonly publicUrl: string | null;
  /** Origins of web pages that may call; `*` is every one. */
  readonly corsOrigins: readonly string[];
  /** What the operator set for an item of the price list, or for a part of it. Unit: that of the item, USD. */
  readonly priceOf: (item: string, part: string) => number | undefined;
  /** Whether there is an admin key, and so an administration. */
  readonly admin: boolean;
  readonly decisions: {
    /** Names under which the decider answers. */
    readonly served: readonly string[];
    /** Names of further deciders, each of which is one of its own. */
    readonly compared: readonly string[];
    readonly inputTokensMax: number;
    readonly timeoutMs: number;
    /** Output is free. Unit: USD per million input tokens. */
    readonly priceUsdPerMillion: number;
  };
  readonly router: {
    /** Fields that strict mode refuses are dropped and named in a header. */
    readonly lenient: boolean;
    readonly timeoutMs: number;
  };
  readonly agent: {
    /** Models of the presets, as `provider/model`. */
    readonly roles: Readonly<Record<AgentRole, string>>;
    /** Longest duration of a run. */
    readonly timeoutMs: number;
    /** `seen`: only addresses that others than the model named are read. */
    readonly fetch: 'any' | 'seen';
  };
  readonly chat: {
    readonly timeoutMs: number;
    /** Neighbouring messages of one role are merged instead of refused. */
    readonly lenientRoles: boolean;
    /** Whether replies carry `citations`. */
    readonly citations: boolean;
  };
  readonly aliases: {
    /** The built-in names of the upstream service. */
    readonly upstream: boolean;
    readonly models: Readonly<Record<string, string>>;
  };
}
