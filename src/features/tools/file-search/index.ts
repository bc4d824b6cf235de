import { hash } from 'node:crypto';
import { raceSignal } from '../../../kernel/kit/abort.ts';
import type { FileSearch, FoundFile } from '../../search/feature.ts';
import { Arguments } from '../arguments.ts';
import { failure, toFoundText } from '../context-block.ts';
import type { ToolDependencies } from '../define-tool.ts';
import { guardedCall } from '../guarded-call.ts';
import { searchPriceUsd } from '../search-tool.ts';
import { parametersOf, textList, type Source, type Tool } from '../tool.ts';

/** A document as a tool found it. */
export interface SourceFile extends Source {
  readonly fileId: string;
  readonly fileName: string;
  readonly score: number;
}

interface FilesFound {
  readonly queries: readonly string[];
  readonly results: readonly SourceFile[];
}

declare module '../tool.ts' {
  interface ToolItems {
    readonly files: FilesFound;
  }

  interface ToolProgresses {
    readonly 'file-queries': Pick<FilesFound, 'queries'>;
  }
}

export interface FileSearchOptions {
  /** Another name than those of the functions of the caller. */
  readonly name: string;
  readonly sourceIds: readonly string[];
  readonly resultsMax: number;
  /** Documents below it are no results. */
  readonly scoreMin: number;
}

type Dependencies = Pick<ToolDependencies, 'onFailure' | 'priceOf'> & { readonly files: FileSearch };

const queriesMax = 5;
const queryCharsMax = 400;
const timeoutMs = 30_000;
const price = { name: 'search_web', usd: searchPriceUsd };

/** Searches some sources of the own index. Only requests of OpenAI's clients ask for it, so that no name is reserved. */
export function openFileSearch(
  { name, sourceIds, resultsMax, scoreMin }: FileSearchOptions,
  { files, onFailure, priceOf }: Dependencies,
): Tool {
  const find = async (queries: readonly string[], signal: AbortSignal, accountId: string) => {
    const found = await Promise.all(
      queries.map((text) => files.find(text, sourceIds, resultsMax, signal, accountId)),
    );
    return bestOf(found.flat())
      .filter(({ score }) => score >= scoreMin)
      .slice(0, resultsMax);
  };
  return {
    definition: {
      name,
      description:
        'Searches the files of the user and gives back passages of them with numbers to cite. Ask several short queries ' +
        'at once when a question has several parts.',
      parameters: parametersOf({ queries: textList(queriesMax, 'What to search for.') }),
      strict: false,
    },
    cites: true,
    async call(args, _callId, run) {
      const read = new Arguments(args);
      const queries = read.texts('queries', queriesMax, queryCharsMax);
      if (read.problem !== null) return failure(read.problem);
      run.report({ type: 'file-queries', queries });
      return guardedCall(run.signal, { timeoutMs, what: 'The search', onFailure }, async (signal) => {
        const found = await raceSignal(find(queries, signal, run.accountId), signal);
        const results = found.map((one) => ({ ...toFile(one), ...run.cite(one) }));
        return {
          items: [{ type: 'files', queries, results }],
          text: results.length === 0 ? 'The search found nothing.' : toFoundText(results),
          isError: false,
          uses: [{ name: price.name, count: 1, costUsd: priceOf(price) }],
        };
      });
    },
  };
}

/** Each document once, with its best score. */
function bestOf(found: readonly FoundFile[]): readonly FoundFile[] {
  const sorted = found.toSorted((a, b) => b.score - a.score);
  return sorted.filter(({ url }, at) => sorted.findIndex((one) => one.url === url) === at);
}

/** The same document has the same id in every response. */
function toFile({ url, title, score }: FoundFile): Pick<SourceFile, 'fileId' | 'fileName' | 'score'> {
  const path = URL.parse(url)?.pathname ?? '';
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  return {
    fileId: `file-${hash('sha256', url, 'hex').slice(0, 24)}`,
    fileName: decoded(last) || title,
    score,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
