/** A process that appends rows and reports each one that it has appended, until it is killed. */
import { openJournal } from './journal.ts';

const [folder = '', round = ''] = process.argv.slice(2);
const journal = openJournal(folder, process.pid);
let number = 0;
setInterval(() => {
  for (let i = 0; i < 20; i++) {
    const id = `${round}-${number++}`;
    journal.append(JSON.stringify({ id }));
    process.send?.(id);
    if (number % 50 === 0) journal.rotate();
  }
}, 1);
