/** Entry of the thread of `openOnnxModel`. */
import { parentPort, workerData } from 'node:worker_threads';
import { answerJob } from '../../../kernel/kit/job-worker.ts';
import type { ModelFolder } from './model-folder.ts';
import { createGiveBack } from './give-back.ts';
import { createOnnxWork, type OnnxJob } from './thread-job.ts';

const port = parentPort;
const work = createOnnxWork(workerData as ModelFolder);
const giveBackSoon = createGiveBack();

async function run(job: OnnxJob) {
  try {
    return await work(job);
  } catch (error) {
    // What ran out of memory answers no more; the next job begins in a new thread.
    setTimeout(() => process.exit(1), 0);
    throw error;
  }
}

port?.on('message', (job: OnnxJob) => {
  giveBackSoon();
  void answerJob(port, () => run(job));
});
