/** Names within qualified names, such as those of finalizers and annotations (`example.com/name`). */
import { sha256 } from "./digest.ts";

/** How long the part behind the slash may be. */
const LONGEST = 63;

/** What the server takes there. */
const TAKEN = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/u;

/** A name that is too long is cut, what the server would refuse in it is replaced, and either is told apart by what it was. */
export function qualified(name: string): string {
  if (name.length <= LONGEST && TAKEN.test(name)) return name;
  const readable = name.replaceAll(/[^-A-Za-z0-9_.]/gu, "-").replace(/^[^A-Za-z0-9]+/u, "");
  const digest = sha256(name, "hex").slice(0, 8);
  return readable === "" ? digest : `${readable.slice(0, LONGEST - 9)}-${digest}`;
}
