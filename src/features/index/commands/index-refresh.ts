import { resolve } from 'node:path';

import { setAsideReason } from '../attempt.ts';
import { toSource, type Outcome, type Source } from '../source.ts';
import { createProgress, type Progress } from '../../../kernel/commands/progress.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { oneLine, printJson } from '../../../kernel/commands/print.ts';
import type { IndexContext, IndexTools } from '../open-index.ts';
import type { SourceRow } from '../store/sources.ts';

/**
 * `nestor index refresh`: the sources named, or all but Nestor's own pages, which every start of a server looks after, and
 * those set aside, which have to be named.
 */
export async function refreshSources(
  tools: IndexTools,
  words: readonly string[],
  account: string | null,
  isJson: boolean,
  context: IndexContext,
): Promise<number> {
  if (words.length > 0) {
    const rows = await Promise.all(words.map((word) => findSource(tools, word, account, context)));
    if (rows.some(({ kind }) => kind === 'docs'))
      throw new UsageError("Nestor's own pages are looked after by the server.");
    for (const { id } of rows) await tools.resume(id);
    return readSources(tools, rows.map(toSource), isJson, context);
  }
  const all = (await tools.sources.list(account)).filter(({ kind }) => kind !== 'docs');
  const rows = all.filter(({ setAside }) => setAside === null);
  const code = await readSources(tools, rows.map(toSource), isJson, context);
  for (const row of all) warnSetAside(row, context.err);
  return rows.length < all.length ? exitCodes.failed : code;
}

/** Warns of a source that is set aside. */
export function warnSetAside({ location, setAside }: SourceRow, err: IndexContext['err']): void {
  if (setAside === null) return;
  err.write(`nestor: ${oneLine(location)} is set aside. ${oneLine(setAsideReason(setAside))}\n`);
}

/** Finds a source by its ID, or by its address or path among those of all or those of an account. */
export async function findSource(
  tools: IndexTools,
  word: string,
  account: string | null,
  { cwd }: Pick<IndexContext, 'cwd'>,
) {
  const url = URL.parse(word);
  const find = (name: string) => tools.sources.find(name, account ?? '');
  const row =
    (await find(word)) ??
    (url === null ? undefined : await find(url.href)) ??
    (await find(resolve(cwd, word)));
  if (row === undefined || (account !== null && row.accountId !== account))
    throw new UsageError(`No source "${word}"; nestor index ls lists them.`);
  return row;
}

/** Reads sources one after the other and prints their outcomes. */
export async function readSources(
  tools: IndexTools,
  sources: readonly Source[],
  isJson: boolean,
  context: IndexContext,
): Promise<number> {
  const results: object[] = [];
  let hasFailed = false;
  for (const source of sources) {
    const outcome = await readSource(tools, source, context);
    hasFailed ||= outcome === null || outcome.failed > 0;
    if (isJson)
      results.push({ id: source.id, location: source.location, isBusy: outcome === null, ...outcome });
    else printOutcome(source, outcome, context);
  }
  if (isJson) printJson(context.out, results);
  return hasFailed ? exitCodes.failed : exitCodes.done;
}

async function readSource(
  tools: IndexTools,
  source: Source,
  { err, clock, signal }: IndexContext,
): Promise<Outcome | null> {
  const bar: { progress?: Progress } = {};
  try {
    return await tools.refresh(source, signal, ({ done, total, failed }) => {
      bar.progress ??= createProgress(err, total, clock);
      bar.progress.update(Math.min(done, total), failed);
    });
  } finally {
    bar.progress?.finish();
  }
}

function printOutcome({ location }: Source, outcome: Outcome | null, { out, err }: IndexContext): void {
  if (outcome === null) {
    err.write(`nestor: ${oneLine(location)} is being refreshed by another process.\n`);
    return;
  }
  const { added, changed, unchanged, removed, duplicates, failed, failures } = outcome;
  const counts = { added, changed, unchanged, removed, duplicates, failed };
  const words = Object.entries(counts)
    .filter(([name, count]) => count > 0 || name === 'added')
    .map(([name, count]) => `${count} ${name}`);
  out.write(`${oneLine(location)}: ${words.join(', ')}\n`);
  for (const { url, reason } of failures.slice(0, failuresShown))
    err.write(`nestor: ${oneLine(url)}: ${wordsOf(reason)}\n`);
  if (failed > failuresShown)
    err.write(`nestor: and ${failed - failuresShown} more; --json tells up to 50.\n`);
}

const failuresShown = 10;

/** Reasons in words, with the remedy where there is one. */
const failureWords: Readonly<Record<string, string>> = {
  robots: 'its robots.txt does not allow it, or is answered with an error',
  refused: 'a private address; outbound.allow_hosts opens a host of your own',
  dns: 'the host is unknown',
  connect: 'no connection could be made',
  protocol: 'the server broke off or does not speak HTTP',
  timeout: 'no answer in time',
  too_large: 'too large',
  encoding: 'compressed in a way that is not accepted',
  redirects: 'too many redirects',
  status: 'the server answered with an error',
  type: 'another type of content than was asked for',
  busy: 'too many addresses are being fetched; refresh again later',
  unsupported: 'a kind of file that is not read',
  unreadable: 'cannot be opened, broken, encrypted, or not what it claims to be',
  too_complex: 'takes more time or memory to read than a page is given',
  quota: 'the account has as many documents in the index as it may, or as much text',
  set_aside: 'the process ended twice while it was read; remove the source and add it again to try once more',
};

function wordsOf(reason: string): string {
  const words = failureWords[reason];
  return words === undefined ? reason : `${words} (${reason})`;
}
