/** APIs that Kubernetes no longer has: which of them a bundle uses, and whether that is an error for the Kubernetes it is meant for. */
import { quote } from "@capstan/model";
import type { CrdDescription, Permission } from "../csv.ts";
import type { Bundle } from "../read/bundle.ts";
import { kindOf, textAt } from "../read/object.ts";
import { compareVersions, parseTolerant, type Version } from "../semver.ts";
import { failed, type Finding } from "./finding.ts";
import type { ValidatorValues } from "./validator.ts";

/** Names of objects by what is wrong with them. */
export type Removed = ReadonlyMap<string, readonly string[]>;

const in22: { readonly [apiVersion: string]: readonly string[] } = {
  "scheduling.k8s.io/v1beta1": ["PriorityClass"],
  "rbac.authorization.k8s.io/v1beta1": ["Role", "ClusterRoleBinding", "RoleBinding", "ClusterRole"],
  "apiregistration.k8s.io/v1beta1": ["APIService"],
  "authentication.k8s.io/v1beta1": ["TokenReview"],
  "authorization.k8s.io/v1beta1": ["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"],
  "admissionregistration.k8s.io/v1beta1": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  "coordination.k8s.io/v1beta1": ["Lease"],
  "extensions/v1beta1": ["Ingress"],
  "networking.k8s.io/v1beta1": ["Ingress", "IngressClass"],
  "storage.k8s.io/v1beta1": ["CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"],
  "certificates.k8s.io/v1beta1": ["CertificateSigningRequest"],
};

const in25: { readonly [apiVersion: string]: readonly string[] } = {
  "batch/v1beta1": ["CronJob"],
  "discovery.k8s.io/v1beta1": ["EndpointSlice"],
  "events.k8s.io/v1beta1": ["Event"],
  "autoscaling/v2beta1": ["HorizontalPodAutoscaler"],
  "policy/v1beta1": ["PodDisruptionBudget", "PodSecurityPolicy"],
  "node.k8s.io/v1beta1": ["RuntimeClass"],
};

const in26: { readonly [apiVersion: string]: readonly string[] } = {
  "autoscaling/v2beta2": ["HorizontalPodAutoscaler"],
};

/** What a bundle uses that is gone since 1.22. */
export function removedIn22({ objects, oldCrds }: Pick<Bundle, "objects" | "oldCrds">): Removed {
  const crds = oldCrds.map(({ value }) => textAt(value, "metadata", "name"));
  return new Map([...(crds.length > 0 ? [["CRD", crds] as const] : []), ...usesOf(objects, in22)]);
}

function usesOf(objects: Bundle["objects"], table: typeof in22): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { value } of objects) {
    const kind = textAt(value, "kind");
    if (table[textAt(value, "apiVersion")]?.includes(kind) === true)
      add(found, kind, textAt(value, "metadata", "name"));
  }
  return found;
}

function add(map: Map<string, string[]>, key: string, value: string): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}

/** The APIs removed in 1.25 that a bundle uses, in objects and in its ClusterServiceVersion. */
function removedIn25(bundle: Bundle): { readonly used: Removed; readonly allowed: Removed } {
  const isCsv = ({ value }: Bundle["objects"][number]): boolean =>
    value["apiVersion"] === "operators.coreos.com/v1alpha1";
  const used = usesOf(
    bundle.objects.filter((object) => !isCsv(object)),
    in25,
  );
  const allowed = new Map<string, string[]>();
  if (!bundle.objects.some((object) => isCsv(object) && kindOf(object.value).kind === "ClusterServiceVersion"))
    return { used, allowed };
  const { customresourcedefinitions: crds, install } = bundle.csv.spec ?? {};
  const mentioned = new Set<string>();
  const describe = (list: readonly CrdDescription[] = [], field: string): void =>
    list.forEach(({ resources = [] }, i) =>
      resources.forEach(({ kind = "", version = "" }, j) => {
        mentioned.add(`${kind.toLowerCase()}s`);
        if (in25[version]?.includes(kind) === true)
          add(used, kind, `ClusterServiceVersion.Spec.CustomResourceDefinitions.${field}[${i}].Resource[${j}]`);
      }),
    );
  describe(crds?.owned, "Owned");
  describe(crds?.required, "Required");
  permitted(install?.spec?.clusterPermissions, { field: "ClusterPermissions", mentioned, allowed });
  permitted(install?.spec?.permissions, { field: "Permissions", mentioned, allowed });
  return { used, allowed };
}

