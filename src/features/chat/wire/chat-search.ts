import type { ImageSearchOptions, WebSearchOptions } from '../question.ts';
import { Type } from 'typebox';
import { createValidator } from '../../../kernel/http/validate.ts';
import { problemToFault } from '../../../kernel/http/validation-errors.ts';
import type { ContextSize, Filters, Place, SearchFilterFields } from '../../search/feature.ts';
import { refuseConflict, searchFilterFields, toFilters, toImageFilters } from '../../search/feature.ts';
import type { SearchPart } from './chat-search-schema.ts';

const resultsDefault = 10;
const imagesDefault = 5;

export function contextSizeOf({ web_search_options: options }: SearchPart): ContextSize {
  return options?.search_context_size ?? 'low';
}

export function isProSearch({ web_search_options: options }: SearchPart): boolean {
  return options?.search_type === 'pro';
}

/** Null where no search is wanted. Throws Fault `invalid_value`, also for filters of a search that is off. */
export function toWebSearchOptions(part: SearchPart): WebSearchOptions | null {
  const filters = readFilters(part);
  if (part.disable_search === true) return null;
  return {
    kind: part.search_mode ?? 'web',
    filters,
    place: toPlace(part),
    safe: part.safe_search ?? true,
    contextSize: contextSizeOf(part),
    resultsMax: part.num_search_results ?? resultsDefault,
    isPro: isProSearch(part),
    isClassified: part.enable_search_classifier ?? false,
  };
}

/** Null where no pictures are wanted. */
export function toImageSearchOptions(part: SearchPart): ImageSearchOptions | null {
  const isWanted = part.media_response?.overrides?.return_images ?? part.return_images ?? false;
  if (!isWanted) return null;
  const { allowDomains, denyDomains } = toImageFilters(part.image_domain_filter);
  const formats = part.image_format_filter ?? [];
  return { countMax: part.num_images ?? imagesDefault, allowDomains, denyDomains, formats };
}

export function wantsVideos({ media_response: media, return_videos: videos }: SearchPart): boolean {
  return media?.overrides?.return_videos ?? videos ?? false;
}

/** The fields of the request itself stand in where no location was given. */
function toPlace(part: SearchPart): Place | null {
  const location = part.web_search_options?.user_location ?? part;
  const { latitude = null, longitude = null } = location;
  const country = location.country?.trim().toUpperCase() ?? '';
  const named = 'city' in location || 'region' in location ? location : null;
  const place: Place = {
    country: /^[A-Z]{2}$/.test(country) ? country : null,
    region: named?.region ?? null,
    city: named?.city ?? null,
    latitude,
    longitude,
  };
  return Object.values(place).every((value) => value === null) ? null : place;
}

const validator = createValidator(Type.Object(searchFilterFields));

/**
 * The filters of a request. Contract 11.2. Throws Fault `invalid_value` that names the field, also for texts that the
 * schema of the surface lets through.
 */
function readFilters(fields: SearchFilterFields): Filters {
  if (!validator.check(fields)) throw problemToFault('chat', validator.explain(fields));
  refuseConflict(fields);
  return toFilters(fields);
}
