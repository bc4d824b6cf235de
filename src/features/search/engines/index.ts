import type { SearchEngine } from '../engine.ts';
import type { EngineOptions } from '../web-engine.ts';
import { openArxivEngine } from './arxiv/index.ts';
import { openBraveEngine } from './brave/index.ts';
import { openCrossrefEngine } from './crossref/index.ts';
import { openExaEngine } from './exa/index.ts';
import { openOpenAlexEngine } from './openalex/index.ts';
import { openOrcidEngine } from './orcid/index.ts';
import { openSearxngEngine } from './searxng/index.ts';
import { openSecEngine } from './sec/index.ts';
import { openSerperEngine } from './serper/index.ts';
import { openTavilyEngine } from './tavily/index.ts';
import { openWikidataEngine } from './wikidata/index.ts';

type Keyed = EngineOptions & { readonly key: string };
type Located = EngineOptions & { readonly url: string };

/** One engine of the configuration. The corpus is none of them: it is opened beside the store and always there. */
export type EngineChoice =
  | { readonly type: 'searxng'; readonly url: string; readonly key: string | null }
  | { readonly type: keyof typeof keyedEngines; readonly url: string | null; readonly key: string }
  | { readonly type: keyof typeof openEngines; readonly url: string | null; readonly key: string | null };

const keyedEngines = {
  brave: (options: Keyed) => openBraveEngine(options),
  tavily: (options: Keyed) => openTavilyEngine(options),
  exa: (options: Keyed) => openExaEngine(options),
  serper: (options: Keyed) => openSerperEngine(options),
};

const openEngines = {
  openalex: (options: EngineOptions) => openOpenAlexEngine(options),
  arxiv: (options: EngineOptions) => openArxivEngine(options),
  crossref: (options: EngineOptions) => openCrossrefEngine(options),
  sec: (options: EngineOptions) => openSecEngine(options),
  orcid: (options: EngineOptions) => openOrcidEngine(options),
  wikidata: (options: EngineOptions) => openWikidataEngine(options),
};

const searxng = (options: Located) => openSearxngEngine(options);

export function openWebEngine(
  choice: EngineChoice,
  parts: Pick<EngineOptions, 'calls' | 'clock'>,
): SearchEngine {
  switch (choice.type) {
    case 'searxng':
      return searxng({ ...parts, url: choice.url, key: choice.key });
    case 'brave':
    case 'tavily':
    case 'exa':
    case 'serper':
      return keyedEngines[choice.type]({ ...parts, url: choice.url, key: choice.key });
    default:
      return openEngines[choice.type]({ ...parts, url: choice.url, key: choice.key });
  }
}
