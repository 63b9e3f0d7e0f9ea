/** Rejects names that are invalid for the Services, pods and certificates of a cluster. */
import type { Action } from "./contract.ts";

/** `<name>-client` is a Service, whose name has at most 63 characters. */
const maxNameLength = 56;

/** A CRD schema cannot restrict metadata.name, so the check is here. */
export function refuseName(name: string): Action | undefined {
  if (name.length <= maxNameLength && /^[a-z]([-a-z0-9]*[a-z0-9])?$/u.test(name)) return undefined;
  const why = `${name} cannot be the name of Services: make a cluster whose name has at most ${maxNameLength} characters, begins with a letter, and has small letters, digits and dashes only`;
  return { do: "refuse", reason: "NameInvalid", why };
}
