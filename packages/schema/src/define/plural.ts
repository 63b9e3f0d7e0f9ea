/** The plural of a kind's name, by the rules of Kubernetes' own tools. */
export function toPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular === "endpoints") return singular;
  if (/[^aeiou]y$/.test(singular)) return `${singular.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/.test(singular) ? `${singular}es` : `${singular}s`;
}
