import { setImmediate } from 'node:timers/promises';
import { collectImages } from './images.ts';
import { renderState } from './prompt.ts';
import type { State } from './state.ts';
import type { Entry } from './view.ts';

/** From this length on to write a text down takes milliseconds. Unit: UTF-16 units. */
const longText = 1_048_576;

/** Reads a state; a long one with a turn of the event loop in between. `root` names it in errors. Throws Fault `invalid_image`. */
export async function readState(entry: Entry, root: string): Promise<State> {
  const text = renderState(entry);
  if (text.length >= longText) await setImmediate();
  return { entry, text, images: collectImages(entry, root) };
}
