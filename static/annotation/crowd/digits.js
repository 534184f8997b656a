// Which digit a key means.
export const BESIDE_0 = "Minus"; // where it lies, whatever is printed on it

// Keyboards of other scripts have digits of their own, and French ones have them above
// other signs: there the place of the key says which one is meant.
export function digitOf({ key, code, shiftKey }) {
  if (/^\d$/.test(key)) return key;
  if (code === BESIDE_0) return code;
  return shiftKey ? null : (/^Digit(\d)$/.exec(code)?.[1] ?? null);
}
