/** Rejects keys of a definition that have no effect, so that a misspelt or misplaced one is not dropped silently. */
import { DefinitionError } from "./errors.ts";

const naming = ["group", "kind", "plural", "singular", "shortNames", "categories", "scope", "describe"] as const;
const shared = [...naming, "conditions", "validate", "default"] as const;
const ofVersion = [
  "spec",
  "specRequired",
  "status",
  "statusRequired",
  "rules",
  "columns",
  "scale",
  "selectable",
  "served",
  "deprecated",
] as const;
const ofSingle: readonly string[] = [...shared, "version", ...ofVersion];
const ofMany: readonly string[] = [...shared, "versions", "convert"];
const ofEach: readonly string[] = [...ofVersion, "storage"];

/** Throws a DefinitionError for the first key that the definition cannot have. */
export function checkKnownKeys(definition: object): void {
  if (!("versions" in definition)) return checkKeys(definition, "", ofSingle);
  const { versions } = definition as { readonly versions: { readonly [name: string]: object } };
  checkKeys(definition, "", ofMany);
  for (const [name, version] of Object.entries(versions)) checkKeys(version, `versions.${name}.`, ofEach);
}

function checkKeys(value: object, prefix: string, known: readonly string[]): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new DefinitionError(
    "UnknownKey",
    `${prefix}${unknown}`,
    `is not a key of a definition here${cure(unknown, known)}`,
  );
}

/** A hint for the error: where a misplaced key belongs, a similar key, or all keys. */
function cure(unknown: string, known: readonly string[]): string {
  if (known === ofMany && ofEach.includes(unknown))
    return `: with several versions, \`${unknown}\` belongs to each entry of \`versions\``;
  if (known === ofEach && ofMany.includes(unknown)) return `: \`${unknown}\` belongs beside \`versions\`, once for all`;
  const near = known.find((key) => isNear(unknown.toLowerCase(), key.toLowerCase()));
  return near === undefined ? `; the keys are ${known.join(", ")}` : `; did you mean \`${near}\`?`;
}

/** Whether two words differ by one inserted, removed or changed letter, by two swapped letters, or by a plural. */
function isNear(word: string, key: string): boolean {
  if (word === key || `${word}s` === key || word === `${key}s`) return true;
  if (Math.abs(word.length - key.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === key[start]) start++;
  const rest = word.slice(start);
  const wanted = key.slice(start);
  if (rest.slice(1) === wanted.slice(1) || rest.slice(1) === wanted || rest === wanted.slice(1)) return true;
  return rest[0] === wanted[1] && rest[1] === wanted[0] && rest.slice(2) === wanted.slice(2);
}
