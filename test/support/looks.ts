import { roundsOf, variationsOf } from './rounds.ts';

/** How a page of the console is looked at: a wide window, a tablet's or a phone's, by day or by night. */
const all = [
  { width: 1280, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 768, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 768, scheme: 'dark' },
] as const;

/** Each width and each scheme once in the usual run, and every pair of them in the long one. */
export const looks = all.slice(0, roundsOf(2, all.length));

/** For longer flows of one page, which `shell.test.ts` opens in all of `looks`: one in the usual run. */
export const flowWidths = variationsOf([1280, 390, 768] as const, 3);

/**
 * For longer flows that are to be seen by day and by night: one in the usual run, and each width in the long one. Where a
 * page breaks a line does not depend on its colours, and `shell.test.ts` has the colours looked at in every pair.
 */
export const flowLooks = all.slice(0, roundsOf(1, 3));
