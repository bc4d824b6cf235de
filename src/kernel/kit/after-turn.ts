/** So many in one turn say that the event loop is busy: of 64 streams at once some 25 have a packet in a turn, of 1,000 at a reader's pace one. */
const busyMin = 4;

/** So many turns later what came in a busy one is dealt with. */
const turnsLater = 2;

type Step = () => void;

let due: Step[] = [];
/** Of the turns before, the oldest first. */
let waiting: Step[][] = [];

/**
 * Runs a step once the event loop has read all that came with what calls for it, two turns later where it is busy: whatever else comes
 * until then is dealt with in the same step. Turns are long then, and a busy machine writes half as many packets.
 */
export function afterTurn(run: Step): void {
  if (due.length === 0 && waiting.length === 0) setImmediate(turn);
  due.push(run);
}

function turn(): void {
  let ready: Step[] = [];
  if (due.length < busyMin) {
    ready = [...waiting.flat(), ...due];
    waiting = [];
  } else {
    waiting.push(due);
    if (waiting.length > turnsLater) ready = waiting.shift() ?? [];
  }
  due = [];
  if (waiting.length > 0) setImmediate(turn);
  for (const run of ready) run();
}
