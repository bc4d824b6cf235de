/** Entry of the page thread: reads one page at a time and says when it begins. */
import { parentPort } from 'node:worker_threads';

import { createExtractor } from './extract.ts';
import type { PageJob, PageReply } from './job.ts';

function serve(port: NonNullable<typeof parentPort>): void {
  const extract = createExtractor();
  const reply = (message: PageReply): void => port.postMessage(message);
  const answer = async (job: PageJob): Promise<void> => {
    reply({ kind: 'begun' });
    reply(await extract(job));
  };
  port.on('message', (job: PageJob) => void answer(job));
}

if (parentPort !== null) serve(parentPort);
