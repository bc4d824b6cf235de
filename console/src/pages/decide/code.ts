import { WrittenNumber } from '../../parts/written-number.ts';

/** A body of `POST /v1/decisions`. */
export interface DecisionRequest {
  readonly model: string;
  readonly state: unknown;
  readonly questions: unknown;
}

/**
 * The same request in three languages, ready to be pasted. All take the key from NESTOR_ROOT_KEY. Nothing of the
 * request is read by a shell: curl gets it through a quoted here-document, whose lines can never be its end, because
 * those of the JSON begin with a space or a brace.
 */
export function toCode(
  origin: string,
  request: DecisionRequest,
): readonly { language: string; code: string }[] {
  const url = `${origin}/v1/decisions`;
  return [
    { language: 'curl', code: toCurl(url, request) },
    { language: 'TypeScript', code: toTypeScript(url, request) },
    { language: 'Python', code: toPython(url, request) },
  ];
}

function toCurl(url: string, request: DecisionRequest): string {
  return `curl -s '${url}' -H "Authorization: Bearer $NESTOR_ROOT_KEY" -H 'Content-Type: application/json' --data-binary @- <<'JSON'
${print(request, json)}
JSON
`;
}

function toTypeScript(url: string, request: DecisionRequest): string {
  return `const response = await fetch(${json.text(url)}, {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env.NESTOR_ROOT_KEY}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${print(request, script, '  ')}),
});
if (!response.ok) throw new Error(\`\${response.status} \${await response.text()}\`);
console.log(await response.json());
`;
}

function toPython(url: string, request: DecisionRequest): string {
  return `import os

import httpx

response = httpx.post(
    ${json.text(url)},
    headers={"Authorization": f"Bearer {os.environ['NESTOR_ROOT_KEY']}"},
    json=${print(request, python, '    ')},
    timeout=60,
)
response.raise_for_status()
print(response.json())
`;
}

/** How a language writes what JSON can hold. */
interface Language {
  readonly indent: string;
  readonly text: (text: string) => string;
  readonly name: (name: string) => string;
  readonly word: (word: boolean | null) => string;
  /** A number with more digits than one of JavaScript keeps. */
  readonly digits: (digits: string) => string;
}

// The escapes of JSON mean the same in TypeScript and Python. What else could end a line, or hide what is shown, is
// escaped as well.
const text = (given: string): string =>
  JSON.stringify(given).replaceAll(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const json: Language = { indent: '  ', text, name: text, word: String, digits: String };

/** `"__proto__": …` in an object literal sets its prototype and adds nothing. */
const script: Language = {
  ...json,
  name: (name) => (name === '__proto__' ? '["__proto__"]' : text(name)),
  digits: (digits) => `JSON.rawJSON(${text(digits)})`,
};

const python: Language = {
  ...json,
  indent: '    ',
  word: (word) => (word === null ? 'None' : word ? 'True' : 'False'),
};

function print(value: unknown, language: Language, prefix = ''): string {
  if (typeof value === 'string') return language.text(value);
  if (typeof value === 'boolean' || value === null) return language.word(value);
  if (value instanceof WrittenNumber) return language.digits(value.text);
  if (typeof value !== 'object') return JSON.stringify(value);
  const inner = prefix + language.indent;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((item) => print(item, language, inner))
    : Object.entries(value).map(([name, item]) => `${language.name(name)}: ${print(item, language, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  if (parts.length === 0) return `${open}${close}`;
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${prefix}${close}`;
}
