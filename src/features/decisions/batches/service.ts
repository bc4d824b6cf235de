import { Fault } from '../../../kernel/faults.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import { shortId, type Ids } from '../../../kernel/kit/ids.ts';
import { readPage, type Page, type PageRequest } from '../../accounts/feature.ts';
import type { BatchRow } from '../store/batch-row.ts';
import type { Batches, NewBatch, Piece } from '../store/batches.ts';
import { piecesOf, type CheckLine } from './lines.ts';

interface ServiceOptions {
  readonly batches: Batches;
  /** Throws Fault `storage_quota_exceeded` where an account has no room for so many bytes. */
  readonly admit: (accountId: string, bytes: number) => Promise<unknown>;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Called when there is something to do. */
  readonly wake: () => void;
  readonly onError: (error: unknown) => void;
}

type BatchRequest = Pick<NewBatch, 'accountId' | 'keyId' | 'model' | 'name' | 'questions'>;

/** Of an upload of which nothing is heard. Unit: ms. */
const receivingMs = 120_000;
const piecesPerRead = 4;

export type BatchService = ReturnType<typeof createBatchService>;

/** Batches as their account sees them; those of others are unknown to it. Every method rejects with a Fault. */
export function createBatchService(options: ServiceOptions) {
  const { batches, retentionMs, clock, onError } = options;
  const find = async (accountId: string, id: string): Promise<BatchRow> => {
    const batch = await batches.find(accountId, id);
    if (batch === undefined) throw new Fault('not_found', 'batch not found');
    return batch;
  };
  return {
    find,
    create: (request: BatchRequest, content: AsyncIterable<Buffer>, check: CheckLine) =>
      receive(options, request, content, check),

    /** Newest first. */
    list: (accountId: string, page: PageRequest): Promise<Page<BatchRow>> =>
      readPage(page, { ordinal: 'number' }, ({ after, limit }) =>
        batches.list({ accountId, beforeOrdinal: after?.ordinal, limit }),
      ),

    /** Fault `conflict` for one that is over. Rows that are under way are neither answered nor billed. */
    async cancel(accountId: string, id: string): Promise<BatchRow> {
      const nowMs = clock.now();
      const isCancelled = await batches.cancel(accountId, id, nowMs, nowMs + retentionMs);
      const batch = await find(accountId, id);
      if (!isCancelled) throw new Fault('conflict', 'the batch is over');
      return batch;
    },

    /** At once for everybody who looks; the rows go behind it. */
    async remove(accountId: string, id: string): Promise<void> {
      if (!(await batches.hide(accountId, id))) throw new Fault('not_found', 'batch not found');
      void batches.removeWhole(id).catch(onError);
    },

    /**
     * Texts of lines of results after a line, in order and without a gap while the batch runs: so whoever has a line has
     * all before it.
     */
    results: (id: string, after: number, limit: number) => readResults(batches, id, after, limit),
  };
}

async function receive(
  { batches, admit, retentionMs, clock, ids, wake }: ServiceOptions,
  request: BatchRequest,
  content: AsyncIterable<Buffer>,
  check: CheckLine,
): Promise<BatchRow> {
  const createdAtMs = clock.now();
  const id = `batch_${shortId(ids)}`;
  await batches.receive({ ...request, id, createdAtMs, expiresAtMs: createdAtMs + retentionMs });
  try {
    let rows = 0;
    for await (const piece of piecesOf(content, check)) {
      await admit(request.accountId, Buffer.byteLength(piece.content));
      await batches.add(id, piece, { leaseMs: receivingMs });
      rows += piece.rows;
    }
    if (rows === 0) throw new Fault('invalid_value', 'The file has no rows', { param: 'file' });
    const batch = await batches.accept(id, rows);
    wake();
    return batch;
  } catch (error) {
    await batches.removeWhole(id);
    throw error;
  }
}

async function* readResults(
  batches: Batches,
  id: string,
  after: number,
  limit: number,
): AsyncGenerator<string> {
  // Asked first: everything before it is there by now.
  const openLine = (await batches.firstOpenLine(id)) ?? Infinity;
  let left = limit;
  let line = after;
  while (left > 0) {
    const pieces = (await batches.results(id, line, piecesPerRead)).filter(
      ({ firstLine }) => firstLine < openLine,
    );
    for (const piece of pieces) {
      const lines = linesAfter(piece, line).slice(0, left);
      left -= lines.length;
      line = piece.firstLine + piece.lines - 1;
      if (lines.length > 0) yield lines.join('');
    }
    if (pieces.length < piecesPerRead) return;
  }
}

/** With their ends. */
function linesAfter({ firstLine, content }: Piece, after: number): readonly string[] {
  const lines = content.split(/(?<=\n)/);
  return firstLine > after ? lines : lines.filter((line) => numberOf(line) > after);
}

/** Every result begins with its line: it was written here. */
function numberOf(line: string): number {
  return Number(line.slice('{"line":'.length, line.indexOf(',')));
}
