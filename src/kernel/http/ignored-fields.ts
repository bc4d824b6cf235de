const entriesMax = 20;
const entryLengthMax = 100;

/** The header that names ignored fields. Names are cleaned, because a caller may send anything. */
export function toIgnoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> {
  if (ignored.length === 0) return {};
  const names = ignored
    .slice(0, entriesMax)
    .map((name) => name.slice(0, entryLengthMax).replaceAll(/[^A-Za-z0-9_.-]/g, '_'));
  return { 'x-nestor-ignored': names.join(',') };
}
