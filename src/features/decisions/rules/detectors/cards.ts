import { byForm } from './detector.ts';

/** Payment cards: 13 to 19 digits, in groups or not, whose check digit is right. */
export const cards = byForm(
  /(?<![\p{L}\p{N}.,+-])\d(?:[ -]?\d){12,18}(?![\p{L}\p{N}]|[ -]\d)/gu,
  (found) => {
    const digits = found.replaceAll(/\D/g, '');
    return /^[2-6]|^1800/.test(digits) && !/^(\d)\1+$/.test(digits) && passesLuhn(digits) ? 0.98 : 0;
  },
  0.97,
);

export const ibans = byForm(
  /(?<![\p{L}\p{N}])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?![\p{L}\p{N}])/gu,
  (found) => (hasIbanCheck(found.replaceAll(' ', '')) ? 0.99 : 0),
  0.98,
);

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
