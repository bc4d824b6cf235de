/** Entry of the page thread: reads one page at a time. */
import { parentPort } from 'node:worker_threads';

import { answerJob } from '../../kit/job-worker.ts';
import { createExtractor } from './extract.ts';
import type { PageJob } from './job.ts';

function serve(port: NonNullable<typeof parentPort>): void {
  const extract = createExtractor();
  port.on('message', (job: PageJob) => void answerJob(port, () => extract(job)));
}

if (parentPort !== null) serve(parentPort);
