import { errorMessage } from '../../kit/errors.ts';
/** Storage thread: opens the file named in `workerData` and answers one message at a time. */
import { parentPort, workerData } from 'node:worker_threads';

import { openFile } from './open-file.ts';
import type { Message, Reply, WorkerInput } from './protocol.ts';
import { Store } from './store.ts';

function serve(port: NonNullable<typeof parentPort>, input: WorkerInput): void {
  const reply = (message: Reply): void => port.postMessage(message);
  let store: Store;
  try {
    store = new Store(openFile(input), input.access);
  } catch (error) {
    reply({ kind: 'refused', message: errorMessage(error) });
    return;
  }
  port.on('message', (message: Message) => {
    switch (message.kind) {
      case 'group':
        reply({ kind: 'outcomes', outcomes: store.runGroup(message.statements), commits: store.commits });
        break;
      case 'own':
        reply({ kind: 'outcomes', outcomes: store.runOwn(message.steps), commits: store.commits });
        break;
      case 'close':
        store.close();
        reply({ kind: 'closed' });
        port.close();
    }
  });
  reply({ kind: 'opened' });
}

const input: WorkerInput = workerData;
if (parentPort !== null) serve(parentPort, input);
