/** A number that JavaScript cannot keep, for its digits or its size, as somebody wrote it. */
export class WrittenNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Browsers that cannot write digits as they are send the nearest number. */
  toJSON(): unknown {
    return rawJson === undefined ? Number(this.text) : rawJson(this.text);
  }
}

const { rawJSON: rawJson } = JSON as { readonly rawJSON?: (text: string) => unknown };

/** The number of a JSON text. */
export function readNumber(text: string): number | WrittenNumber {
  const value = Number(text);
  // The server keeps digits from the sixteenth on, and says what it thinks of a number that is too large.
  const isKept = Number.isFinite(value) && (!/\d{16}/.test(text) || String(value) === text);
  return isKept ? value : new WrittenNumber(text);
}

/** `JSON.parse`, but a number that JavaScript cannot keep stays as it is written, where the browser tells how that was. */
export function parseWithDigits(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as unknown;
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? readNumber(context.source) : value,
  ) as unknown;
}
