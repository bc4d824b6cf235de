import { readFileSync } from 'node:fs';

const pageBytes = 4_096;
/** Processes looked at; a sandbox has far fewer. */
const processesMax = 1_000;

/** What a process and everything below it hold in memory. Unit: bytes; 0 where the system does not tell. */
export function memoryOf(pid: number): number {
  let sum = 0;
  const pids = [pid];
  for (let at = 0; at < pids.length && at < processesMax; at++) {
    const one = pids[at] ?? 0;
    sum += residentOf(one);
    pids.push(...childrenOf(one));
  }
  return sum;
}

function residentOf(pid: number): number {
  const [, resident = '0'] = read(`/proc/${pid}/statm`).split(' ');
  return Number(resident) * pageBytes;
}

function childrenOf(pid: number): readonly number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .flatMap((text) => (text === '' ? [] : [Number(text)]));
}

/** A process may be gone at any moment. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').trim();
  } catch {
    return '';
  }
}
