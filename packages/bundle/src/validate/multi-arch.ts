/** Whether the images of an operator run where its labels say that it runs. */
import { quote } from "@capstan/model";
import type { Csv, DeploymentDescription, PodSpec } from "../csv.ts";
import type { Bundle } from "../read/bundle.ts";
import { failed, type Finding } from "./finding.ts";
import type { ImagePlatform, ValidatorValues } from "./validator.ts";

const archLabel = "operatorframework.io/arch.";
const osLabel = "operatorframework.io/os.";

/** An image and what it runs on; unknown if it could not be looked at. */
interface Image {
  readonly name: string;
  readonly platforms: readonly ImagePlatform[] | "unknown";
  readonly affinity: readonly ImagePlatform[];
}

interface Facts {
  readonly managers: readonly Image[];
  readonly others: readonly Image[];
  readonly related: readonly Image[];
  readonly archLabels: readonly string[];
  readonly osLabels: readonly string[];
}

/** Everything about platforms. */
export function validateMultiArch(bundle: Bundle, { values, platforms }: ValidatorValues): Finding[] {
  const name = bundle.csv.metadata?.name ?? "";
  const tool = (values["container-tools"] ?? "").toLowerCase();
  if (!["", "none", "docker", "podman"].includes(tool))
    return [
      failed(
        "Error",
        name,
        `invalid value (container-tools) for (${tool}). One of: [docker, podman, none] (If not set, the default value is docker)`,
      ),
    ];
  const { facts, uninspected } = factsOf(bundle.csv, platforms ?? new Map());
  const warnings = [
    ...uninspected,
    ...missingLabels(facts),
    ...missingSupport(facts.others, facts),
    ...missingSupport(facts.related, facts),
    ...[...facts.managers, ...facts.others].flatMap(affinityWarnings),
  ];
  return [
    ...warnings.map((detail) => failed("Warning", name, detail)),
    ...unsupported(facts).map((detail) => failed("Error", name, detail)),
  ];
}

/** Every image that must be looked at before the validator can say anything. */
export function imagesOf({ spec }: Csv): string[] {
  const containers = (spec?.install?.spec?.deployments ?? []).flatMap(
    (one) => one.spec?.template?.spec?.containers ?? [],
  );
  const names = [
    ...containers.map(({ image = "" }) => image),
    ...(spec?.relatedImages ?? []).map(({ image = "" }) => image),
  ];
  return [...new Set(names)].filter((name) => name !== "");
}

type Looked = NonNullable<ValidatorValues["platforms"]>;

function factsOf(csv: Csv, looked: Looked): { readonly facts: Facts; readonly uninspected: string[] } {
  const { deployments = [] } = csv.spec?.install?.spec ?? {};
  const uninspected: string[] = [];
  const look = (name: string, affinity: readonly ImagePlatform[]): Image => {
    const found = looked.get(name) ?? { problem: "it was not looked at" };
    if (!("problem" in found)) return { name, platforms: found.filter(isReal), affinity };
    uninspected.push(`unable to inspect the image (${name}) : ${found.problem}`);
    return { name, platforms: "unknown", affinity };
  };
  const affinities = affinityByImage(deployments);
  const managers = managerImages(deployments);
  const all = deployments.flatMap((one) => one.spec?.template?.spec?.containers ?? []).map(({ image = "" }) => image);
  const others = [...new Set(all)].filter((name) => !managers.includes(name));
  const related = [...new Set((csv.spec?.relatedImages ?? []).map(({ image = "" }) => image))];
  const labelled = (prefix: string): string[] =>
    Object.entries(csv.metadata?.labels ?? {})
      .filter(([key, value]) => key.includes(prefix) && value === "supported")
      .map(([key]) => key.replaceAll(prefix, ""));
  const facts = {
    managers: managers.map((name) => look(name, affinities.get(name) ?? [])),
    others: others.map((name) => look(name, affinities.get(name) ?? [])),
    related: related.map((name) => look(name, [])),
    archLabels: labelled(archLabel),
    osLabels: labelled(osLabel),
  };
  return { facts, uninspected };
}

/** Attestations beside an image have no platform. */
function isReal({ os, architecture }: ImagePlatform): boolean {
  return os !== "" && architecture !== "" && os !== "unknown" && architecture !== "unknown";
}

/** The containers named manager; otherwise all except the proxy that older scaffolds added. */
function managerImages(deployments: readonly DeploymentDescription[]): string[] {
  const names = new Set<string>();
  for (const { spec } of deployments) {
    const containers = spec?.template?.spec?.containers ?? [];
    const managers = containers.filter(({ name, image = "" }) => name === "manager" && !names.has(image));
    const chosen = managers.length > 0 ? managers : containers.filter(({ name }) => name !== "kube-rbac-proxy");
    for (const { image = "" } of chosen) names.add(image);
  }
  return [...names];
}

function affinityByImage(deployments: readonly DeploymentDescription[]): Map<string, readonly ImagePlatform[]> {
  const found = new Map<string, readonly ImagePlatform[]>();
  for (const { spec } of deployments) {
    const pod = spec?.template?.spec;
    for (const { image = "" } of pod?.containers ?? []) found.set(image, affinityOf(pod));
  }
  return found;
}

