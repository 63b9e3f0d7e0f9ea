/** The service account with whose permissions the operators of a namespace are installed. */
import type { OperatorGroup } from "../kinds/operator-group.ts";
import type { ObjectReference } from "../kinds/subscription.ts";
import type { AccountReference } from "../manager/setting.ts";

/** The account of the groups of a namespace; none if the group names none; the reason why there is no answer. */
export type GroupAccount =
  | { readonly reference: (AccountReference & ObjectReference) | undefined }
  | { readonly error: string };

/** Finds the account. Groups without namespaces do not count. */
export function serviceAccountOf(groups: readonly OperatorGroup[]): GroupAccount {
  const managing = groups.filter(({ status }) => (status?.namespaces?.length ?? 0) > 0);
  const [group] = managing;
  if (group === undefined) return { error: "no operator group found that is managing this namespace" };
  if (managing.length > 1) {
    return { error: `more than one operator group(s) are managing this namespace count=${managing.length}` };
  }
  const name = group.spec?.serviceAccountName ?? "";
  if (name === "") return { reference: undefined };
  const reference = group.status?.serviceAccountRef;
  // Between a change of the spec and that of the status, the account of before must not be used.
  if (reference === undefined || (reference.name ?? name) !== name) {
    const place = `${group.metadata.namespace}/${group.metadata.name}`;
    return { error: `please make sure the service account exists. sa=${name} operatorgroup=${place}` };
  }
  return { reference: { ...reference, namespace: group.metadata.namespace ?? "", name } };
}
