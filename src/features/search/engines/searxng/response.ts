import type { Hit, ImageHit, VideoHit } from '../../engine.ts';
import { listAt, textAt, toHits, toPlainText, toSeconds } from '../../hits.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';
import { toAddress } from '../../page/addresses.ts';

export function fromResponse(body: Json, nowMs: number): readonly Hit[] {
  const raw = listAt(body, ['results']).map((result) => ({
    url: textAt(result, 'url'),
    title: textAt(result, 'title'),
    snippet: textAt(result, 'content'),
    date: textAt(result, 'publishedDate'),
  }));
  return toHits(raw, nowMs);
}

/** Those whose size is told, because a picture without one cannot be laid out. */
export function fromImages(body: Json): readonly ImageHit[] {
  return listAt(body, ['results']).flatMap((result) => {
    const imageUrl = toAddress(textAt(result, 'img_src'), '');
    const originUrl = toAddress(textAt(result, 'url'), '');
    const size = sizeOf(result);
    if (imageUrl === null || originUrl === null || size === null) return [];
    return [{ imageUrl, originUrl, title: toPlainText(textAt(result, 'title') ?? ''), ...size }];
  });
}

export function fromVideos(body: Json): readonly VideoHit[] {
  return listAt(body, ['results']).flatMap((result) => {
    const url = toAddress(textAt(result, 'url'), '');
    if (url === null) return [];
    return [
      {
        url,
        thumbnailUrl: toAddress(textAt(result, 'thumbnail'), ''),
        thumbnailWidth: null,
        thumbnailHeight: null,
        duration: toSeconds(textAt(result, 'length')),
      },
    ];
  });
}

/** `1280x720`, `1280 x 720` or `1280×720`. */
function sizeOf(result: JsonObject): { readonly width: number; readonly height: number } | null {
  const found = /^\s*(?<width>\d{1,6})\s*[x×]\s*(?<height>\d{1,6})/i.exec(textAt(result, 'resolution') ?? '');
  if (found?.groups === undefined) return null;
  return { width: Number(found.groups['width']), height: Number(found.groups['height']) };
}
