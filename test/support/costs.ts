import { appendFileSync, readFileSync } from 'node:fs';

/** Of a process and the children that it has waited for. */
interface Used {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/**
 * What each file of tests costs, as a line of JSON in the file that NESTOR_TEST_COSTS names: CPU time of its process and
 * of the children that it waited for, when it began, and how long it took. A browser's processes are mostly not in it.
 */
export function watchCosts(to: string | undefined): (file: string | undefined) => void {
  let began = used();
  return (file) => {
    const now = used();
    if (to !== undefined && file !== undefined) {
      const cost = {
        cpuMs: Math.round(now.cpuMs - began.cpuMs),
        wallMs: Math.round(now.wallMs - began.wallMs),
      };
      appendFileSync(
        to,
        `${JSON.stringify({ file, process: process.pid, at: Math.round(began.wallMs), ...cost })}\n`,
      );
    }
    began = now;
  };
}

function used(): Used {
  const { user, system } = process.cpuUsage();
  return {
    cpuMs: (user + system) / 1_000 + childrenMs(),
    wallMs: performance.timeOrigin + performance.now(),
  };
}

/** Linux tells it in hundredths of a second, behind a name that may have spaces; elsewhere nobody is asked. */
function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
