import type { Json } from '../../../../kernel/kit/json.ts';
import type { Hit, ImageHit, VideoHit } from '../../engine.ts';
import { listAt, numberAt, textAt, toHits, toPlainText, toSeconds } from '../../hits.ts';
import { toAddress } from '../../page/addresses.ts';

export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['organic'], true).map((result) => ({
    url: textAt(result, 'link'),
    title: textAt(result, 'title'),
    snippet: textAt(result, 'snippet'),
    date: textAt(result, 'date'),
  }));
  return toHits(raw, nowMs);
}

export function fromImages(body: Json): readonly ImageHit[] {
  return listAt(body, ['images'], true).flatMap((result) => {
    const imageUrl = toAddress(textAt(result, 'imageUrl'), '');
    const originUrl = toAddress(textAt(result, 'link'), '');
    const width = numberAt(result, 'imageWidth');
    const height = numberAt(result, 'imageHeight');
    if (imageUrl === null || originUrl === null || width === null || height === null) return [];
    return [{ imageUrl, originUrl, title: toPlainText(textAt(result, 'title') ?? ''), width, height }];
  });
}

export function fromVideos(body: Json): readonly VideoHit[] {
  return listAt(body, ['videos'], true).flatMap((result) => {
    const url = toAddress(textAt(result, 'link'), '');
    if (url === null) return [];
    return [
      {
        url,
        thumbnailUrl: toAddress(textAt(result, 'imageUrl'), ''),
        thumbnailWidth: null,
        thumbnailHeight: null,
        duration: toSeconds(textAt(result, 'duration')),
      },
    ];
  });
}
