/** Names that no cluster can have: its Services, pods and certificates bear them. */
import type { Action } from "../contract.ts";

/** `<name>-client` is a Service, whose name has at most 63 characters. */
const maxNameLength = 56;

/** The schema of a kind knows nothing of its objects' names: it is said here. */
export function refuseName(name: string): Action | undefined {
  if (name.length <= maxNameLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/u.test(name)) return undefined;
  const why = `${name} cannot be the name of Services: make a cluster whose name has at most ${maxNameLength} characters, begins with a letter, and has small letters, digits and dashes only`;
  return { do: "refuse", reason: "NameInvalid", why };
}
