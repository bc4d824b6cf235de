import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { ownValue } from '../kit/json.ts';
import { findNearest } from '../config/names.ts';
import { UnknownOption, UsageError } from './exit-codes.ts';

export interface CommandLine<Options extends ParseArgsOptionsConfig> {
  readonly values: ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>>['values'];
  /** Positional arguments, a verb included. */
  readonly words: readonly string[];
}

/** Options that take a text each. */
export function texts<const Name extends string>(...names: readonly Name[]) {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
  return options as Readonly<Record<Name, { readonly type: 'string' }>>;
}

/** Parses a command line. Throws UsageError with a message of its own, not Node's. */
export function parseCommandLine<Options extends ParseArgsOptionsConfig>(
  argv: readonly string[],
  options: Options,
): CommandLine<Options> {
  refuseWrongOptions(argv, options);
  const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options });
  return { values, words: positionals };
}

/** Refuses what parseArgs would, before it does. */
function refuseWrongOptions(argv: readonly string[], options: ParseArgsOptionsConfig): void {
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const option = ownValue(options, name);
    if (option === undefined) throw toUnknown(argv[token.index] ?? rawName, rawName, options);
    if (option.type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value.`);
    } else if (value === undefined) {
      throw new UsageError(`${rawName} lacks its value.`);
    } else if (!inlineValue && /^-./.test(value)) {
      throw new UsageError(
        `${rawName} lacks its value; one that begins with - is given as ${rawName}=${value}.`,
      );
    }
  }
}

/** Values are not repeated: a misspelt option may be followed by a key. */
function toUnknown(argument: string, rawName: string, options: ParseArgsOptionsConfig): UsageError {
  const given = /^-[a-z-]+$/i.test(argument) ? argument : rawName;
  const word = given.replace(/^-+/, '');
  const nearest = findNearest(word, Object.keys(options));
  const hint = nearest === undefined ? '' : ` Did you mean --${nearest}?`;
  return new UnknownOption(
    `Unknown option '${given}'.`,
    hint,
    Object.hasOwn(options, 'config') ? word : null,
  );
}

/** Takes exactly these words. Throws UsageError for a missing or extra one. */
export function takeWords<const Names extends readonly string[]>(
  words: readonly string[],
  names: Names,
): { readonly [Index in keyof Names]: string } {
  const missing = names[words.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing.`);
  if (words.length > names.length) throw new UsageError(`Unexpected argument "${words[names.length]}".`);
  return words as unknown as { readonly [Index in keyof Names]: string };
}

/** The value of an option as a whole number; null where it is not given. Throws UsageError. */
export function toWhole(name: string, text: string | undefined, min = 1): number | null {
  if (text === undefined) return null;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min) return value;
  throw new UsageError(`${name} must be a whole number from ${min}.`);
}

/** Habits from other programs. */
const synonyms: readonly (readonly string[])[] = [
  ['ls', 'list'],
  ['rm', 'remove', 'delete', 'revoke'],
  ['add', 'create'],
  ['get', 'show'],
];

/** Splits off the verb: `usual` where none is given; synonyms are accepted. Throws UsageError. */
export function takeVerb<const Verb extends string>(
  words: readonly string[],
  verbs: readonly Verb[],
  usual: NoInfer<Verb> | null,
): readonly [verb: Verb, rest: readonly string[]] {
  const [given = usual, ...rest] = words;
  if (given === null) throw new UsageError(`A verb is missing: ${verbs.join(', ')}.`);
  const alike = synonyms.find((group) => group.includes(given)) ?? [given];
  const verb = verbs.find((one) => one === given) ?? verbs.find((one) => alike.includes(one));
  if (verb !== undefined) return [verb, rest];
  const nearest = findNearest(given, verbs);
  const hint = nearest === undefined ? `There are ${verbs.join(', ')}.` : `Did you mean ${nearest}?`;
  throw new UsageError(`Unknown verb "${given}". ${hint}`);
}
