/** The fields in which an object of the cluster differs from the wanted one. Fields that only the cluster has are its own. */

/** One field that would change. */
export interface FieldDifference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** The differences of a value, by path. */
export function differences(wanted: unknown, live: unknown, path = ""): readonly FieldDifference[] {
  if (Array.isArray(wanted) && Array.isArray(live) && wanted.length === live.length)
    return wanted.flatMap((value, at) => differences(value, live[at], `${path}[${at}]`));
  if (!isRecord(wanted) || !isRecord(live)) return isSame(wanted, live) ? [] : [{ path, from: live, to: wanted }];
  return Object.entries(wanted).flatMap(([field, value]) =>
    differences(value, live[field], path === "" ? field : `${path}.${field}`),
  );
}

function isRecord(value: unknown): value is { readonly [field: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Absent fields equal empty ones: the server leaves empty lists, texts and objects out. */
function isSame(wanted: unknown, live: unknown): boolean {
  if (live === undefined) return isEmpty(wanted);
  return JSON.stringify(wanted) === JSON.stringify(live);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "" || value === false || value === 0) return true;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}
