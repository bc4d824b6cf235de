import { moduleBeside } from '../../../kernel/kit/beside.ts';
import { backgroundAccount, type Caller } from '../../../kernel/kit/caller.ts';
import type { Clock } from '../../../kernel/kit/clock.ts';
import { pageBytesMax, type GuardedClient, type GuardedOutcome } from '../../../kernel/kit/guarded-client.ts';
import { JobPool } from '../../../kernel/kit/job-pool.ts';
import { JobError } from '../../../kernel/kit/job-thread.ts';
import { failureOfJob, PageError, type Page, type PageFailure, type SiteReader } from '../page.ts';
import type { PageHead, PageJob, Reply, RobotsJob } from './job.ts';
import { acceptedTypes } from './kinds.ts';

interface PageReaderOptions {
  readonly client: GuardedClient;
  readonly clock: Clock;
  /** For reading one page once it is here. Unit: ms. */
  readonly timeoutMs?: number;
}

/** A hostile page keeps a thread until its time is over: one account never has both. */
const threads = 2;
/** Half of them of one account. */
const waitingMax = 128;
const idleMs = 120_000;
const heapMb = 384;
// A PDF file of 20 MB may unpack to gigabytes.
const outsideMb = 256;
const defaultTimeoutMs = 10_000;
const tooLarge = `Files are at most ${pageBytesMax / 1_048_576} MiB large.`;
const otherFile = 'Only PDF, TXT, MD, CSV, JSON, HTML and DOCX files are read.';

const messages = {
  unsupported: 'This kind of file is not read; PDF, DOCX, HTML, Markdown, text, CSV, JSON and XML are.',
  unreadable: 'The file is broken or not what it claims to be.',
  too_complex: 'The page is too complex to be read.',
  timeout: 'Reading the page took too long.',
  busy: 'Too many pages are being read, please try again later.',
} satisfies Partial<Record<PageFailure, string>>;

type PageThreads = JobPool<PageJob | RobotsJob, Reply>;

/**
 * Opens the reader of pages and files. Fetching is the guarded client's; reading happens in threads of its own
 * that start with the first page, end when none comes, and are ended when a page asks for too much.
 */
export function openPageReader({
  client,
  clock,
  timeoutMs = defaultTimeoutMs,
}: PageReaderOptions): SiteReader {
  const workerUrl = moduleBeside('worker', import.meta.url);
  const options = { workerUrl, name: 'pages', timeoutMs, threads, waitingMax, idleMs, heapMb, outsideMb };
  const pool: PageThreads = new JobPool(options);
  const about = (url: string, contentType: string): PageHead => ({
    url,
    contentType,
    charset: charsetOf(contentType),
    nowMs: clock.now(),
  });
  return {
    async read(url, signal, { account, tokensMax = null }) {
      const asked = { signal, account, bytesMax: pageBytesMax, accept: acceptedTypes };
      const answer = await client.fetch(url, asked);
      if (!answer.ok) throw new PageError(answer.reason, answer.message, answer.status);
      const head = { ...about(answer.url, answer.contentType), ...headOf(answer) };
      const job = { bytes: answer.bytes, head, isAttachment: false, tokensMax };
      return readIn(pool, job, true, { signal, account });
    },
    extract(bytes, contentType, url, signal, { tokensMax = null } = {}) {
      const head = about(url, contentType);
      const job = { bytes, head, isAttachment: false, tokensMax };
      return readIn(pool, job, false, { signal, account: backgroundAccount });
    },
    async extractFile(base64, { fileName, mediaType }, caller) {
      const bytes = Buffer.from(base64, 'base64');
      if (bytes.length > pageBytesMax) throw new PageError('too_large', tooLarge);
      const head = about(fileName ?? '', mediaType ?? '');
      const job = { bytes, head, isAttachment: true, tokensMax: null };
      return readIn(pool, job, false, caller).catch((error: unknown) => {
        const isOther = error instanceof PageError && error.reason === 'unsupported';
        throw isOther ? new PageError('unsupported', otherFile) : error;
      });
    },
    async readRobots(robots, userAgent, signal) {
      const reply = await ask(pool, { robots, userAgent }, [], { signal, account: backgroundAccount });
      if (reply.kind === 'robots') return reply.rules;
      throw toError(reply.kind === 'failed' ? reply.reason : 'unreadable');
    },
    close: () => pool.close(),
  };
}

/** `isOwned`: nobody else uses the bytes, so they are moved and not copied. */
async function readIn(pool: PageThreads, job: PageJob, isOwned: boolean, caller: Caller): Promise<Page> {
  const { buffer } = job.bytes;
  const isMovable = isOwned && buffer instanceof ArrayBuffer && buffer.byteLength === job.bytes.byteLength;
  const reply = await ask(pool, job, isMovable ? [buffer] : [], caller);
  if (reply.kind === 'page') return reply.page;
  throw toError(reply.kind === 'failed' ? reply.reason : 'unreadable');
}

async function ask(
  pool: PageThreads,
  job: PageJob | RobotsJob,
  moved: readonly ArrayBuffer[],
  { signal, account }: Caller,
): Promise<Reply> {
  try {
    return await pool.run(job, signal, account, moved);
  } catch (error) {
    throw error instanceof JobError ? toError(failureOfJob[error.reason]) : error;
  }
}

function toError(reason: keyof typeof messages): PageError {
  return new PageError(reason, messages[reason]);
}

function headOf({
  charset,
  headers,
}: Extract<GuardedOutcome, { ok: true }>): Omit<PageHead, 'url' | 'contentType' | 'nowMs'> {
  return {
    charset,
    lastModified: headers['last-modified'],
    sent: headers.date,
    language: headers['content-language'],
    link: headers.link,
    robots: headers['x-robots-tag'],
  };
}

function charsetOf(contentType: string): string | null {
  return (
    /;\s*charset\s*=\s*["']?(?<label>[\w.:-]{1,40})/i.exec(contentType)?.groups?.['label']?.toLowerCase() ??
    null
  );
}
