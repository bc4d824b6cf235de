import { runInSlices } from '../../kernel/kit/slices.ts';
import { collectImagesInSteps } from './images.ts';
import { renderStateInSteps } from './prompt.ts';
import type { State, Entry } from './engine.ts';

/** Reads a state in slices. `root` names it in errors. Throws Fault `invalid_image`, and as the signal says. */
export async function readState(entry: Entry, root: string, signal: AbortSignal): Promise<State> {
  const text = await runInSlices(renderStateInSteps(entry), signal);
  return { entry, text, images: await runInSlices(collectImagesInSteps(entry, root), signal) };
}
