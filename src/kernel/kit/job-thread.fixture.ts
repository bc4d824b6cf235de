/** Worker for `job-thread.test.ts` that does what the job names. */
import { parentPort, threadId, workerData } from 'node:worker_threads';

import { answerJob } from './job-worker.ts';

const port = parentPort;
const given: unknown = workerData;
port?.on('message', (job: string) => {
  void answerJob(port, async () => {
    if (job === 'throw') throw new Error('no such job');
    if (job === 'exit') process.exit(3);
    if (job === 'talk') {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      process.stdout.write('said by a library\n'.repeat(10_000), resolve);
      process.stderr.write('said by a library\n');
      await promise;
    }
    if (job === 'stuck') await new Promise(() => undefined);
    if (job === 'starved') await new Promise((resolve) => void setTimeout(resolve, 200));
    // oxlint-disable-next-line no-unmodified-loop-condition -- what a deadline is for
    while (job === 'forever') continue;
    return { job, given, threadId, variables: Object.keys(process.env) };
  });
});
