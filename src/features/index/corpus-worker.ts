/** Entry of the thread that makes documents: splits pages, and embeds them where the embedded engine does that. */
import { parentPort, workerData } from 'node:worker_threads';

import type { MakerJob } from './maker-thread.ts';
import { createDocumentMaker, toEmbedder } from './to-document.ts';
import { openWordsEngine } from '../embeddings/feature.ts';
import { answerJob } from '../../kernel/kit/job-worker.ts';

export interface CorpusWorkerInput {
  /** False where another engine than the embedded one embeds, which is not done in this thread. */
  readonly embeds: boolean;
}

const { embeds }: CorpusWorkerInput = workerData;
const maker = createDocumentMaker(embeds ? toEmbedder(await openWordsEngine()) : null);
// Whoever waits gives up by himself; the next job then waits until this one is done.
const { signal } = new AbortController();
const port = parentPort;
port?.on('message', ({ page, origin }: MakerJob) => {
  void answerJob(port, () => maker.toDocument(page, origin, signal));
});
