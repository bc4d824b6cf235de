import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { Encoder } from '../../../models/feature.ts';
import { dot } from './contrast.ts';
import { readWindowsMax, type Vectors } from './vectors.ts';

/** Log probabilities that a state answers a question with yes, with no, or not at all. */
export interface Told {
  readonly yes: number;
  readonly no: number;
  readonly untold: number;
}

/** What is asked about a state. */
export interface Reading {
  readonly texts: readonly string[];
  /** By which windows are chosen where there are many. */
  readonly near: readonly Float32Array[];
  readonly windows: readonly Float32Array[];
}

/**
 * Asks the reader of the encoder: layers in which tokens of a question look at those of the state. What is made of a state
 * serves all questions about it.
 */
export async function readAll(
  { encoder, vectors }: { readonly encoder: Encoder; readonly vectors: Vectors },
  readings: readonly Reading[],
  { signal, account }: Caller,
): Promise<readonly (readonly Told[])[]> {
  const wanted = readings.map((one) => ({
    ...one,
    about: nearest(one).map((window) => vectors.textOf(window)),
  }));
  const texts = [...new Set(wanted.flatMap((one) => [...one.texts, ...one.about]))];
  if (texts.length === 0) return readings.map(() => []);
  const asked = texts.map((text) => ({ text, pair: null }));
  const tokenized = await encoder.tokenize(asked, signal, account);
  const rows = new Map(texts.map((text, at) => [text, tokenized[at]?.ids.slice(0, encoder.tokensMax) ?? []]));
  const idsOf = (text: string) => rows.get(text) ?? [];
  const found = await encoder.run(
    wanted.flatMap((one) => {
      const about = one.about.map(idsOf);
      return one.texts.map((text) => ({ ids: idsOf(text), types: [], about }));
    }),
    signal,
    account,
  );
  const next = found.values();
  return wanted.map((one) => one.texts.map(() => toTold(next.next().value)));
}

/** Windows that are read for a question, those nearest to it, in their order. */
function nearest({ windows, near }: Reading): readonly Float32Array[] {
  if (windows.length <= readWindowsMax) return windows;
  const likeness = windows.map((window) => Math.max(...near.map((vector) => dot(window, vector))));
  const places = [...windows.keys()].toSorted((a, b) => (likeness[b] ?? 0) - (likeness[a] ?? 0) || a - b);
  const chosen = new Set(places.slice(0, readWindowsMax));
  return windows.filter((_, place) => chosen.has(place));
}

function toTold(logits: Float32Array = new Float32Array(3)): Told {
  const [yes = 0, no = 0, untold = 0] = logits;
  const highest = Math.max(yes, no, untold);
  const total = highest + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - highest), 0));
  return { yes: yes - total, no: no - total, untold: untold - total };
}
