/** Paths to fields as the API server writes them: `spec.containers[0].env[NAME].value`. */

/** A path below another one; the root is the empty string, so paths are plain strings and cheap to pass around. */
export type FieldPath = string;

/** The field of a path. */
export function childPath(path: FieldPath, ...names: readonly string[]): FieldPath {
  const below = names.join(".");
  return path === "" ? below : `${path}.${below}`;
}

/** The item of a list, or the value of a map at a key. */
export function itemPath(path: FieldPath, index: number | string): FieldPath {
  return `${path}[${index}]`;
}
