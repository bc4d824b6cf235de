/** A process that appends rows and reports each one that it has appended, until it is killed. */
import { systemClock } from '../../../kernel/kit/clock.ts';
import { openJournal } from './journal.ts';

const [folder = '', round = ''] = process.argv.slice(2);
const journal = openJournal({
  folder,
  name: `process-${round}`,
  clock: systemClock,
  onStray: () => {},
  segmentBytes: 65_536,
});
let number = 0;
setInterval(() => {
  for (let i = 0; i < 20; i++) {
    if (!journal.reserve()) throw new Error('no room');
    const id = `${round}-${number++}`;
    journal.release();
    journal.append(
      JSON.stringify({
        id,
        accountId: 'a',
        keyId: 'k',
        operation: 'o',
        requestId: id,
        costParts: {},
        createdAtMs: Date.now(),
      }),
    );
    process.send?.(id);
  }
}, 1);
