import { byForm } from './detector.ts';

/** Payment cards: 13 to 19 digits, in groups or not, whose check digit is right. */
export const cards = byForm(
  /(?<![\p{L}\p{N}.,+-])\d(?:[ -]?\d){12,60}(?![\p{L}\p{N}])/gu,
  (found) => (holdsCard(found.split(/[ -]/)) ? 0.98 : 0),
  0.97,
);

/** How cards are printed. What expires when, and the code on the back, may stand behind them. */
const printed = [
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
] as const;

function holdsCard(groups: readonly string[]): boolean {
  const isPrinted = (at: number) =>
    printed.some(
      (lengths) =>
        lengths.every((length, place) => groups[at + place]?.length === length) &&
        isCard(groups.slice(at, at + lengths.length).join('')),
    );
  return isCard(groups.join('')) || groups.some((group, at) => isCard(group) || isPrinted(at));
}

const isCard = (digits: string): boolean =>
  /^(?:[2-6]\d{12,18}|1800\d{9,15})$/.test(digits) && !/^(\d)\1+$/.test(digits) && passesLuhn(digits);

export const ibans = byForm(
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![\p{L}\p{N}])/giu,
  (found) => (beginsWithIban(found.toUpperCase().split(' ')) ? 0.99 : 0),
  0.98,
);

/** Behind it words may stand that could belong to it. Those without many digits would pass the check by chance. */
function beginsWithIban(groups: readonly string[]): boolean {
  return groups.some((_, at) => {
    const iban = groups.slice(0, at + 1).join('');
    return /^.{15,34}$/.test(iban) && /(?:\d\D*){10}/.test(iban) && hasIbanCheck(iban);
  });
}

export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = i % 2 === 1 ? 2 * digit : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** ISO 7064, mod 97: letters count 10 to 35, and the first four characters stand last. */
function hasIbanCheck(iban: string): boolean {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
