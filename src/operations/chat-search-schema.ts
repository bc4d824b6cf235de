import { Type, type Static } from 'typebox';
import { Nullable } from '../kit/schema.ts';
import { ImageDomainFilter, ImageFormatFilter, searchFilterFields } from './search-filters.ts';

const integerBetween = (name: string, minimum: number, maximum: number) => {
  const errorMessage = `${name} must be an integer between ${minimum} and ${maximum}`;
  return Nullable(Type.Integer({ minimum, maximum, errorMessage }), { errorMessage });
};
/** One of these words; told with all of them. */
export const choice = <const Values extends readonly string[]>(name: string, values: Values) => {
  const errorMessage = `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  const member = Type.Union(
    values.map((value) => Type.Literal(value)),
    { errorMessage },
  );
  return Nullable(Type.Unsafe<Values[number]>(member), { errorMessage });
};
const latitude = () => Nullable(Type.Number({ minimum: -90, maximum: 90 }));
const longitude = () => Nullable(Type.Number({ minimum: -180, maximum: 180 }));

const Location = Type.Object({
  latitude: latitude(),
  longitude: longitude(),
  country: Nullable(Type.String({ maxLength: 64 })),
  region: Nullable(Type.String({ maxLength: 128 })),
  city: Nullable(Type.String({ maxLength: 128 })),
});

/** What a chat request says of its search. Contract 9.1; the rules of filters are in 11.2. */
export const searchFields = {
  web_search_options: Nullable(
    Type.Object({
      search_context_size: choice('search_context_size', ['low', 'medium', 'high']),
      search_type: choice('search_type', ['fast', 'pro', 'auto']),
      user_location: Nullable(Location),
      image_results_enhanced_relevance: Nullable(Type.Boolean()),
    }),
  ),
  search_mode: choice('search_mode', ['web', 'academic', 'sec']),
  disable_search: Nullable(Type.Boolean()),
  enable_search_classifier: Nullable(Type.Boolean()),
  ...searchFilterFields,
  num_search_results: integerBetween('num_search_results', 1, 50),
  return_images: Nullable(Type.Boolean()),
  image_domain_filter: Nullable(ImageDomainFilter),
  image_format_filter: Nullable(ImageFormatFilter),
  num_images: integerBetween('num_images', 1, 30),
  return_videos: Nullable(Type.Boolean()),
  media_response: Nullable(
    Type.Object({
      overrides: Nullable(
        Type.Object({ return_images: Nullable(Type.Boolean()), return_videos: Nullable(Type.Boolean()) }),
      ),
    }),
  ),
  safe_search: Nullable(Type.Boolean()),
  country: Nullable(Type.String({ maxLength: 64 })),
  latitude: latitude(),
  longitude: longitude(),
};

const SearchPart = Type.Object(searchFields);
/** The part of a request that is about its search. */
export type SearchPart = Static<typeof SearchPart>;
