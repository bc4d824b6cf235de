import { raceSignal } from '../../kernel/kit/abort.ts';
import { beginningOf } from '../../kernel/kit/text.ts';
import { noFilters, type ImageHit, type SearchQuery } from '../search/feature.ts';
import { lastQuestion, queryCharsMax } from '../agent/feature.ts';
import type { GroundingContext } from './events.ts';
import type { ChatQuestion, ChatWork, ImageSearchOptions } from './question.ts';

const timeoutMs = 10_000;
const videosMax = 5;
/** Factor of images asked for: not all that engines give fit the options. */
const spare = 4;

/** Pictures and films for the question where they are wanted. Without them the answer is still one. */
export async function findMedia({
  question,
  search,
  onFailure,
  signal,
}: ChatWork): Promise<Pick<GroundingContext, 'images' | 'videos'>> {
  const { images: options, videos: wantsVideos } = question;
  const query = toQuery(question);
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const orNone = async <Item>(work: Promise<readonly Item[]>): Promise<readonly Item[]> => {
    try {
      return await raceSignal(work, limited);
    } catch (error) {
      signal.throwIfAborted();
      onFailure('images or videos', error);
      return [];
    }
  };
  const [images, videos] = await Promise.all([
    options === null
      ? null
      : orNone(search.images(query, options.countMax * spare, limited)).then((found) =>
          found.filter((image) => fits(image, options)).slice(0, options.countMax),
        ),
    wantsVideos ? orNone(search.videos(query, videosMax, limited)) : null,
  ]);
  return { images, videos };
}

function toQuery({ turns, search }: ChatQuestion): SearchQuery {
  return {
    text: beginningOf(lastQuestion(turns), queryCharsMax),
    kind: 'web',
    filters: search?.filters ?? noFilters,
    place: search?.place ?? null,
    safe: search?.safe ?? true,
    hitsMax: 50,
  };
}

function fits(
  { imageUrl, originUrl }: ImageHit,
  { allowDomains, denyDomains, formats }: ImageSearchOptions,
): boolean {
  const host = (URL.parse(originUrl) ?? URL.parse(imageUrl))?.hostname ?? '';
  const isOf = (domain: string) => host === domain || host.endsWith(`.${domain}`);
  if (denyDomains.some(isOf) || (allowDomains.length > 0 && !allowDomains.some(isOf))) return false;
  if (formats.length === 0) return true;
  const ending = /\.([a-z0-9]+)$/i.exec(URL.parse(imageUrl)?.pathname ?? '')?.[1]?.toLowerCase() ?? '';
  const same = ending === 'jpeg' ? 'jpg' : ending;
  return formats.some((format) => (format === 'jpeg' ? 'jpg' : format) === same);
}
