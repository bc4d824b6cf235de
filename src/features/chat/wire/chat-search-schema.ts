import { Type, type Static } from 'typebox';
import { described, named, Nullable, oneOf, Open } from '../../../kernel/kit/schema.ts';
import { ImageDomainFilter, ImageFormatFilter, searchFilterFields } from '../../search/feature.ts';

const integerBetween = (name: string, minimum: number, maximum: number) => {
  const errorMessage = `${name} must be an integer between ${minimum} and ${maximum}`;
  return Nullable(Type.Integer({ minimum, maximum, errorMessage }), { errorMessage });
};
const latitude = () => Nullable(Type.Number({ minimum: -90, maximum: 90 }));
const longitude = () => Nullable(Type.Number({ minimum: -180, maximum: 180 }));

const Location = named(
  'Location',
  Type.Object({
    latitude: latitude(),
    longitude: longitude(),
    country: Nullable(Type.String({ maxLength: 64 })),
    region: Nullable(Type.String({ maxLength: 128 })),
    city: Nullable(Type.String({ maxLength: 128 })),
  }),
  'Where the user is, for the search.',
);

const fields = {
  web_search_options: Nullable(
    Open(
      {
        search_context_size: oneOf('search_context_size', ['low', 'medium', 'high']),
        search_type: oneOf('search_type', ['fast', 'pro', 'auto']),
        user_location: Nullable(Location),
        image_results_enhanced_relevance: Nullable(Type.Boolean()),
      },
      {
        search_context_size:
          'How much text of the sources the answer rests on, which also decides the fee. `low` by default.',
        search_type: '`pro` allows up to five rounds of search, `fast` and `auto` one.',
        image_results_enhanced_relevance: 'Has no effect.',
      },
    ),
  ),
  search_mode: oneOf('search_mode', ['web', 'academic', 'sec']),
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

const whereNoLocation = 'Used where `user_location` is absent.';
/** What a chat request says of its search. Contract 9.1; the rules of filters are in 11.2. */
export const searchFields = described(fields, {
  search_mode: '`academic` searches articles, `sec` filings. `web` by default.',
  disable_search: 'Answers without a search and without its fee.',
  enable_search_classifier: 'The model decides whether to search.',
  num_search_results: 'Sources of the answer, 10 by default.',
  return_images: 'Adds `images`.',
  image_domain_filter: 'Host names that images come from; a leading `-` excludes one.',
  image_format_filter: 'Formats of images: lower-case names such as `png`, without dot.',
  num_images: '5 by default.',
  return_videos: 'Adds `videos`.',
  media_response: 'Stands over `return_images` and `return_videos`.',
  safe_search: 'True by default.',
  country: whereNoLocation,
  latitude: whereNoLocation,
  longitude: whereNoLocation,
});

const SearchPart = Type.Object(searchFields);
export type SearchPart = Static<typeof SearchPart>;
