/** The bundle source of an operator: its objects, the kinds its controllers create, and the descriptions of its package. */
import type { BundleSource, KindDescription, Manifest as BundleManifest, OperatorDescription } from "@capstan/bundle";
import type { Resource } from "@capstan/schema";
import { type Manifest } from "./manifest.ts";
import { installationOf, type Placement, webhookServiceName } from "./objects.ts";
import type { Program, WebhookSettings } from "./program.ts";
import { sampleOf } from "./samples.ts";
import { isConverted } from "./webhooks.ts";

/** The parts of package.json that say something about an operator. */
export interface PackageWords {
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly homepage?: string;
  readonly author?: string | { readonly name?: string; readonly email?: string; readonly url?: string };
  readonly maintainers?: readonly (string | { readonly name?: string; readonly email?: string })[];
  readonly repository?: string | { readonly url?: string };
}

/** How the API server would reach and call the webhooks, if the operator itself registered them. */
export interface WebhookReach extends WebhookSettings {
  readonly namespace: string;
  /** The Service in front of them. */
  readonly service: string;
}

/** What a resource would register: the configurations of its hooks, and how its CRD's versions are converted. */
export interface Registered {
  readonly configurations: readonly object[];
  readonly conversion: object | undefined;
}

/** Knows what operators register; handed in, because only whatever runs them can know. */
export type Registrar = (resource: Resource, reach: WebhookReach) => Registered;

/** What a program gives to a bundle: everything but its version and channels. OLM registers the webhooks and keeps their certificates. */
export function bundleSourceOf(
  program: Program,
  placement: Placement,
  registrar: Registrar,
): Pick<BundleSource, "package" | "objects" | "kinds" | "installModes"> {
  const { crds: plain, rbac, manager } = installationOf(program, { ...placement, registrar: "installer" });
  const { crds, configurations } = registeredIn(program, { plain, placement, registrar });
  // A namespaced operator knows its namespace.
  const told = placement.namespaced ? manager : manager.map(watchingTargets);
  const objects = [...crds, ...configurations, ...rbac, ...told, ...program.resources.flatMap(samplesOf)];
  return {
    package: program.name,
    // Objects of Kubernetes are JSON, which their types cannot say because fields may be undefined.
    objects: objects as unknown as readonly BundleManifest[],
    kinds: kindsOf(program),
    installModes: modesOf(program, placement),
  };
}

interface Unregistered {
  readonly plain: readonly Manifest[];
  readonly placement: Placement;
  readonly registrar: Registrar;
}

/** The configurations as an operator would apply them, and its CRDs with their conversions: what a bundle's webhooks are read from. */
export function registeredIn(
  program: Program,
  { plain, placement, registrar }: Unregistered,
): { readonly crds: readonly Manifest[]; readonly configurations: readonly object[] } {
  const reach = { ...program.webhooks, namespace: placement.namespace, service: webhookServiceName(program) };
  const registered = new Map(program.resources.map((one) => [`${one.plural}.${one.group}`, registrar(one, reach)]));
  const crds = plain.map((crd) => {
    const conversion = registered.get(crd.metadata.name ?? "")?.conversion;
    return conversion === undefined ? crd : { ...crd, spec: { ...(crd["spec"] as object), conversion } };
  });
  return { crds, configurations: [...registered.values()].flatMap(({ configurations }) => configurations) };
}

/** An example in every version, because each is a kind that people can ask for. */
function samplesOf(resource: Program["resources"][number]): Manifest[] {
  return Object.keys(resource.versions).map((version) => sampleOf(resource, version));
}

/** OLM sets the watched namespaces in a pod annotation; empty means all. */
function watchingTargets(object: Manifest): Manifest {
  if (object.kind !== "Deployment") return object;
  const { template, ...spec } = object["spec"] as { template: { spec: { containers: readonly Container[] } } };
  const containers = template.spec.containers.map((container) => ({
    ...container,
    args: [...container.args, "--namespaces=$(WATCH_NAMESPACE)"],
    env: [
      ...container.env,
      {
        name: "WATCH_NAMESPACE",
        valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
      },
    ],
  }));
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...template.spec, containers } } } };
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly object[];
}

/** A CRD is converted for all namespaces or for none. */
function modesOf({ resources }: Program, { namespaced }: Placement): string[] {
  if (resources.some(isConverted)) return ["AllNamespaces"];
  return namespaced ? ["OwnNamespace"] : ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
}

function kindsOf({ resources, controllers }: Program): { readonly [crd: string]: KindDescription } {
  return Object.fromEntries(
    resources.map(({ plural, group, kind }) => {
      const owned = controllers
        .filter((one) => one.kind.kind === kind && one.kind.group === group)
        .flatMap(({ owns }) => owns);
      const made = new Map(
        owned.map((one) => [`${one.kind} ${one.version}`, { kind: one.kind, version: one.version }]),
      );
      return [`${plural}.${group}`, { resources: [...made.values()] }];
    }),
  );
}

/** The descriptions of a package. */
export function descriptionOfPackage({
  description,
  keywords,
  homepage,
  author,
  maintainers = [],
  repository,
}: PackageWords): OperatorDescription {
  const people = [author, ...maintainers].flatMap((person) => (person === undefined ? [] : [toPerson(person)]));
  const maintained = people.filter(({ email }) => email !== undefined);
  const [first] = people;
  const source = typeof repository === "string" ? repository : repository?.url;
  const address = source?.replace(/^git\+/, "").replace(/\.git$/, "");
  const links = [
    ...(homepage === undefined ? [] : [{ name: "Home", url: homepage }]),
    ...(address?.startsWith("https://") === true ? [{ name: "Source", url: address }] : []),
  ];
  return {
    // Rules in CEL are older than that in no cluster.
    minKubeVersion: "1.25.0",
    ...(description === undefined ? {} : { description }),
    ...(keywords === undefined ? {} : { keywords }),
    ...(links.length > 0 ? { links } : {}),
    ...(first === undefined
      ? {}
      : { provider: { name: first.name, ...(first.url === undefined ? {} : { url: first.url }) } }),
    ...(maintained.length > 0 ? { maintainers: maintained.map(({ name, email = "" }) => ({ name, email })) } : {}),
  };
}

interface Person {
  readonly name: string;
  readonly email?: string | undefined;
  readonly url?: string | undefined;
}

/** `Ann <ann@example.com> (https://example.com)`, or the same as an object. */
function toPerson(person: string | { readonly name?: string; readonly email?: string; readonly url?: string }): Person {
  if (typeof person !== "string") return { name: person.name ?? "", email: person.email, url: person.url };
  return {
    name: (/^[^<(]*/.exec(person)?.[0] ?? "").trim(),
    email: /<([^>]*)>/.exec(person)?.[1],
    url: /\(([^)]*)\)/.exec(person)?.[1],
  };
}
