import { isJsonObject, type Json } from '../../../kernel/kit/json.ts';
import { isExactNumber } from '../../../kernel/kit/json-exact.ts';
import type { State } from '../engine.ts';
import { parseTable } from './structure/table.ts';
import type { Detector, Match } from './detectors/detector.ts';

/** A state as the rules read it. What is found in it is found once, however many questions ask for it. */
export interface Reading {
  /** As it was sent. */
  readonly entry: Json;
  /** Text as it was sent; of a structure its values, each in a line behind its key. */
  readonly text: string;
  /** The structure, sent as such or as its JSON; null where the state is a text or a conversation. */
  readonly structure: Json | null;
  readonly find: (detector: Detector) => readonly Match[];
}

/** Text that is looked at for a structure. Unit: characters. */
const jsonCharsMax = 1_000_000;

export function createReading({ entry }: Pick<State, 'entry'>): Reading {
  const known = new Map<Detector, readonly Match[]>();
  const text = lazily(() => (typeof entry === 'string' ? entry : linesOf(entry).join('\n')));
  const structure = lazily(() =>
    typeof entry === 'string' ? parsed(entry) : isConversation(entry) ? null : entry,
  );
  return {
    entry,
    get text() {
      return text();
    },
    get structure() {
      return structure();
    },
    find(detector) {
      const found = known.get(detector) ?? detector.find(text());
      known.set(detector, found);
      return found;
    },
  };
}

/** Makes a value with its first use, once. */
export function lazily<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
}

function parsed(text: string): Json | null {
  if (!/^\s*[[{]/.test(text)) return parseTable(text);
  if (text.length > jsonCharsMax) return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Whether a state holds a letter or a digit in something that it says. Names of fields and roles say nothing. */
export function saysSomething({ entry, images }: State): boolean {
  return images.length > 0 || hasContent(entry);
}

function hasContent(value: Json): boolean {
  if (typeof value === 'string') return /[\p{L}\p{N}]/u.test(value);
  if (Array.isArray(value)) return value.some(hasContent);
  if (!isJsonObject(value)) return value !== null;
  return Object.entries(value).some(([key, item]) => !isFrame(value, key) && hasContent(item));
}

/** `role` of a message and `type` of a part. */
function isFrame(value: Json, key: string): boolean {
  if (!isJsonObject(value)) return false;
  return (
    (key === 'role' && 'content' in value) || (key === 'type' && ('text' in value || 'image_url' in value))
  );
}

function isConversation(entry: Json): boolean {
  return (
    Array.isArray(entry) &&
    entry.length > 0 &&
    entry.every((item) => isJsonObject(item) && (isFrame(item, 'role') || isFrame(item, 'type')))
  );
}

function linesOf(value: Json, key = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => linesOf(item, key));
  if (isJsonObject(value) && !isExactNumber(value)) {
    return Object.entries(value).flatMap(([name, item]) =>
      isFrame(value, name) ? [] : linesOf(item, name === 'content' || name === 'text' ? '' : name),
    );
  }
  if (value === null) return [];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return [key === '' ? text : `${key}: ${text}`];
}
