import { objectsOf, textOf } from '../../../kernel/kit/json-fields.ts';
import { isJsonObject, type JsonObject } from '../../../kernel/kit/json.ts';
import { beginningOf } from '../../../kernel/kit/text.ts';

const outputCharsMax = 200_000;

interface CallResult {
  readonly text: string;
  readonly isError: boolean;
}

/** What a tool gave back, as text: of pictures and sounds only their kind is told. */
export function readResult({ content, structuredContent, isError }: JsonObject): CallResult {
  const parts = objectsOf(content);
  const texts = parts.map(toText).filter((text) => text !== '');
  if (texts.length === 0 && structuredContent !== undefined) texts.push(JSON.stringify(structuredContent));
  const text = texts.join('\n');
  const isCut = text.length > outputCharsMax;
  return {
    text: isCut ? `${beginningOf(text, outputCharsMax)}\n(The rest was cut.)` : text,
    isError: isError === true,
  };
}

function toText({ type, text, resource, uri, mimeType }: JsonObject): string {
  if (type === 'text') return textOf(text);
  const named = isJsonObject(resource) ? resource : { uri: uri ?? null, mimeType: mimeType ?? null };
  if (typeof named['text'] === 'string') return named['text'];
  const about = [type, named['mimeType'], named['uri']].filter((one) => typeof one === 'string');
  return about.length === 0 ? '' : `[${about.join(' ')}]`;
}
