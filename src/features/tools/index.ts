import { fetchUrl } from './fetch-url/index.ts';
import { financeSearch } from './finance-search/index.ts';
import { loadSkill } from './load-skill/index.ts';
import { peopleSearch } from './people-search/index.ts';
import { sandbox } from './sandbox/index.ts';
import { webSearch } from './web-search/index.ts';

/** The tools that models may call, in the order of the published schema. */
export const definitions = [webSearch, fetchUrl, peopleSearch, financeSearch, sandbox, loadSkill];
