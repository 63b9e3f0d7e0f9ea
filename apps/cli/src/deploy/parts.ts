/** The objects that `capstan deploy` puts on a cluster, with the label by which `capstan undeploy` finds them. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import { Deployment } from "@capstan/kinds/apps/v1";
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { Namespace, Service, ServiceAccount } from "@capstan/kinds/v1";
import type { Kind } from "@capstan/model";
import { installationOf, type Manifest, type Placement, type Program } from "@capstan/scaffold";

/** The names of a kind. */
export type PartKind = Pick<Kind, "group" | "version" | "kind" | "plural" | "scope">;

/** The label of everything that `capstan deploy` has created; its value is the name of the operator. */
export const deployedLabel = "capstan.dev/deployed";

/** The annotation of the pods with the digest of their image: pods are replaced when an image of the same name is built again. */
const digestAnnotation = "capstan.dev/image-digest";

/** The kinds of the parts, in the order in which they are removed. */
export const partKinds: readonly PartKind[] = [
  Deployment,
  Service,
  RoleBinding,
  ClusterRoleBinding,
  Role,
  ClusterRole,
  ServiceAccount,
  CustomResourceDefinition,
  Namespace,
];

/** The objects in the order in which they are created. */
export function partsOf(program: Program, placement: Placement, digest: string | undefined): readonly Manifest[] {
  const { namespace, crds, rbac, manager } = installationOf(program, placement);
  const annotated = manager.map((object) => (object.kind === "Deployment" ? withDigest(object, digest) : object));
  return [namespace, ...crds, ...rbac, ...annotated].map((object) => ({
    ...object,
    metadata: { ...object.metadata, labels: { ...object.metadata.labels, [deployedLabel]: program.name } },
  }));
}

interface PodTemplate {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
}

function withDigest(deployment: Manifest, digest: string | undefined): Manifest {
  if (digest === undefined) return deployment;
  const spec = deployment["spec"] as { readonly template: PodTemplate };
  const { metadata, ...template } = spec.template;
  const annotations = { ...metadata.annotations, [digestAnnotation]: digest };
  return { ...deployment, spec: { ...spec, template: { ...template, metadata: { ...metadata, annotations } } } };
}
