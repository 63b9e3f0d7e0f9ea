/** Names of operations and tags in OpenAPI documents. */

/** Removes punctuation and capitalizes each following word: `stable.example-site.com` becomes `stableExampleSiteCom`. */
export function toOperationWord(text: string, isCapital: boolean): string {
  const [first = "", ...words] = text.split(/[^\p{L}\p{Nd}_]+/u);
  const head = first.replace(/^\p{Nd}/u, "");
  return [isCapital || head.length < first.length ? capitalized(head) : head, ...words.map(capitalized)].join("");
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
