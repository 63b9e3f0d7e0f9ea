/** The name of a kind in a sentence: `an EtcdRestore`, `a StoreRestore`. */
export function withArticle(kind: string): string {
  return `${/^[AEIOU]/u.test(kind) ? "an" : "a"} ${kind}`;
}
