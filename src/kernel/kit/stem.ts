const vowel = /[aeiouy]/;

/**
 * Removes common English endings, so that "refunded", "refunds" and "refunding" match. Lighter than Porter, since
 * word vectors join the rest. Lower-case ASCII words only; others are returned unchanged.
 */
export function stem(word: string): string {
  if (word.length < 4 || word.length > 40 || !/^[a-z]+$/.test(word)) return word;
  return trim(cut(singular(word)));
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|us|is)$/.test(word)) return word;
  if (/(?:ches|shes|sses|xes|zes)$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

function cut(word: string): string {
  for (const ending of ['ational', 'ation', 'ment', 'ingly', 'edly', 'ing', 'ion', 'ed', 'ly', 'er']) {
    if (!word.endsWith(ending)) continue;
    const rest = word.slice(0, -ending.length);
    if (rest.length >= (ending === 'er' ? 4 : 3) && vowel.test(rest)) return rest;
  }
  return word;
}

function trim(word: string): string {
  if (word.length > 3 && /([bdfglmnprt])\1$/.test(word)) return word.slice(0, -1);
  if (word.length > 3 && word.endsWith('e')) return word.slice(0, -1);
  return word.length > 3 && word.endsWith('y') ? `${word.slice(0, -1)}i` : word;
}
