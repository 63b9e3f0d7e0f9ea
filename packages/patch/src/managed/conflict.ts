/** Conflicts of an apply: fields that another manager owns with another value, and their messages. */
import { quote, type StatusCause } from "@capstan/model";
import { fieldSetOf, formatPath, pathsOf, type FieldPath, type FieldSet } from "../fields/field-set.ts";
import { compareText } from "../fields/path-element.ts";
import type { Owner } from "./owners.ts";

/** One field that another manager owns. */
export interface FieldConflict {
  readonly owner: Owner;
  readonly ownerId: string;
  readonly path: FieldPath;
}

/** The conflicts with some owners, sorted by owner and path. */
export function listConflicts(contested: ReadonlyMap<string, { owner: Owner; fields: FieldSet }>): FieldConflict[] {
  const ids = [...contested].sort(([left], [right]) => compareText(left, right));
  return ids.flatMap(([ownerId, { owner, fields }]) => pathsOf(fields).map((path) => ({ owner, ownerId, path })));
}

/** The fields in conflict, for all owners. */
export function conflictingFields(conflicts: readonly FieldConflict[]): FieldSet {
  return fieldSetOf(...conflicts.map(({ path }) => path));
}

/** The message of the server's response. */
export function formatConflicts(conflicts: readonly FieldConflict[]): string {
  const [only] = conflicts;
  if (only !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${formatOwner(only.owner)}: ${formatPath(only.path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ ownerId }) => ownerId);
  const lines = [...byOwner.values()].flatMap((group) => [
    `conflicts with ${group[0] === undefined ? "" : formatOwner(group[0].owner)}:`,
    ...group.map(({ path }) => `- ${formatPath(path)}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

/** The causes in the details of the server's response. */
export function conflictCauses(conflicts: readonly FieldConflict[]): StatusCause[] {
  return conflicts.map(({ owner, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${formatOwner(owner)}`,
    field: formatPath(path),
  }));
}

function formatOwner({ manager, subresource, operation, apiVersion }: Owner): string {
  const name = subresource === "" ? quote(manager) : `${quote(manager)} with subresource ${quote(subresource)}`;
  return operation === "Update" ? `${name} using ${apiVersion}` : name;
}
