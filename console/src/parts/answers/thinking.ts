const opening = '<think>';
const closing = '</think>';

export interface SplitText {
  /** The reasoning of the model; empty without any. */
  readonly thinking: string;
  readonly answer: string;
}

/** Separates the reasoning from the answer behind it, also while it is streamed. */
export function splitThinking(text: string): SplitText {
  if (!text.startsWith(opening)) {
    // The first packet may end within the mark.
    return opening.startsWith(text) ? { thinking: '', answer: '' } : { thinking: '', answer: text };
  }
  const end = text.indexOf(closing);
  if (end < 0) return { thinking: text.slice(opening.length).trim(), answer: '' };
  return {
    thinking: text.slice(opening.length, end).trim(),
    answer: text.slice(end + closing.length).trimStart(),
  };
}