interface Permitted {
  readonly field: string;
  readonly mentioned: ReadonlySet<string>;
  readonly allowed: Map<string, string[]>;
}

/** Of what rules name, only PodSecurityPolicies are gone altogether. */
function permitted(list: readonly Permission[] = [], { field, mentioned, allowed }: Permitted): void {
  const gone = "podsecuritypolicies";
  list.forEach(({ rules = [] }, i) =>
    rules.forEach(({ apiGroups = [], resources = [] }, j) => {
      const times =
        apiGroups.filter((group) => group === "policy").length * resources.filter((one) => one === gone).length;
      if (mentioned.has(gone)) return;
      for (let time = 0; time < times; time++)
        add(allowed, gone, `ClusterServiceVersion.Spec.InstallStrategy.StrategySpec.${field}[${i}].Rules[${j}]`);
    }),
  );
}

/** `Role: (["a" "b"]),Lease: (["c"])`, in the order of the names. */
export function formatRemoved(removed: Removed): string {
  const parts = [...removed]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, names]) => `${kind}: ([${names.map(quote).join(" ")}])`);
  // Where there are several, other tools end each with a comma, the last one too.
  return parts.length === 1 ? (parts[0] ?? "") : parts.map((part) => `${part},`).join("");
}

/** Everything about removed APIs. */
export function validateRemovedApis(bundle: Bundle, { values }: ValidatorValues): Finding[] {
  const name = bundle.csv.metadata?.name ?? "";
  const asked = values["k8s-version"] ?? "";
  const wanted = bundle.csv.spec?.minKubeVersion ?? "";
  const meant = [parseTolerant(asked), parseTolerant(wanted)];
  const { used, allowed } = removedIn25(bundle);
  return [
    ...unusable({ name, asked, wanted }),
    ...removedSince("1.22", removedIn22(bundle), { name, meant }),
    ...removedSince("1.25", used, { name, meant }),
    ...removedSince("1.25", allowed, { name, meant: [] }),
    ...removedSince("1.26", usesOf(bundle.objects, in26), { name, meant }),
  ];
}

function unusable({
  name,
  asked,
  wanted,
}: {
  readonly name: string;
  readonly asked: string;
  readonly wanted: string;
}): Finding[] {
  const minimum = `unable to use csv.Spec.MinKubeVersion to verify the CRD/Webhook apis because it has an invalid value: ${wanted}`;
  return [
    ...(asked !== "" && parseTolerant(asked) === undefined
      ? [failed("Error", name, `invalid value informed via the k8s key option : ${asked}`)]
      : []),
    ...(wanted !== "" && parseTolerant(wanted) === undefined ? [failed("Error", name, minimum)] : []),
  ];
}

interface Meant {
  readonly name: string;
  /** The versions of Kubernetes that the bundle is meant for, where they are known. */
  readonly meant: readonly (Version | undefined)[];
}

function removedSince(release: string, removed: Removed, { name, meant }: Meant): Finding[] {
  if (removed.size === 0) return [];
  const since = parseTolerant(release);
  const isReached = meant.some((one) => one !== undefined && since !== undefined && compareVersions(one, since) >= 0);
  const detail = `this bundle is using APIs which were deprecated and removed in v${release}. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v${release.replace(".", "-")}. Migrate the API(s) for ${formatRemoved(removed)}`;
  return [failed(isReached ? "Error" : "Warning", name, detail)];
}
