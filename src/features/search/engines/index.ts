import type { EngineContext, SearchEngineDeclaration, SearchEngineEntry } from '../define-engine.ts';
import type { SearchEngine } from '../engine.ts';
import { arxiv } from './arxiv/index.ts';
import { brave } from './brave/index.ts';
import { crossref } from './crossref/index.ts';
import { exa } from './exa/index.ts';
import { openalex } from './openalex/index.ts';
import { orcid } from './orcid/index.ts';
import { searxng } from './searxng/index.ts';
import { sec } from './sec/index.ts';
import { serper } from './serper/index.ts';
import { tavily } from './tavily/index.ts';
import { wikidata } from './wikidata/index.ts';

/** In the order in which the configuration describes them. */
export const searchEngines: readonly SearchEngineDeclaration[] = [
  searxng,
  brave,
  tavily,
  exa,
  serper,
  openalex,
  arxiv,
  crossref,
  sec,
  orcid,
  wikidata,
];

/** Opens the engine of an entry of the configuration. */
export function openWebEngine(
  entry: SearchEngineEntry,
  context: EngineContext,
  known: readonly SearchEngineDeclaration[] = searchEngines,
): SearchEngine {
  const engine = known.find(({ type }) => type === entry.type);
  if (engine === undefined) throw new Error(`no search engine ${entry.type}`);
  return engine.open({ ...entry, ...context });
}
