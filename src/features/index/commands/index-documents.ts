import { takeVerb, takeWords, texts } from '../../../kernel/commands/command-line.ts';
import { exitCodes, UsageError } from '../../../kernel/commands/exit-codes.ts';
import { configOption, defineCommand } from '../../../kernel/commands/run-command.ts';
import { addSource, type AddOptions } from './index-add.ts';
import { listSources, removeSource } from './index-list.ts';
import { refreshSources } from './index-refresh.ts';
import { lookForStore } from '../../accounts/feature.ts';
import type { IndexContext, IndexTools } from '../open-index.ts';

const usage = `nestor index: the documents that searches and answers of a server on this configuration find

  nestor index add PATH               a folder: Markdown, HTML, PDF, DOCX, TXT, CSV and JSON files below it
  nestor index add URL                a page, or the entries of an RSS or Atom feed
  nestor index add URL --depth 3      a site: its sitemap, and links up to three deep from this page
  nestor index ls                     the sources, how many documents they have, when they were read last
  nestor index refresh [SOURCE…]      read what changed: of these sources, or of all
  nestor index rm SOURCE              forget a source and all of its documents

  nestor index add ./handbook --exclude 'drafts/**' --every 1h
  nestor index add https://docs.example.com/ --depth 4 --include 'guide/**' --every 1d

A SOURCE is named by its path or address, or by the ID that ls prints. nestor:docs is Nestor's own guide: rm switches it
off for good, add on again.

  --depth N             links followed from the page (default 0), or levels below the folder (default all)
  --include GLOB        only paths that match; may be given several times. In folders also files of other names,
                        which are then read as plain text
  --exclude GLOB        not the paths that match; may be given several times
  --host NAME           follow links to this host as well; may be given several times
  --pages N             addresses of a site at most (default 10000)
  --every TIME          a running server reads it again in this rhythm: 30m, 12h, 1d
  --account ID          the index of one account, which no other account finds: what is added, listed or named
  --json                print one JSON value in place of words and tables
  --config FILE         configuration to read in place of NESTOR_CONFIG

Only what changed is read again; what vanished is forgotten. robots.txt is obeyed, and a host is asked at most twice a
second. Hosts in a private network are refused unless outbound.allow_hosts names them. A run that was broken off goes on
where it was. It may run beside servers on the same store, which find every document as soon as it is written.

Exit codes: 0 done, 1 failed (also when single documents failed), 2 wrong command or configuration,
130 interrupted.
See docs/guide/search-index.md.`;

const many = { type: 'string', multiple: true } as const;
const options = {
  ...configOption,
  ...texts('depth', 'pages', 'every', 'account'),
  include: many,
  exclude: many,
  host: many,
} as const;

const verbs = ['ls', 'add', 'refresh', 'rm'] as const;

export const runIndex = defineCommand(
  { name: 'index', usage, options, verbs },
  async ({ values, words }, context: IndexContext) => {
    const { help: _, config, json, ...given } = values;
    const work = plan(words, given, json, context);
    const configuration = await context.load(config);
    lookForStore(configuration, words[0] === 'add', context.err);
    const tools = await context.openIndex(configuration);
    try {
      return await work(tools);
    } catch (error) {
      if (!context.signal.aborted) throw error;
      context.err.write('nestor: stopped; what was read is kept, and nestor index refresh goes on.\n');
      return exitCodes.interrupted;
    } finally {
      await tools.close();
    }
  },
);

/** Checks the command line before anything is opened. */
function plan(
  words: readonly string[],
  given: AddOptions,
  isJson: boolean,
  context: IndexContext,
): (tools: IndexTools) => Promise<number> {
  const [verb, rest] = takeVerb(words, verbs, 'ls');
  const { account, ...ofAdd } = given;
  const [named] = Object.keys(ofAdd);
  if (verb !== 'add' && named !== undefined) throw new UsageError(`--${named} belongs to add.`);
  switch (verb) {
    case 'add':
      return addSource(...takeWords(rest, ['PATH or URL']), given, isJson, context);
    case 'ls':
      takeWords(rest, []);
      return (tools) => listSources(tools, account ?? null, isJson, context);
    case 'refresh':
      return (tools) => refreshSources(tools, rest, account ?? null, isJson, context);
    case 'rm': {
      const [source] = takeWords(rest, ['SOURCE']);
      return (tools) => removeSource(tools, source, account ?? null, isJson, context);
    }
  }
}