function affinityOf(pod: PodSpec | undefined): ImagePlatform[] {
  const required = pod?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) => {
    const valuesOf = (key: string): readonly string[] =>
      matchExpressions.findLast((one) => one.key === key && one.operator === "In")?.values ?? [];
    return valuesOf("kubernetes.io/os").flatMap((os) =>
      valuesOf("kubernetes.io/arch").map((architecture) => ({ os, architecture })),
    );
  });
}

const quoteAll = (texts: readonly string[]): string => `[${texts.map(quote).join(" ")}]`;

const format = ({ os, architecture }: ImagePlatform): string => `${os}/${architecture}`;

/** What the operator runs on, as labels and manager images say; without labels, linux on amd64. */
function expected({ managers, archLabels, osLabels }: Facts, part: keyof ImagePlatform): string[] {
  const [named, usual] = part === "os" ? [osLabels, "linux"] : [archLabels, "amd64"];
  const found = managers.flatMap(({ platforms }) => (platforms === "unknown" ? [] : platforms.map((one) => one[part])));
  return [...new Set([...(named.length > 0 ? named : [usual]), ...found])].sort();
}

function missingLabels(facts: Facts): string[] {
  const managers = quoteAll(facts.managers.map(({ name }) => name));
  const check = (part: keyof ImagePlatform): string[] => {
    const [named, usual, prefix, what] =
      part === "os"
        ? ([facts.osLabels, "linux", osLabel, "OS"] as const)
        : ([facts.archLabels, "amd64", archLabel, "Arch"] as const);
    const all = expected(facts, part);
    // A manager that could not be looked at counts as one more platform: then the usual one needs its label, too.
    const isUsual = all.length === 1 && facts.managers.every(({ platforms }) => platforms !== "unknown");
    const missing = all.filter((one) => !named.some((label) => label.includes(one)) && !(one === usual && isUsual));
    if (missing.length === 0) return [];
    const more = part === "os" ? "more than linux OS you MUST," : "more than amd64 architectures, you MUST,";
    return [
      `check if the CSV is missing the label (${prefix}<value>) for the ${what}(s): ${quoteAll(missing)}. Be aware that your Operator manager image ${managers} provides this support. Thus, it is very likely that you want to provide it and if you support ${more}use the required labels for all which are supported.Otherwise, your solution cannot be listed on the cluster for these architectures`,
    ];
  };
  return [...check("architecture"), ...check("os")];
}

function missingSupport(images: readonly Image[], facts: Facts): string[] {
  const managers = quoteAll(facts.managers.map(({ name }) => name));
  return images.flatMap(({ name, platforms }) => {
    if (platforms === "unknown") return [];
    return (["architecture", "os"] as const).flatMap((part) => {
      const missing = expected(facts, part).filter((one) => !platforms.some((platform) => platform[part] === one));
      if (missing.length === 0) return [];
      const what = part === "os" ? "OS" : "Arch";
      return [
        `check if the image ${name} should not support ${quoteAll(missing)}. Note that this CSV has labels for this ${what}(s) Your manager image ${managers} are providing this support OR the CSV is configured via labels to support it. Then, please verify if this image should not support it`,
      ];
    });
  });
}

function unsupported({ managers, others, related, archLabels, osLabels }: Facts): string[] {
  const systems = osLabels.length > 0 ? osLabels : ["linux"];
  const architectures = archLabels.length > 0 ? archLabels : ["amd64"];
  return systems.flatMap((os) =>
    architectures.flatMap((architecture) => {
      const lacking = [...managers, ...others, ...related]
        .filter(
          ({ platforms }) =>
            platforms !== "unknown" && !platforms.some((one) => one.os === os && one.architecture === architecture),
        )
        .map(({ name }) => name)
        .sort();
      if (lacking.length === 0) return [];
      return [
        `not all images specified are providing the support described via the CSV labels. Note that (OS.architecture): (${os}.${architecture}) was not found for the image(s) [${lacking.join(" ")}]`,
      ];
    }),
  );
}

function affinityWarnings({ name, platforms, affinity }: Image): string[] {
  const known = platforms === "unknown" ? [{ os: "error", architecture: "error" }] : platforms;
  const all = quoteAll(known.map(format));
  if (affinity.length === 0)
    return [
      ...(platforms === "unknown"
        ? [`check if the CSV is missing a node affinity configuration for the image: ${quote(name)}. `]
        : []),
      `check if the CSV has a missing or invalid node affinity configuration for the image: ${quote(name)}. The image data suggests the following platforms are supported: ${all}`,
    ];
  const [wanted, offered] = [affinity.map(format), known.map(format)];
  const extra = wanted.filter((one) => !offered.includes(one));
  const missing = offered.filter((one) => !wanted.includes(one));
  return [
    ...(extra.length > 0
      ? [
          `the CSV includes ${quoteAll(extra)} in the node affinity configuration for the image: ${quote(name)}, but the image data suggests the following platforms are supported: ${all}`,
        ]
      : []),
    ...(missing.length > 0
      ? [
          `the image data indicates ${quoteAll(missing)} is supported for the image: ${quote(name)}, but the node affinity configuration for the image only specifies ${quoteAll(wanted)}`,
        ]
      : []),
  ];
}
