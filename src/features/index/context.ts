import type { Clock } from '../../kernel/kit/clock.ts';
import type { GuardedClient } from '../../kernel/kit/guarded-client.ts';
import type { Ids } from '../../kernel/kit/ids.ts';
import type { AccountLimits, SiteReader, Corpus, CorpusVectors } from '../search/feature.ts';
import type { CorpusAttempts } from './store/attempts.ts';
import type { CorpusSources } from './store/sources.ts';
import type { IndexTexts } from './store/texts.ts';
import type { DocumentMaker, PassageEmbedder } from './to-document.ts';

/** Services and settings of indexing. */
export interface IndexingContext {
  readonly corpus: Corpus;
  readonly sources: CorpusSources;
  readonly attempts: CorpusAttempts;
  /** What accounts sent. */
  readonly texts: IndexTexts;
  readonly maker: DocumentMaker;
  readonly vectors: CorpusVectors;
  /** Makes vectors for documents that have none of this engine. */
  readonly embedder: PassageEmbedder;
  /** Public name of the engine of embeddings; documents of another one are read again. */
  readonly embeddedBy: string | null;
  readonly reader: SiteReader;
  readonly client: GuardedClient;
  /** User agent whose rules of robots.txt apply. */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** What an account may have. */
  readonly limits: AccountLimits;
  /** Names this process among those that refresh. */
  readonly owner: string;
  /** Between two requests to one host; rules of the host may ask for more. Unit: ms. */
  readonly delayMs: number;
}

/** One refresh under way. */
export interface Refresh {
  /** Documents not seen since this instant are gone when it ends. */
  readonly begunAtMs: number;
  /** False when it continues one that was broken off. */
  readonly isNew: boolean;
  readonly leftovers: Leftovers;
  readonly signal: AbortSignal;
  /** Called after each step with the number of documents as far as it is known. */
  readonly onStep: (total: number) => void;
}

/** Addresses at which earlier refreshes of a source ended. */
export interface Leftovers {
  /** Addresses that are not read again. */
  readonly skipped: ReadonlySet<string>;
  /** Addresses at which a process ended once: each is read alone, to be known by its address if it ends one again. */
  readonly suspects: ReadonlySet<string>;
}
