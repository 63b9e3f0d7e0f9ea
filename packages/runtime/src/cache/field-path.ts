/** Paths of fields for messages. Names with dots, such as label keys, are in brackets: `labels["app.kubernetes.io/name"]`. */

/** The path of a field below a path; the empty path is the object itself. */
export function fieldPath(path: string, name: string): string {
  if (hasSigns(name)) return `${path}${fieldText(name)}`;
  return path === "" ? name : `${path}.${name}`;
}

/** The name of a field as paths write it. */
export function fieldText(name: string): string {
  return hasSigns(name) ? `["${name}"]` : name;
}

/** Whether a name contains separators of paths. */
function hasSigns(name: string): boolean {
  return name.includes(".") || name.includes("[");
}
