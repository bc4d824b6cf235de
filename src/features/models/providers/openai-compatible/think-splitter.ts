/** A piece of a text, apart from the reasoning before it. */
interface Split {
  readonly reasoning: string;
  readonly text: string;
}

const open = '<think>';
const close = '</think>';
/** White space before the tag; what is held back is read again with each piece. */
const heldMax = 256;

/**
 * Only a text that begins with the tag is split: a model that writes about the tag is left alone.
 *
 * - **start**: white space and what may become `<think>` is held back.
 * - **thinking**: what may become `</think>` is held back.
 * - **after**: white space after the tag is dropped.
 * - **text**: everything passes.
 */
export class ThinkSplitter {
  #phase: 'start' | 'thinking' | 'after' | 'text';
  #held = '';
  /** White space after the opening tag is no reasoning. */
  #begun = false;

  constructor(enabled: boolean) {
    this.#phase = enabled ? 'start' : 'text';
  }

  push(piece: string): Split {
    if (this.#phase === 'text') return { reasoning: '', text: piece };
    const text = this.#held + piece;
    this.#held = '';
    if (this.#phase === 'start') return this.#start(text);
    return this.#phase === 'thinking' ? this.#think(text) : this.#after(text, '');
  }

  end(): Split {
    const held = this.#held;
    this.#held = '';
    return this.#phase === 'thinking' ? { reasoning: held, text: '' } : { reasoning: '', text: held };
  }

  #start(text: string): Split {
    const begun = text.trimStart();
    if (begun.startsWith(open)) {
      this.#phase = 'thinking';
      return this.#think(begun.slice(open.length));
    }
    if (open.startsWith(begun) && text.length < heldMax) {
      this.#held = text;
      return { reasoning: '', text: '' };
    }
    this.#phase = 'text';
    return { reasoning: '', text };
  }

  #think(given: string): Split {
    const text = this.#begun ? given : given.trimStart();
    this.#begun ||= text !== '';
    const at = text.indexOf(close);
    if (at >= 0) {
      this.#phase = 'after';
      return this.#after(text.slice(at + close.length), text.slice(0, at));
    }
    let keep = Math.max(0, text.length - close.length + 1);
    while (!close.startsWith(text.slice(keep))) keep++;
    this.#held = text.slice(keep);
    return { reasoning: text.slice(0, keep), text: '' };
  }

  #after(text: string, reasoning: string): Split {
    const rest = text.trimStart();
    if (rest !== '') this.#phase = 'text';
    return { reasoning, text: rest };
  }
}
