import { Agent, request } from 'node:http';
import type { Load } from './load.ts';

/** Unit: ms. */
export interface Lateness {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface PacedResult {
  /** Streams that broke off, or ended with fewer deltas than were due. */
  readonly lost: number;
  /** How often each reason was why. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly deltas: number;
  /** Over the times at which deltas were due, when they were read. */
  readonly read: Lateness;
  /** The same when the scripted model wrote them: what of the above is its own. */
  readonly written: Lateness;
}

const now = () => performance.timeOrigin + performance.now();
const stamp = /<(\d+\.\d+)\|(\d+\.\d+)>/g;

/** Streams at once, begun within `rampMs`, each read to its end. */
export async function readPaced(
  load: Load,
  streams: number,
  deltas: number,
  rampMs: number,
): Promise<PacedResult> {
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const read: number[] = [];
  const written: number[] = [];
  const reasons: Record<string, number> = {};
  let lost = 0;
  await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index * rampMs) / streams));
      const { count, reason } = await readOne(load, agent, read, written);
      if (reason === 'ended' && count === deltas) return;
      lost++;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }),
  );
  agent.destroy();
  return { lost, reasons, deltas: read.length, read: latenessOf(read), written: latenessOf(written) };
}

interface Ended {
  readonly count: number;
  /** `ended`, a status, or the code of an error. */
  readonly reason: string;
}

function readOne(load: Load, agent: Agent, read: number[], written: number[]): Promise<Ended> {
  return new Promise((resolve) => {
    let count = 0;
    let tail = '';
    const { url, path, headers, body } = load;
    const fail = (error: NodeJS.ErrnoException) => resolve({ count, reason: error.code ?? error.message });
    const sent = request(url + path, { method: 'POST', headers, agent }, (response) => {
      response.setEncoding('latin1');
      response.on('data', (chunk: string) => {
        const at = now();
        const text = tail + chunk;
        let end = 0;
        for (const [whole, due, wrote] of text.matchAll(stamp)) {
          count++;
          end = text.indexOf(whole, end) + whole.length;
          read.push(at - Number(due));
          written.push(Number(wrote) - Number(due));
        }
        tail = text.slice(Math.max(end, text.length - 64));
      });
      const { statusCode } = response;
      response.on('end', () => resolve({ count, reason: statusCode === 200 ? 'ended' : String(statusCode) }));
      response.on('error', fail);
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

function latenessOf(values: number[]): Lateness {
  const sorted = Float64Array.from(values).sort();
  const at = (q: number) => sorted[Math.floor((sorted.length - 1) * q)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
