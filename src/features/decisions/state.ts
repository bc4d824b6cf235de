import type { Entry } from './normalized-question.ts';

/** An image of the state: checked by signature, never fetched. */
export interface Image {
  readonly format: 'png' | 'jpeg' | 'webp';
  readonly bytes: Buffer;
  /** Pixels as sent. */
  readonly width: number;
  readonly height: number;
  /** Vision tokens after scaling down to at most 2,048 tiles of 32x32 pixels. */
  readonly tokens: number;
}

/** The content that every question of a request refers to. It is data to judge, never an instruction. */
export interface State {
  readonly entry: Entry;
  /** The entry rendered as text, image parts left out. See `prompt.ts`. */
  readonly text: string;
  readonly images: readonly Image[];
}
