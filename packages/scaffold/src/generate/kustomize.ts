/** The operator as a kustomize tree in the layout that people know from other tools. */
import { baseCsv, scorecardConfig, type OperatorDescription } from "@capstan/bundle";
import type { Files } from "../project/render.ts";
import { prometheusRule } from "./alerts.ts";
import type { Registrar } from "./bundle.ts";
import { certManagerFolder, certManagerSwitch } from "./cert-manager.ts";
import { labelsOf, type Manifest } from "./manifest.ts";
import { installationOf, type Placement, webhookServiceName } from "./objects.ts";
import type { Program } from "./program.ts";
import { sampleOf } from "./samples.ts";
import { servesWebhooks } from "./webhooks.ts";
import { toYaml, toYamlStream } from "./yaml.ts";

/** The options of the tree besides the program. */
export interface TreeDetails {
  /** The descriptions of the operator's package, for the base of its bundle. */
  readonly words?: OperatorDescription;
  /** Knows what the program registers: with it, programs with webhooks get a folder for cert-manager, too. */
  readonly registrar?: Registrar;
}

/** The tree, to be put into `config/`. */
export function kustomizeTree(
  program: Program,
  placement: Placement,
  { words = {}, registrar }: TreeDetails = {},
): Files {
  const { namespace, crds, rbac, manager } = installationOf(program, placement);
  const hooks = manager.filter(
    ({ kind, metadata }) => kind === "Service" && metadata.name === webhookServiceName(program),
  );
  const samples = program.resources.map(
    (resource) => [`${fileName(resource)}.yaml`, toYaml(sampleOf(resource))] as const,
  );
  const hasCertManager = hooks.length > 0 && registrar !== undefined;
  const crdFiles = crds.map((crd) => [`bases/${crd.metadata.name}.yaml`, toYaml(crd)] as const);
  const files: (readonly [string, string])[] = [
    ...folder("crd", crdFiles),
    ...folder("rbac", byKind(rbac)),
    ...folder(
      "manager",
      [["manager.yaml", toYamlStream([namespace, ...manager.filter((one) => !hooks.includes(one))])]],
      {
        images: [imageEntry(placement.image)],
      },
    ),
    ...(hooks.length === 0 ? [] : folder("webhook", [["service.yaml", `${webhookNote}${toYamlStream(hooks)}`]])),
    ...folder("prometheus", [
      ["monitor.yaml", toYaml(serviceMonitor(program, placement))],
      ["alerts.yaml", toYaml(prometheusRule(program, placement))],
    ]),
    ...folder("network-policy", [["allow-metrics-traffic.yaml", toYaml(metricsPolicy(program, placement))]]),
    ...folder("samples", samples),
    ...(hasCertManager ? certManagerFolder(program, placement, registrar) : []),
    [
      "default/kustomization.yaml",
      `${kustomization({ resources: ["../crd", "../rbac", "../manager", ...(hooks.length === 0 ? [] : ["../webhook"])] })}${hasCertManager ? certManagerSwitch : ""}`,
    ],
    ["scorecard/bases/config.yaml", toYaml(scorecardConfig)],
    ["scorecard/kustomization.yaml", kustomization({ resources: ["bases/config.yaml"] })],
    [`manifests/bases/${program.name}.clusterserviceversion.yaml`, toYaml(baseCsv(program.name, words))],
    [
      "manifests/kustomization.yaml",
      kustomization({
        resources: [
          `bases/${program.name}.clusterserviceversion.yaml`,
          "../default",
          ...(samples.length > 0 ? ["../samples"] : []),
          "../scorecard",
        ],
      }),
    ],
  ];
  return new Map(files);
}

const webhookNote = `# The operator registers its webhooks itself and makes and renews their certificates: this Service is all that it needs.
`;

function fileName({ group, version, singular }: Program["resources"][number]): string {
  return `${group.split(".", 1)[0]}_${version}_${singular}`;
}

/** A folder with its kustomization, which lists the files in order. */
function folder(
  name: string,
  files: readonly (readonly [string, string])[],
  more: object = {},
): (readonly [string, string])[] {
  const resources = files.map(([path]) => path);
  return [
    [`${name}/kustomization.yaml`, kustomization({ resources, ...more })],
    ...files.map(([path, text]) => [`${name}/${path}`, text] as const),
  ];
}

function kustomization(body: object): string {
  return toYaml({ apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", ...body });
}

/** Lets `kustomize edit set image` find the image. */
function imageEntry(image: string): object {
  const [, name = image, tag] = /^(.+?)(?::([^:/@]+))?$/.exec(image) ?? [];
  return image.includes("@") || tag === undefined
    ? { name: image, newName: image }
    : { name, newName: name, newTag: tag };
}

/** One file for each role with its binding, as people look for them. */
function byKind(objects: readonly Manifest[]): (readonly [string, string])[] {
  const files = new Map<string, Manifest[]>();
  for (const object of objects) {
    const file = object.kind === "ServiceAccount" ? "service_account.yaml" : `${roleFile(object)}.yaml`;
    files.set(file, [...(files.get(file) ?? []), object]);
  }
  return [...files].map(([file, members]) => [file, toYamlStream(members)] as const);
}

function roleFile({ kind, metadata }: Manifest): string {
  const name = (metadata.name ?? "").replaceAll("-", "_");
  return kind.endsWith("Binding") ? `${name}_binding` : `${name}_role`;
}

/** What makes Prometheus scrape the operator. */
export function serviceMonitor(program: Program, { namespace }: Placement): Manifest {
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: { name: `${program.name}-metrics`, namespace, labels: labelsOf(program) },
    spec: {
      endpoints: [
        {
          path: "/metrics",
          port: "https",
          scheme: "https",
          bearerTokenFile: "/var/run/secrets/kubernetes.io/serviceaccount/token",
          // The operator makes its own certificate; the scraper is known by its token.
          tlsConfig: { insecureSkipVerify: true },
        },
      ],
      selector: { matchLabels: { "app.kubernetes.io/name": program.name } },
    },
  };
}

/** Only namespaces that are labelled for it may read the metrics; webhooks stay open to the API server. */
export function metricsPolicy(program: Program, { namespace }: Placement): Manifest {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: `${program.name}-allow-metrics`, namespace, labels: labelsOf(program) },
    spec: {
      podSelector: { matchLabels: { "app.kubernetes.io/name": program.name } },
      policyTypes: ["Ingress"],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { metrics: "enabled" } } }],
          ports: [{ port: 8443, protocol: "TCP" }],
        },
        // The API server may call from anywhere.
        ...(servesWebhooks(program) ? [{ ports: [{ port: 9443, protocol: "TCP" }] }] : []),
      ],
    },
  };
}
