/** Paths of fields as people read them; names with dots of their own, as those of labels, stand in brackets: `labels["app.kubernetes.io/name"]`. */

/** The path of a field in what a path leads to; the empty path leads to the object itself. */
export function fieldPath(path: string, name: string): string {
  if (hasSigns(name)) return `${path}${fieldText(name)}`;
  return path === "" ? name : `${path}.${name}`;
}

/** How the name of a field is written in paths. */
export function fieldText(name: string): string {
  return hasSigns(name) ? `["${name}"]` : name;
}

/** Whether a name has what paths are otherwise put together with. */
function hasSigns(name: string): boolean {
  return name.includes(".") || name.includes("[");
}
