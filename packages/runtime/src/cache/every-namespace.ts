/** Interprets a list of namespaces: an absent list, or an empty name as in Go, means every namespace. */

/** The namespaces to watch; empty: all of them. */
export function meantNamespaces(named: readonly string[] | undefined): readonly string[] {
  return named === undefined || named.includes("") ? [] : named;
}
