import { chatModels } from '../support/chat.ts';
import { openJobsServer } from '../support/jobs.ts';
import { finish, text, type Script } from '../support/models.ts';
import { createJobs } from '../../src/features/jobs/store/jobs.ts';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * A process of its own with jobs on a store: `node jobs-process.ts URL FOLDER NAME`. Writes its address to standard
 * output, then a line for each job that it begins. Every answer takes some milliseconds, so that a kill finds jobs
 * under way.
 */
const [url = '', dataFolder = '', name = ''] = process.argv.slice(2);

const slow: Script = async function* answer(_request, signal) {
  for (const piece of ['The ', 'kea ', 'is a parrot [1].']) {
    await pause(10, undefined, { signal });
    yield [text(piece)];
  }
  yield finish();
};

const server = await openJobsServer({
  url,
  dataFolder,
  models: chatModels(slow),
  workers: 4,
  onStart: (id) => void process.stdout.write(`begin ${id} ${name}\n`),
});
// Opened, so that the schema is there before anybody looks.
await createJobs(server.database.db).forget(0);
process.stdout.write(`listening ${server.url}\n`);
