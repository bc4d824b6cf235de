import type { SearchEngineDeclaration } from '../define-source.ts';
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
