import type { Found, Filters, Place } from '../search/feature.ts';
import type { FunctionTool } from '../models/feature.ts';
import type { SandboxFile, SandboxLanguage, SandboxResult } from '../sandbox/feature.ts';

/** A found page under the number by which texts of one run cite it. */
export interface Source extends Found {
  /** Unique per URL within a run; the first seen gets the next number, from 1. */
  readonly id: number;
}

/** What a tool did, as the caller is told of it. */
export type ToolItem =
  | { readonly type: 'search'; readonly queries: readonly string[]; readonly results: readonly Source[] }
  | { readonly type: 'people'; readonly queries: readonly string[]; readonly results: readonly Source[] }
  | {
      readonly type: 'pages';
      readonly contents: readonly {
        readonly url: string;
        readonly title: string;
        readonly snippet: string;
      }[];
    }
  | {
      readonly type: 'finance';
      readonly categories: readonly string[];
      readonly tickers: readonly string[];
      readonly results: readonly {
        readonly category: string;
        readonly content: string;
        readonly sources: readonly string[];
        readonly tickers: readonly string[];
      }[];
    }
  | {
      readonly type: 'sandbox';
      readonly callId: string;
      readonly containerId: string;
      readonly language: SandboxLanguage;
      readonly code: string;
      readonly result: SandboxResult;
    }
  | {
      readonly type: 'shared-file';
      readonly callId: string;
      readonly fileId: string;
      readonly file: SandboxFile;
    }
  | { readonly type: 'skill'; readonly name: string };

/** What a tool tells while it works, before its items. */
export type ToolProgress =
  | { readonly type: 'search-queries'; readonly queries: readonly string[] }
  | { readonly type: 'search-results'; readonly results: readonly Source[] }
  | { readonly type: 'page-urls'; readonly urls: readonly string[] }
  | {
      readonly type: 'page-contents';
      readonly contents: readonly {
        readonly url: string;
        readonly title: string;
        readonly snippet: string;
      }[];
    }
  | { readonly type: 'skill'; readonly name: string };

/** Names under which uses of tools are billed. */
export type ToolBillingName = 'search_web' | 'search_people' | 'fetch_url' | 'finance_search' | 'sandbox';

export interface ToolOutcome {
  readonly items: readonly ToolItem[];
  /** What the model reads: data, delimited as such. */
  readonly text: string;
  readonly isError: boolean;
  /** What is charged. Units: uses, USD. */
  readonly uses: readonly {
    readonly name: ToolBillingName;
    readonly count: number;
    readonly costUsd: number;
  }[];
}

/** What one run shares between its tools. */
export interface ToolRun {
  readonly accountId: string;
  /** Gives a page its number, the old one when it was seen before. */
  readonly cite: (found: Found) => Source;
  /** What was found so far. */
  readonly sources: () => readonly Source[];
  /** Kept between calls of the sandbox of one run. */
  readonly files: Map<string, SandboxFile>;
  readonly signal: AbortSignal;
  readonly report: (progress: ToolProgress) => void;
}

/** Settings of a request for its web search. Null leaves a budget to the context size. */
export interface WebSearchOptions {
  readonly filters: Filters;
  readonly place: Place | null;
  readonly contextSize: 'low' | 'medium' | 'high';
  readonly resultsMax: number;
  readonly tokensMax: number | null;
  readonly tokensPerPageMax: number | null;
}

/**
 * One built-in tool, already configured for a request. The spec of `tools`; the list is `tools/index.ts`. A failure
 * of what it asks is an outcome with `isError`, so that the model can go on; only an abort rejects.
 */
export interface Tool {
  /** As the model calls it. */
  readonly definition: FunctionTool;
  /** `args` are what the model wrote, parsed; the tool checks them and says in its outcome what is wrong. */
  call(args: unknown, callId: string, run: ToolRun): Promise<ToolOutcome>;
}
