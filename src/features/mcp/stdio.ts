import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Json } from '../../kernel/kit/json.ts';
import { parseJson } from '../../kernel/kit/json-parse.ts';
import { answerMcp, type RequestContext } from './answer.ts';
import { failures, readMessage, toFailure, type McpNotification, type McpRequest } from './messages.ts';

interface StdioOptions extends Omit<RequestContext, 'notify'> {
  readonly input: Readable;
  readonly output: Writable;
  /** Called with a defect, of which the client gets no details. */
  readonly onError: (error: unknown) => void;
}

const lineBytesMax = 33_554_432;
const depthMax = 128;
/** Requests under way at once; what is over is refused, so that nothing piles up. */
const requestsMax = 64;
const lineFeed = 0x0a;

/**
 * Serves one client over its pipes, a message a line, until the input ends and what is under way is answered. The signal
 * ends everything that is under way.
 */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const { input, output, signal, onError, ...context } = options;
  const running = new Map<string | number, AbortController>();
  const work = new Set<Promise<void>>();

  const write = (message: object): void => void output.write(`${JSON.stringify(message)}\n`);

  async function answer(request: McpRequest, cancel: AbortController): Promise<void> {
    const ended = AbortSignal.any([signal, cancel.signal]);
    try {
      write(await answerMcp(request, { ...context, notify: write, signal: ended }));
    } catch (error) {
      if (!ended.aborted) onError(error);
      // A client that cancelled waits for no answer; every other failure is reported.
      if (!ended.aborted) write(toFailure(request.id, failures.internal, 'Internal error'));
    } finally {
      running.delete(request.id);
    }
  }

  function take(value: Json): void {
    const message = readMessage(value);
    if (message.kind === 'invalid') write(message.response);
    else if (message.kind === 'notification') cancelOne(message.notification, running);
    else if (message.kind === 'request') {
      const { request } = message;
      if (running.size >= requestsMax || running.has(request.id)) {
        const reason = running.has(request.id) ? 'The id is in use.' : 'Too many requests are under way.';
        write(toFailure(request.id, failures.invalidRequest, reason));
        return;
      }
      const cancel = new AbortController();
      running.set(request.id, cancel);
      const done = answer(request, cancel).finally(() => work.delete(done));
      work.add(done);
    }
  }

  // A client that has gone is no failure: what is still written finds nobody.
  output.on('error', () => {});
  const isOut = once(output, 'close', { signal }).catch(() => {});
  await Promise.race([readLines(input, signal, take, write), isOut]);
  await Promise.all(work);
}

function cancelOne(
  { method, params }: McpNotification,
  running: Map<string | number, AbortController>,
): void {
  const { requestId } = params;
  if (method !== 'notifications/cancelled') return;
  if (typeof requestId === 'string' || typeof requestId === 'number') running.get(requestId)?.abort();
}

/** Hands over each line as JSON. A line without an end, above the limit, ends the reading: nothing after it is sure. */
async function readLines(
  input: Readable,
  signal: AbortSignal,
  take: (value: Json) => void,
  write: (message: object) => void,
): Promise<void> {
  const stop = () => void input.destroy();
  signal.addEventListener('abort', stop, { once: true });
  let pieces: Buffer[] = [];
  let size = 0;
  const takeLine = (line: Buffer): void => {
    if (line.toString('latin1').trim() === '') return;
    const value = parse(line);
    if (value === undefined) write(toFailure(null, failures.parse, 'A line is one message of JSON.'));
    else take(value);
  };
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
        takeLine(Buffer.concat([...pieces, chunk.subarray(from, end)]));
        [pieces, size, from] = [[], 0, end + 1];
      }
      pieces.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > lineBytesMax) {
        write(toFailure(null, failures.invalidRequest, `A message has at most ${lineBytesMax} bytes.`));
        return;
      }
    }
    takeLine(Buffer.concat(pieces));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parse(line: Buffer): Json | undefined {
  try {
    return parseJson(line, { depthMax }).value;
  } catch {
    return undefined;
  }
}
