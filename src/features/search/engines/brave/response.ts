import type { Json } from '../../../../kernel/kit/json.ts';
import type { Hit, ImageHit, VideoHit } from '../../engine.ts';
import { listAt, numberAt, objectAt, textAt, textsAt, toHits, toPlainText, toSeconds } from '../../hits.ts';
import { toAddress } from '../../page/addresses.ts';

/** Without any hit the answer has no `web` at all. */
export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['web', 'results'], true).map((result) => ({
    url: textAt(result, 'url'),
    title: textAt(result, 'title'),
    snippet: [textAt(result, 'description') ?? '', ...textsAt(result, 'extra_snippets')].join(' '),
    // `age` may be relative, `page_age` never is.
    date: textAt(result, 'page_age') ?? textAt(result, 'age'),
    language: textAt(result, 'language'),
  }));
  return toHits(raw, nowMs);
}

export function fromImages(body: Json): readonly ImageHit[] {
  return listAt(body, ['results'], true).flatMap((result) => {
    const properties = objectAt(result, 'properties');
    const imageUrl = toAddress(textAt(properties, 'url'), '');
    const originUrl = toAddress(textAt(result, 'url'), '');
    const width = numberAt(properties, 'width');
    const height = numberAt(properties, 'height');
    if (imageUrl === null || originUrl === null || width === null || height === null) return [];
    return [{ imageUrl, originUrl, title: toPlainText(textAt(result, 'title') ?? ''), width, height }];
  });
}

export function fromVideos(body: Json): readonly VideoHit[] {
  return listAt(body, ['results'], true).flatMap((result) => {
    const url = toAddress(textAt(result, 'url'), '');
    const thumbnail = objectAt(result, 'thumbnail');
    if (url === null) return [];
    return [
      {
        url,
        thumbnailUrl: toAddress(textAt(thumbnail, 'original') ?? textAt(thumbnail, 'src'), ''),
        thumbnailWidth: numberAt(thumbnail, 'width'),
        thumbnailHeight: numberAt(thumbnail, 'height'),
        duration: toSeconds(textAt(objectAt(result, 'video'), 'duration')),
      },
    ];
  });
}
