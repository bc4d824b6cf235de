import { JobError, JobThread } from '../../kernel/kit/job-thread.ts';
import { failureOfJob, PageError, type NewDocument } from '../search/feature.ts';
import {
  embedDocument,
  type DocumentMaker,
  type DocumentOrigin,
  type PageText,
  type PassageEmbedder,
} from './to-document.ts';

/** One job of the thread. */
export interface MakerJob {
  readonly page: PageText;
  readonly origin: DocumentOrigin;
}

interface DocumentMakerOptions {
  /** Entry of the thread: answers each MakerJob with a NewDocument. */
  readonly workerUrl: URL;
  /** Handed to the thread as it starts. */
  readonly workerData: unknown;
  /** For vectors that are not made in the thread, such as those of another server; null where they are, or nowhere. */
  readonly embedder: PassageEmbedder | null;
}

export interface OpenedDocumentMaker extends DocumentMaker {
  close(): Promise<void>;
}

/** A page of the most text there may be takes a quarter of a second. */
const timeoutMs = 60_000;
const jobsMax = 256;
const idleMs = 60_000;
const heapMb = 256;

/**
 * Makes documents in a thread of its own, which starts with the first and ends when none comes: a long page is split,
 * hashed and embedded without a stop, which would hold a server for tens of milliseconds.
 */
export function openDocumentMaker({
  workerUrl,
  workerData,
  embedder,
}: DocumentMakerOptions): OpenedDocumentMaker {
  const options = { workerUrl, name: 'documents', workerData, timeoutMs, jobsMax, idleMs, heapMb };
  const thread = new JobThread<MakerJob, NewDocument>(options);
  const make = async (job: MakerJob, signal: AbortSignal): Promise<NewDocument> => {
    try {
      return await thread.run(job, signal);
    } catch (error) {
      if (!(error instanceof JobError)) throw error;
      throw new PageError(failureOfJob[error.reason], 'No document could be made of the page.');
    }
  };
  const split: DocumentMaker['split'] = ({ title, text, language, date, lastUpdated }, origin, signal) =>
    // Links and images stay here.
    make({ page: { title, text, language, date, lastUpdated }, origin }, signal);
  return {
    split,
    async toDocument(page, origin, signal) {
      const document = await split(page, origin, signal);
      return embedder === null ? document : embedDocument(document, embedder, signal);
    },
    close: () => thread.close(),
  };
}
