/** Entry of the page thread: reads one page, or one robots.txt, at a time. */
import { parentPort } from 'node:worker_threads';

import { answerJob } from '../../../kernel/kit/job-worker.ts';
import { createExtractor } from './extract.ts';
import type { PageJob, RobotsJob } from './job.ts';
import { readRobots } from './robots-rules.ts';

function serve(port: NonNullable<typeof parentPort>): void {
  const extract = createExtractor();
  port.on('message', (job: PageJob | RobotsJob) => {
    void answerJob(port, async () => ('robots' in job ? readRobots(job) : extract(job)));
  });
}

if (parentPort !== null) serve(parentPort);
