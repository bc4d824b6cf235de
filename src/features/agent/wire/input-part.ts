import { Fault } from '../../../kernel/faults.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { checkBase64, dataUrl, readDataImage, type Media } from '../../models/feature.ts';

export type InputPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly media: Media }
  | { readonly kind: 'remote-image'; readonly url: string; readonly param: string }
  | ({ readonly kind: 'file'; readonly name: string | null; readonly param: string } & FileContent);

type FileContent =
  | { readonly url: string; readonly base64?: undefined }
  | { readonly base64: string; readonly mediaType: string | null; readonly url?: undefined };

const urlCharsMax = 2_048;

/** Reads a part of a message or of a result. Throws Fault `invalid_value` and `invalid_image`. */
export function parsePart(part: Json, param: string): InputPart {
  if (!isJsonObject(part)) throw new Fault('invalid_value', `${param} must be an object`, { param });
  const { type } = part;
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { kind: 'text', text: withoutMarkers(textOf(part, 'text', param), part['annotations']) };
    case 'refusal':
      return { kind: 'text', text: textOf(part, 'refusal', param) };
    case 'input_image':
      return parseImage(textOf(part, 'image_url', param), `${param}.image_url`);
    case 'input_file':
      return parseFile(part, param);
    default: {
      const named = JSON.stringify(typeof type === 'string' ? quote(type) : (type ?? null)).slice(0, 200);
      throw new Fault('invalid_value', `invalid type ${named}`, { param: `${param}.type` });
    }
  }
}

/** Numbers of sources mean nothing outside of their response, and would be taken for those of the next one. */
function withoutMarkers(text: string, annotations: Json | undefined): string {
  if (!Array.isArray(annotations)) return text;
  const markers = (annotations as readonly Json[]).flatMap((one) => {
    if (!isJsonObject(one) || one['type'] !== 'url_citation') return [];
    const { start_index: start, end_index: end } = one;
    if (typeof start !== 'number' || typeof end !== 'number') return [];
    return /^\[\d+\]$/.test(text.slice(start, end)) ? [{ start, end }] : [];
  });
  let kept = text;
  for (const { start, end } of markers.toSorted((a, b) => b.start - a.start))
    kept = kept.slice(0, start).replace(/ $/, '') + kept.slice(end);
  return kept;
}

function parseImage(url: string, param: string): InputPart {
  if (/^https:\/\//i.test(url)) {
    if (url.length <= urlCharsMax) return { kind: 'remote-image', url, param };
    throw new Fault('invalid_image', `image_url must be at most ${urlCharsMax} characters long`, { param });
  }
  return { kind: 'image', media: readDataImage(url, param) };
}

function parseFile(part: JsonObject, param: string): InputPart {
  if (part['file_id'] !== undefined && part['file_id'] !== null)
    throw new Fault('invalid_value', 'file_id is not supported, send file_data or file_url', {
      param: `${param}.file_id`,
    });
  const { file_data: data, file_url: url, filename } = part;
  const name = typeof filename === 'string' ? filename : null;
  const isData = typeof data === 'string';
  if (isData === (typeof url === 'string'))
    throw new Fault('invalid_value', 'input_file needs exactly one of file_data and file_url', { param });
  if (typeof url === 'string') {
    if (/^https:\/\//i.test(url)) return { kind: 'file', name, param, url };
    throw new Fault('invalid_value', 'file_url must be an https address', { param: `${param}.file_url` });
  }
  const text = isData ? data : '';
  const match = dataUrl.exec(text);
  const base64 = checkBase64(text.slice(match?.[0].length ?? 0), `${param}.file_data`);
  return { kind: 'file', name, param, base64, mediaType: match?.groups?.['mediaType'] ?? null };
}

/** A field that has to be a string. Throws Fault `missing_field` and `invalid_value`. */
export function textOf(part: JsonObject, name: string, param: string): string {
  const value = part[name];
  if (typeof value === 'string') return value;
  const code = value === undefined ? 'missing_field' : 'invalid_value';
  throw new Fault(code, `${name} must be a string`, { param: `${param}.${name}` });
}
