/** The part of the kustomize tree for clusters where cert-manager shall make the certificates of webhooks: off until it is switched on. */
import type { Files } from "../project/render.ts";
import { type Registrar, registeredIn } from "./bundle.ts";
import { labelsOf, type Manifest } from "./manifest.ts";
import { certificateFolder, crdsOf, type Placement, rbacOf, webhookRoleName, webhookServiceName } from "./objects.ts";
import type { Program } from "./program.ts";
import { isConverted } from "./webhooks.ts";
import { toYaml, toYamlStream } from "./yaml.ts";

/** The commented switch in the default kustomization. */
export const certManagerSwitch = `# The operator makes and renews the certificates of its webhooks itself. Where cert-manager shall do it, take away the signs before the next two lines.
#components:
#  - ../certmanager
`;

/** A component that moves webhooks to cert-manager: certificates, registrations, and patches of existing objects. */
export function certManagerFolder(program: Program, placement: Placement, registrar: Registrar): Files {
  const plain = crdsOf(program);
  const { crds, configurations } = registeredIn(program, { plain, placement, registrar });
  const converted = new Set(program.resources.filter(isConverted).map(({ plural, group }) => `${plural}.${group}`));
  const patches = [
    ...unneeded(program, placement).map((object) => ({ patch: toYaml({ $patch: "delete", ...object }) })),
    patch({ kind: "Deployment", name: program.name }, deploymentChanges(program)),
    ...crds
      .filter(({ metadata: { name = "" } }) => converted.has(name))
      .map((crd) =>
        patch({ kind: "CustomResourceDefinition", name: crd.metadata.name ?? "" }, crdChanges(crd, program, placement)),
      ),
  ];
  return new Map([
    ["certmanager/issuer.yaml", toYaml(issuer(program, placement))],
    ["certmanager/certificate.yaml", toYaml(certificate(program, placement))],
    ...(configurations.length === 0
      ? []
      : [
          [
            "certmanager/webhooks.yaml",
            toYamlStream(configurations.map((one) => injected(one as Manifest, program, placement))),
          ] as const,
        ]),
    [
      "certmanager/kustomization.yaml",
      toYaml({
        apiVersion: "kustomize.config.k8s.io/v1alpha1",
        kind: "Component",
        resources: ["issuer.yaml", "certificate.yaml", ...(configurations.length === 0 ? [] : ["webhooks.yaml"])],
        patches,
      }),
    ],
  ]);
}

/** The rules for registering webhooks and their certificates, which the operator then does not need. */
function unneeded(program: Program, placement: Placement): Pick<Manifest, "apiVersion" | "kind" | "metadata">[] {
  const name = webhookRoleName(program);
  return rbacOf(program, placement)
    .filter(({ metadata }) => metadata.name === name)
    .map(({ apiVersion, kind, metadata: { namespace } }) => ({
      apiVersion,
      kind,
      metadata: namespace === undefined ? { name } : { name, namespace },
    }));
}

const issuerName = ({ name }: Program): string => `${name}-selfsigned-issuer`;
const certificateName = ({ name }: Program): string => `${name}-serving-cert`;
const secretName = ({ name }: Program): string => `${name}-serving-cert`;

function issuer(program: Program, { namespace }: Placement): Manifest {
  return {
    apiVersion: "cert-manager.io/v1",
    kind: "Issuer",
    metadata: { name: issuerName(program), namespace, labels: labelsOf(program) },
    spec: { selfSigned: {} },
  };
}

function certificate(program: Program, { namespace }: Placement): Manifest {
  const service = webhookServiceName(program);
  return {
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: { name: certificateName(program), namespace, labels: labelsOf(program) },
    spec: {
      dnsNames: [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`],
      issuerRef: { kind: "Issuer", name: issuerName(program) },
      secretName: secretName(program),
    },
  };
}

/** cert-manager writes its authority into whatever bears this annotation. */
function inject(program: Program, { namespace }: Placement): { readonly [annotation: string]: string } {
  return { "cert-manager.io/inject-ca-from": `${namespace}/${certificateName(program)}` };
}

interface Webhook {
  readonly clientConfig: { readonly caBundle?: string };
}

/** A configuration without its own CA. */
function injected(configuration: Manifest, program: Program, placement: Placement): Manifest {
  const { webhooks, ...rest } = configuration as Manifest & { readonly webhooks: readonly Webhook[] };
  return {
    ...rest,
    metadata: { ...rest.metadata, labels: labelsOf(program), annotations: inject(program, placement) },
    webhooks: webhooks.map((webhook) => ({ ...webhook, clientConfig: trustingNobody(webhook) })),
  };
}

function trustingNobody({ clientConfig }: Webhook): object {
  const { caBundle: _, ...reach } = clientConfig;
  return reach;
}

interface Change {
  readonly op: "add";
  readonly path: string;
  readonly value: unknown;
}

function patch(target: { readonly kind: string; readonly name: string }, changes: readonly Change[]): object {
  return { target, patch: toYaml(changes) };
}

/** Where the certificate is; and that neither it nor the CRDs are the operator's to write. */
function deploymentChanges(program: Program): Change[] {
  const pod = "/spec/template/spec";
  const container = `${pod}/containers/0`;
  return [
    { op: "add", path: `${container}/args/-`, value: `--webhook-cert-dir=${certificateFolder}` },
    { op: "add", path: `${container}/args/-`, value: "--install-crds=false" },
    {
      op: "add",
      path: `${container}/volumeMounts`,
      value: [{ name: "webhook-certs", mountPath: certificateFolder, readOnly: true }],
    },
    {
      op: "add",
      path: `${pod}/volumes`,
      value: [{ name: "webhook-certs", secret: { secretName: secretName(program) } }],
    },
  ];
}

function crdChanges(crd: Manifest, program: Program, placement: Placement): Change[] {
  const { conversion } = crd["spec"] as { readonly conversion: { readonly webhook: Webhook } };
  const clientConfig = trustingNobody(conversion.webhook);
  return [
    { op: "add", path: "/metadata/annotations", value: inject(program, placement) },
    { op: "add", path: "/spec/conversion", value: { ...conversion, webhook: { ...conversion.webhook, clientConfig } } },
  ];
}
