import { objectOf } from '../../../../kernel/kit/json-fields.ts';
import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { Services } from '../../../../kernel/feature.ts';
import { openFileSearch, type FileSearchOptions, type Tool } from '../../../tools/feature.ts';
import type { ToolPlace } from './client-tools.ts';

/** A search of files as a request asks for it. */
export interface FilesRequest extends Omit<FileSearchOptions, 'name'> {
  readonly param: string;
}

const resultsDefault = 20;
const resultsMax = 50;
const sourcesMax = 100;
const known: ReadonlySet<string> = new Set([
  'type',
  'vector_store_ids',
  'max_num_results',
  'ranking_options',
]);

/** The first tool `file_search` that names something to be searched. Throws Fault `invalid_value`. */
export function readFileSearch(places: readonly ToolPlace[], ignored: string[]): FilesRequest | null {
  const place = places.find(({ tool }) => tool['type'] === 'file_search' && idsOf(tool).length > 0);
  if (place === undefined) return null;
  const { tool, param } = place;
  const { max_num_results: max = null, ranking_options: ranking = null } = tool;
  const sourceIds = [...new Set(idsOf(tool))];
  if (sourceIds.length > sourcesMax)
    throw invalidValue(`At most ${sourcesMax} vector stores can be searched`, `${param}.vector_store_ids`);
  if (max !== null && (typeof max !== 'number' || !Number.isInteger(max) || max < 1 || max > resultsMax))
    throw invalidValue(`max_num_results must be between 1 and ${resultsMax}`, `${param}.max_num_results`);
  const { score_threshold: scoreMin = null, ...others } = objectOf(ranking);
  ignored.push(
    ...Object.keys(tool).flatMap((name) =>
      known.has(name) || tool[name] === null ? [] : [`${param}.${name}`],
    ),
    ...Object.keys(others).map((name) => `${param}.ranking_options.${name}`),
  );
  return {
    sourceIds,
    resultsMax: max ?? resultsDefault,
    scoreMin: typeof scoreMin === 'number' ? scoreMin : 0,
    param,
  };
}

/** Opens it for a run. Throws Fault `invalid_tool` for a source that is not in the index, or is of another account. */
export async function openFiles(
  asked: FilesRequest,
  taken: Pick<ReadonlySet<string>, 'has'>,
  { files, tools }: Pick<Services, 'files' | 'tools'>,
  accountId: string,
): Promise<Tool> {
  const missing = await files.findMissing(asked.sourceIds, accountId);
  if (missing !== null)
    throw new Fault('invalid_tool', `Vector store with id '${quote(missing)}' not found.`, {
      param: `${asked.param}.vector_store_ids`,
    });
  return openFileSearch({ ...asked, name: nameAmong(taken) }, { ...tools, files });
}

/** A function of the caller may have the name. */
function nameAmong(taken: Pick<ReadonlySet<string>, 'has'>): string {
  let name = 'file_search';
  while (taken.has(name)) name = `server_${name}`;
  return name;
}

function idsOf({ vector_store_ids: ids }: JsonObject): readonly string[] {
  const list: readonly Json[] = Array.isArray(ids) ? ids : [];
  return list.flatMap((id) => (typeof id === 'string' && id !== '' ? [id] : []));
}
