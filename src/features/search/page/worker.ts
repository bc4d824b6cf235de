/** Entry of the page thread: reads one page, or one robots.txt, at a time. */
import { parentPort } from 'node:worker_threads';

import { answerJob } from '../../../kernel/kit/job-worker.ts';
import { createExtractor } from './extract.ts';
import type { PageJob, RobotsJob } from './job.ts';
import { readRobots } from './robots-rules.ts';

function serve(port: NonNullable<typeof parentPort>): void {
  const { load, extract } = createExtractor();
  const answer = async (job: PageJob | RobotsJob): Promise<void> => {
    // The time of a job begins when the reader is loaded, which takes seconds on a busy machine.
    if (!('robots' in job)) await load(job);
    await answerJob(port, async () => ('robots' in job ? readRobots(job) : extract(job)));
  };
  port.on('message', (job: PageJob | RobotsJob) => void answer(job));
}

if (parentPort !== null) serve(parentPort);
