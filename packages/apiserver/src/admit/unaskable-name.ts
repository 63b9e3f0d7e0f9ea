/** Names that no path can be made of: what is not in a cache is asked for, and then such a name is found out by the client. */
import { checkPathSegment, quote } from "@capstan/model";

/** Why an object of this name cannot even be asked for; `undefined` when it can. */
export function unaskable(name: string): string | undefined {
  if (name === "") return "resource name may not be empty";
  const problems = checkPathSegment(name);
  return problems.length === 0 ? undefined : `invalid resource name ${quote(name)}: [${problems.join(" ")}]`;
}
