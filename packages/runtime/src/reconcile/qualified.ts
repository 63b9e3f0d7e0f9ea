/** The name part of qualified names, such as finalizers and annotations (`example.com/name`). */
import { sha256 } from "../apply/digest.ts";

/** The maximum length of the part behind the slash. */
const LONGEST = 63;

/** The valid names. */
const TAKEN = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/u;

/** A name that is too long is cut, and invalid characters are replaced; a digest of the original keeps the result unique. */
export function qualified(name: string): string {
  if (name.length <= LONGEST && TAKEN.test(name)) return name;
  const readable = name.replaceAll(/[^-A-Za-z0-9_.]/gu, "-").replace(/^[^A-Za-z0-9]+/u, "");
  const digest = sha256(name, "hex").slice(0, 8);
  return readable === "" ? digest : `${readable.slice(0, LONGEST - 9)}-${digest}`;
}
