/** Checks once, at the start, whether the operator has the permissions that it needs, and logs the missing rules. */
import type { PolicyRule } from "@capstan/client";
import type { AnyKind, Api } from "../api.ts";
import type { OperatorDefinition } from "../manager/operator.ts";
import { Namespace } from "../reconcile/pause.ts";

const SelfSubjectRulesReview: AnyKind = {
  group: "authorization.k8s.io",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  plural: "selfsubjectrulesreviews",
  scope: "Cluster",
};

const READ = ["get", "list", "watch"];
const OWN = [...READ, "create", "patch", "delete"];

const Event = { group: "events.k8s.io", plural: "events" };

/** The rules that an operator needs for its declarations; the election reports missing ones for the lease itself. */
export function neededRules({
  controllers,
  pauseByNamespace = false,
  previous,
}: OperatorDefinition): readonly PolicyRule[] {
  const ofControllers = controllers.flatMap(({ kind, owns, reads, options }) => [
    rule(kind, [...READ, "patch"]),
    rule(kind, ["patch"], "/status"),
    ...owns.map((owned) => rule(owned, OWN)),
    ...[...reads, ...options.watches.map((watch) => watch.kind)].map((seen) => rule(seen, READ)),
  ]);
  return [
    ...ofControllers,
    rule(Event, ["create", "patch"]),
    ...(pauseByNamespace ? [rule(Namespace, READ)] : []),
    ...(previous?.owned ?? []).map((kind) => rule(kind, ["list", "delete"])),
  ];
}

/** The rules that are not granted, each with the missing verbs. */
export function missingRules(needed: readonly PolicyRule[], granted: readonly PolicyRule[]): readonly PolicyRule[] {
  const missing = new Map<string, PolicyRule>();
  for (const { apiGroups, resources, verbs } of needed) {
    const [group = "", resource = ""] = [apiGroups[0], resources[0]];
    const absent = verbs.filter((verb) => !granted.some((each) => permits(each, { group, resource, verb })));
    if (absent.length === 0) continue;
    const id = `${group}/${resource}`;
    const known = missing.get(id)?.verbs ?? [];
    missing.set(id, { apiGroups: [group], resources: [resource], verbs: [...new Set([...known, ...absent])] });
  }
  return [...missing.values()];
}

/** The rules of this program in a namespace; undefined if the server's list is incomplete. */
export async function grantedRules(api: Api, namespace: string): Promise<readonly PolicyRule[] | undefined> {
  const { group, version, kind } = SelfSubjectRulesReview;
  const object = { apiVersion: `${group}/${version}`, kind, metadata: {}, spec: { namespace } };
  const { status } = (await api.create(SelfSubjectRulesReview, object, { manager: "capstan" })) as {
    readonly status?: {
      readonly incomplete?: boolean;
      readonly resourceRules?: readonly (PolicyRule & { readonly resourceNames?: readonly string[] })[];
    };
  };
  if (status === undefined || status.incomplete === true) return undefined;
  // A permission for single objects is not a permission for the kind.
  return (status.resourceRules ?? []).filter(({ resourceNames = [] }) => resourceNames.length === 0);
}

interface Wish {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

function permits({ apiGroups, resources, verbs }: PolicyRule, { group, resource, verb }: Wish): boolean {
  const [, subresource] = resource.split("/");
  const names = [resource, "*", ...(subresource === undefined ? [] : [`*/${subresource}`])];
  return (
    (apiGroups.includes(group) || apiGroups.includes("*")) &&
    names.some((name) => resources.includes(name)) &&
    (verbs.includes(verb) || verbs.includes("*"))
  );
}

function rule(
  { group, plural }: Pick<AnyKind, "group" | "plural">,
  verbs: readonly string[],
  subresource = "",
): PolicyRule {
  return { apiGroups: [group], resources: [`${plural}${subresource}`], verbs };
}
