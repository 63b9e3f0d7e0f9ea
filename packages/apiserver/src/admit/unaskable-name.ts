/** Names that are not valid in a URL path: kube-apiserver requests objects that are not in its cache, and the client rejects such names. */
import { checkPathSegment, quote } from "@capstan/model";

/** Why the client rejects this name; `undefined` if it is valid. */
export function unaskable(name: string): string | undefined {
  if (name === "") return "resource name may not be empty";
  const problems = checkPathSegment(name);
  return problems.length === 0 ? undefined : `invalid resource name ${quote(name)}: [${problems.join(" ")}]`;
}
