/** Limits the entries with operation Update in managedFields: the oldest are merged into one, with the manager `ancient-changes`. */
import { unionOf } from "../fields/field-set.ts";
import { compareText } from "../fields/path-element.ts";
import { fieldsOf, ownerId, secondsOf, type Owner, type Owners } from "./owners.ts";

const maxUpdaters = 10;
const foldedManager = "ancient-changes";

/** At most ten entries with operation Update: the oldest of each API version are merged, as long as there are too many. */
export function capUpdaters(owners: Owners): Owners {
  const updaters = [...owners].filter(([, owner]) => owner.operation === "Update");
  if (updaters.length <= maxUpdaters) return owners;
  updaters.sort(
    ([leftId, left], [rightId, right]) => secondsOf(left) - secondsOf(right) || compareText(leftId, rightId),
  );
  const capped = new Map(owners);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, owner] of updaters) {
    if (count <= maxUpdaters) break;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owner.apiVersion, id);
      continue;
    }
    fold(capped, { first, id, owner });
    count--;
  }
  return capped;
}

/** Merges an entry into the combined entry of its API version, which starts with the fields of the oldest. */
function fold(owners: Map<string, Owner>, { first, id, owner }: { first: string; id: string; owner: Owner }): void {
  const folded = { ...owner, manager: foldedManager, subresource: "" };
  const foldedId = ownerId(folded);
  if (!owners.has(foldedId)) {
    const oldest = owners.get(first);
    owners.delete(first);
    owners.set(foldedId, { ...folded, fields: fieldsOf(oldest) });
  }
  const fields = unionOf(owner.fields, fieldsOf(owners.get(foldedId)));
  owners.delete(id);
  owners.set(foldedId, { ...folded, fields });
}
