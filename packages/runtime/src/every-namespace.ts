/** What is meant by a list of namespaces: nothing said, or a name that is empty as Go writes it, is every namespace. */

/** The namespaces that are meant; none: all of them. */
export function meantNamespaces(named: readonly string[] | undefined): readonly string[] {
  return named === undefined || named.includes("") ? [] : named;
}
