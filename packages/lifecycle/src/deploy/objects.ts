/** The objects that run the manager on a cluster: its identity, its permissions and a Deployment with restricted security. */
import { ServiceAccount } from "@capstan/kinds/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole, ClusterRoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace } from "@capstan/kinds/v1";
import { apiVersionOf } from "@capstan/model";
import type { Kind } from "@capstan/model";
import type { Manifest } from "../csv/permissions.ts";
import { managerRules } from "./rules.ts";

/** Where and how the manager runs. */
export interface ManagerPlacement {
  readonly namespace: string;
  readonly image: string;
  /** The names of pull secrets for the image. */
  readonly pullSecrets?: readonly string[];
  readonly memory?: string;
}

/** The name of all objects. */
export const deployedName = "capstan-lifecycle-manager";
const UNPRIVILEGED = 65_532;

/** An object and its kind. */
export interface DeployedObject {
  readonly kind: Kind;
  readonly manifest: Manifest;
}

/** The objects, in the order in which they are created. */
export function managerObjects(placement: ManagerPlacement): readonly DeployedObject[] {
  const { namespace } = placement;
  const labels = { "app.kubernetes.io/name": deployedName, "app.kubernetes.io/managed-by": "capstan" };
  const subject = { kind: "ServiceAccount", name: deployedName, namespace };
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: deployedName };
  const object = (kind: Kind, name: string, content: object): DeployedObject => {
    const metadata = { name, labels, ...(kind.scope === "Cluster" ? {} : { namespace }) };
    return { kind, manifest: { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, ...content } };
  };
  return [
    object(Namespace as Kind, namespace, {}),
    object(ServiceAccount as Kind, deployedName, {}),
    object(ClusterRole as Kind, deployedName, { rules: managerRules() }),
    object(ClusterRoleBinding as Kind, deployedName, { roleRef, subjects: [subject] }),
    object(Deployment as Kind, deployedName, { spec: deploymentSpec(placement, labels) }),
  ];
}

function deploymentSpec(
  { namespace, image, pullSecrets = [], memory = "256Mi" }: ManagerPlacement,
  labels: { readonly [name: string]: string },
): object {
  const selector = { "app.kubernetes.io/name": deployedName };
  const container = {
    name: "manager",
    image,
    args: ["--namespace", namespace],
    resources: { requests: { cpu: "10m", memory }, limits: { memory: "1Gi" } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    // Images of catalogs and bundles are unpacked here.
    volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
  };
  return {
    // Two managers on one cluster would decide the same things twice.
    replicas: 1,
    strategy: { type: "Recreate" },
    selector: { matchLabels: selector },
    template: {
      metadata: { labels },
      spec: {
        serviceAccountName: deployedName,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: UNPRIVILEGED,
          runAsGroup: UNPRIVILEGED,
          seccompProfile: { type: "RuntimeDefault" },
        },
        ...(pullSecrets.length === 0 ? {} : { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
        containers: [container],
        volumes: [{ name: "tmp", emptyDir: {} }],
      },
    },
  };
}
