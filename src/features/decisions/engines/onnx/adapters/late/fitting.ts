import type { Caller } from '../../../../../../kernel/kit/caller.ts';
import { normalize } from '../../../../../../kernel/kit/text.ts';
import type { OnnxModel } from '../../../../../models/feature.ts';

/**
 * Makes the rows of options, each with the question before it. An option is kept whole and the question shortened at the
 * end of a word where both do not fit: it reaches the model with the state as well.
 */
export function createFitting(model: OnnxModel, prefix: string, tokensMax: number) {
  const rowsOf = async (texts: readonly string[], { signal, account }: Caller) =>
    (
      await model.tokenize(
        texts.map((text) => ({ text: prefix + text, pair: null })),
        signal,
        account,
      )
    ).map(({ ids }) => ids);

  return async (question: string, options: readonly string[], caller: Caller) => {
    const rows = [
      ...(await rowsOf(
        options.map((option) => normalize(`${question} ${option}`.trim(), 'NFC')),
        caller,
      )),
    ];
    const long = rows.flatMap(({ length }, index) => (length > tokensMax ? [index] : []));
    if (long.length === 0) return rows;
    const words = normalize(question, 'NFC')
      .split(/\s/)
      .filter((word) => word !== '');
    const textOf = (count: number, index: number) =>
      count === 0 ? (options[index] ?? '') : `${words.slice(0, count).join(' ')} … ${options[index] ?? ''}`;
    // The most words that fit, by halves and for all of them at once.
    let ranges = long.map((index) => ({ index, least: 0, most: words.length }));
    while (ranges.some(({ least, most }) => least < most)) {
      const tried = ranges.map(({ least, most }) => Math.ceil((least + most) / 2));
      const found = await rowsOf(
        ranges.map(({ index }, at) => textOf(tried[at] ?? 0, index)),
        caller,
      );
      ranges = ranges.map((range, at) => {
        const count = tried[at] ?? 0;
        if (range.least === range.most) return range;
        return (found[at]?.length ?? 0) <= tokensMax
          ? { ...range, least: count }
          : { ...range, most: count - 1 };
      });
    }
    const fitted = await rowsOf(
      ranges.map(({ index, least }) => textOf(least, index)),
      caller,
    );
    for (const [at, { index }] of ranges.entries()) rows[index] = fitted[at] ?? [];
    return rows;
  };
}
