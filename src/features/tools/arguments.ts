import { isJsonObject } from '../../kernel/kit/json.ts';

/** Arguments that a model wrote, read one by one; the first problem is kept, in words for the model. */
export class Arguments {
  readonly #values: Readonly<Record<string, unknown>>;
  #problem: string | null;

  constructor(args: unknown) {
    const isObject = isJsonObject(args);
    this.#values = isObject ? args : {};
    this.#problem = isObject ? null : 'The arguments have to be a JSON object.';
  }

  /** Null when all arguments that were read are good. */
  get problem(): string | null {
    return this.#problem;
  }

  /** A list of 1 to `countMax` texts; one text alone is taken for a list of it. */
  texts(name: string, countMax: number, lengthMax: number): readonly string[] {
    const value = this.#values[name];
    const list: readonly unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
    const texts = list.filter((text): text is string => typeof text === 'string' && text.trim() !== '');
    if (texts.length === 0 || texts.length !== list.length)
      this.#fail(`"${name}" has to be a list of 1 to ${countMax} texts.`);
    return texts.slice(0, countMax).map((text) => text.trim().slice(0, lengthMax).toWellFormed());
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value === 'string' && value.trim() !== '') return value;
    this.#fail(`"${name}" has to be a text.`);
    return '';
  }

  /** One of the values; the first of them where the argument is absent. */
  oneOf<Value extends string>(name: string, values: readonly [Value, ...Value[]]): Value {
    const value = this.#values[name];
    if (value === undefined || value === null) return values[0];
    const found = values.find((one) => one === value);
    if (found === undefined) this.#fail(`"${name}" has to be one of ${values.join(', ')}.`);
    return found ?? values[0];
  }

  #fail(problem: string): void {
    this.#problem ??= problem;
  }
}
