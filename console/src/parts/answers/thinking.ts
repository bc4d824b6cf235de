const opening = '<think>';
const closing = '</think>';

export interface SplitText {
  /** What a model wrote to itself; empty where there is none. */
  readonly thinking: string;
  readonly answer: string;
}

/** Takes the reasoning off the front of an answer, also while it is being written. */
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
