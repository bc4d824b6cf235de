export type Rules = ReadonlyMap<string, string>;

export function printGrammar(root: string, rules: Rules): string {
  return [`root ::= ${root}`, ...[...rules].map(([name, body]) => `${name} ::= ${body}`)].join('\n');
}

export function literal(text: string): string {
  const escaped = [...text].map((character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === '\\') return `\\${character}`;
    if (code === 10) return '\\n';
    return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `"${escaped.join('')}"`;
}

/** An alternative without a character would let the next line be read as its end. */
export const nothing = '""';

/** JSON of any shape, as rules that others build on. */
export const baseRules: Rules = new Map([
  // Blanks where models put them; without a bound some never write anything else.
  ['ws', String.raw`"" | " " | "\n" [ \t]{0,20}`],
  [
    'char',
    String.raw`[\x20-\x21\x23-\x5B\x5D-\x7E\u0080-\uD7FF\uE000-\U0010FFFF] | "\\" (["\\/bfnrt] | "u" unit)`,
  ],
  // No half of a surrogate pair, which no UTF-8 can carry.
  ['unit', '[0-9a-cA-CefEF] hex hex hex | [dD] [0-7] hex hex'],
  ['hex', '[0-9a-fA-F]'],
  ['string', String.raw`"\"" char* "\""`],
  ['integer', '"-"? ("0" | [1-9] [0-9]{0,14})'],
  ['natural', '"0" | [1-9] [0-9]{0,14}'],
  ['number', 'integer ("." [0-9]{1,15})? ([eE] [-+]? [0-9]{1,2})?'],
  ['boolean', '"true" | "false"'],
  ['null', '"null"'],
  ['member', 'string ":" ws value'],
  ['object', '"{" ws (member (ws "," ws member)* ws)? "}"'],
  ['array', '"[" ws (value (ws "," ws value)* ws)? "]"'],
  ['value', 'object | array | string | number | boolean | null'],
  // Days that every month has.
  ['date', '[0-9]{4} "-" ("0" [1-9] | "1" [0-2]) "-" ("0" [1-9] | "1" [0-9] | "2" [0-8])'],
  ['time', '([01] [0-9] | "2" [0-3]) ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{3})? "Z"'],
  ['uuid', 'hex{8} "-" hex{4} "-" [1-5] hex{3} "-" [89ab] hex{3} "-" hex{12}'],
]);
