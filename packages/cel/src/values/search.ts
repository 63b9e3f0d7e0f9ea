/** Finds one text in another in time that is linear in both, whatever they hold. */

/** Up to this length JavaScript's own search looks at each character a bounded number of times. */
const SHORT = 32;

/** Where a part begins in a text at or after an index, or -1. */
export type Search = (text: string, from: number) => number;

/** Prepares the search for a part that is not empty. */
export function searchFor(part: string): Search {
  if (part.length <= SHORT) return (text, from) => text.indexOf(part, from);
  const borders = bordersOf(part);
  return (text, from) => {
    let matched = 0;
    for (let index = from; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
      if (part.charCodeAt(matched) === unit) matched++;
      if (matched === part.length) return index - part.length + 1;
    }
    return -1;
  };
}

/** For each beginning of the part, how long its longest proper beginning is that is also its end (Knuth, Morris and Pratt). */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length);
  let length = 0;
  for (let index = 1; index < part.length; index++) {
    const unit = part.charCodeAt(index);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
    if (part.charCodeAt(length) === unit) length++;
    borders[index] = length;
  }
  return borders;
}

/** The pieces of a text between the places where a part that is not empty occurs. */
export function splitAt(text: string, part: string): string[] {
  const search = searchFor(part);
  const pieces: string[] = [];
  let from = 0;
  for (let at = search(text, 0); at >= 0; at = search(text, from)) {
    pieces.push(text.slice(from, at));
    from = at + part.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

/** Where a part that is not empty last begins in a text at or before an index, or -1. */
export function searchBackwards(text: string, part: string, from: number): number {
  if (part.length <= SHORT) return text.lastIndexOf(part, from);
  const head = reversed(text.slice(0, from + part.length));
  const at = searchFor(reversed(part))(head, 0);
  return at < 0 ? -1 : head.length - at - part.length;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}
