import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Child } from './support/child.ts';
import { printTable, type Row } from './support/table.ts';

const key = 'bench-root-key-0123456789';
const at = (file: string) => new URL(`./support/${file}`, import.meta.url);
const streams = 500;
const deltas = 64;

/**
 * Whether 500 slow streams at once stay whole, and memory flat: streams of 64 deltas, one every 20 ms, of which one in
 * ten is left half-way. `MINUTES=10 npm run bench soak-gateway` runs it for ten minutes; one is the default.
 */
export async function run(): Promise<void> {
  const minutes = Number(process.env['MINUTES'] ?? 1);
  const data = await mkdtemp(join(tmpdir(), 'nestor-soak-'));
  const upstream = await startChild(at('slow-upstream.mjs'));
  const server = await startNestor(upstream.url, data);
  const totals = { whole: 0, left: 0, wrong: 0 };
  const rows: Row[] = [];
  const endsAt = performance.now() + minutes * 60_000;
  const startedAt = performance.now();
  let nextRow = 0;
  const report = async () => {
    const { residentMb } = await server.usage();
    const seconds = (performance.now() - startedAt) / 1_000;
    rows.push([`${Math.round(seconds)} s`, totals.whole, totals.left, totals.wrong, residentMb]);
  };
  const client = async (index: number) => {
    for (let round = 0; performance.now() < endsAt; round++) {
      const leaves = (index + round) % 10 === 0;
      const outcome = await readStream(server, `${index}.${round}`, leaves);
      totals[outcome]++;
    }
  };
  const work = Promise.all(Array.from({ length: streams }, (_, index) => client(index)));
  const timer = setInterval(() => {
    if (performance.now() - startedAt < nextRow) return;
    nextRow += Math.max(10_000, (minutes * 60_000) / 12);
    void report();
  }, 1_000);
  await work;
  clearInterval(timer);
  await report();
  printTable(`${streams} streams at once`, ['', 'whole', 'left', 'wrong', 'MB'], rows);
  await server.stop();
  await upstream.stop();
  await rm(data, { recursive: true, force: true });
  if (totals.wrong > 0) process.exitCode = 1;
}

async function startNestor(upstream: string, data: string): Promise<Child> {
  const config = {
    log: { level: 'error' },
    rate_limits: { enabled: false },
    providers: [{ name: 'bench', type: 'openai-compatible', base_url: `${upstream}/v1`, models: ['slow'] }],
  };
  const file = join(data, 'soak.yaml');
  await writeFile(file, JSON.stringify(config));
  const env = { NESTOR_CONFIG: file, NESTOR_DATA: data, NESTOR_PORT: '0', NESTOR_ROOT_KEY: key };
  return startChild(at('nestor-server.mjs'), env);
}

/** `wrong` is anything but every delta of one's own, once and in order, and the end after them. */
function readStream(server: Child, mark: string, leaves: boolean): Promise<'whole' | 'left' | 'wrong'> {
  const { hostname, port } = new URL(server.url);
  const body = JSON.stringify({
    model: 'bench/slow',
    max_tokens: 128,
    stream: true,
    messages: [{ role: 'user', content: mark }],
  });
  return new Promise((resolve) => {
    const call = request(
      {
        hostname,
        port,
        method: 'POST',
        path: '/router/v1/messages',
        headers: { 'x-api-key': key, 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          text += piece;
          if (!leaves || text.length < 3_000) return;
          response.destroy();
          resolve('left');
        });
        response.on('error', () => resolve(leaves ? 'left' : 'wrong'));
        response.on('end', () => resolve(isWhole(text, mark) ? 'whole' : 'wrong'));
      },
    );
    call.on('error', () => resolve(leaves ? 'left' : 'wrong'));
    call.end(body);
  });
}

function isWhole(wire: string, mark: string): boolean {
  const told = [...wire.matchAll(/"text":"(?<text>[^"]+)"/g)].map(({ groups }) => groups?.['text'] ?? '');
  const expected = Array.from({ length: deltas }, (_, index) => `${mark}:${index};`).join('');
  return (
    told.join('') === expected && wire.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')
  );
}
