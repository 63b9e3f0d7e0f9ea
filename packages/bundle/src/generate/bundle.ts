/** Generates a bundle from the objects that put an operator on a cluster: what OLM must know goes into a ClusterServiceVersion, the rest stays. */
import type { Json } from "@capstan/model";
import { stringify } from "yaml";
import { isObject, type JsonObject, toSortedJson } from "../decode/json.ts";
import { BundleError } from "../errors.ts";
import { kindOf, textAt } from "../read/object.ts";
import { labels, type Dependency } from "../read/metadata.ts";
import { parseVersion } from "../semver.ts";
import { isSupportedKind } from "../validate/content.ts";
import { dockerfileOf } from "./dockerfile.ts";
import { describeCrd, type KindDescription } from "./descriptors.ts";
import { allImages, type PinImage, pinImages } from "./images.ts";
import { collect, type Collected, type Manifest, nameOf, specOf } from "./manifest.ts";
import { permissionsOf } from "./permissions.ts";
import { scorecardConfig } from "./scorecard.ts";
import { webhooksOf, withoutConversion } from "./webhooks.ts";
import { baseCsv, sorted, type OperatorDescription } from "./descriptions.ts";

/** What a bundle is generated from. */
export interface BundleSource {
  readonly package: string;
  readonly version: string;
  readonly objects: readonly Manifest[];
  readonly channels?: readonly string[];
  readonly defaultChannel?: string;
  /** A ClusterServiceVersion that users wrote; it takes precedence over `words`. */
  readonly base?: JsonObject;
  readonly words?: OperatorDescription;
  /** More about kinds, by the names of their CRDs. */
  readonly kinds?: { readonly [crd: string]: KindDescription };
  readonly installModes?: readonly string[];
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
  readonly dependencies?: readonly Dependency[];
  readonly extraAccounts?: readonly string[];
  readonly createdAt?: string;
  /** Pins every image by digest. */
  readonly pin?: PinImage;
}

/** Texts by path, to be put beside each other: `bundle/...` and `bundle.Dockerfile`. */
export type GeneratedFiles = ReadonlyMap<string, string>;

/** Generates. The same source gives the same bytes. */
export async function generateBundle(source: BundleSource): Promise<GeneratedFiles> {
  checkSource(source);
  const found = collect(source.objects);
  const pinned = source.pin === undefined ? undefined : await pinImages(found.deployments, source.pin);
  const collected = pinned === undefined ? found : { ...found, deployments: pinned.deployments };
  const { permissions, clusterPermissions, rest } = permissionsOf(collected, source.extraAccounts);
  const images = pinned?.images ?? allImages(collected.deployments);
  const csv = csvOf(source, collected, { permissions, clusterPermissions, images: images.map((one) => ({ ...one })) });
  const kept = [...collected.crds.map(withoutConversion), ...collected.services, ...collected.others, ...rest]
    .filter((object) => isSupportedKind(kindOf(object).kind))
    .map(withoutNamespace);
  const annotations = annotationsOf(source);
  return new Map([
    [`bundle/manifests/${source.package}.clusterserviceversion.yaml`, toYaml(csv)],
    ...manifestFiles(kept),
    ["bundle/metadata/annotations.yaml", toYaml({ annotations })],
    ...((source.dependencies ?? []).length > 0
      ? [
          [
            "bundle/metadata/dependencies.yaml",
            toYaml({ dependencies: (source.dependencies ?? []).map(toJson) }),
          ] as const,
        ]
      : []),
    ["bundle/tests/scorecard/config.yaml", toYaml(collected.scorecards[0] ?? scorecardConfig)],
    ["bundle.Dockerfile", dockerfileOf(annotations)],
  ]);
}

function toJson({ type, value }: Dependency): JsonObject {
  return { type, value: value ?? null };
}

function checkSource({ package: name, version, objects }: BundleSource): void {
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(name))
    throw new BundleError(
      "BadFacts",
      `${JSON.stringify(name)} cannot be the name of a package; use small letters, digits and dashes`,
    );
  if (parseVersion(version) === undefined)
    throw new BundleError("BadFacts", `${JSON.stringify(version)} is no version; write it like 1.2.3`);
  if (!objects.some((object) => kindOf(object).kind === "Deployment"))
    throw new BundleError("BadFacts", "there is no Deployment among the manifests; a bundle needs one to install");
}

function annotationsOf({ package: name, channels = ["alpha"], defaultChannel }: BundleSource): {
  readonly [key: string]: string;
} {
  const usual = defaultChannel ?? (channels.length === 1 ? channels[0] : undefined);
  return {
    [labels.mediaType]: "registry+v1",
    [labels.manifests]: "manifests/",
    [labels.metadata]: "metadata/",
    [labels.package]: name,
    [labels.channels]: channels.join(","),
    ...(usual === undefined ? {} : { [labels.defaultChannel]: usual }),
    [labels.scorecardMediaType]: "scorecard+v1",
    [labels.scorecardConfig]: "tests/scorecard/",
  };
}

interface Derived {
  readonly permissions: readonly JsonObject[];
  readonly clusterPermissions: readonly JsonObject[];
  readonly images: readonly JsonObject[];
}

function csvOf(
  source: BundleSource,
  collected: Collected,
  { permissions, clusterPermissions, images }: Derived,
): JsonObject {
  const base = source.base ?? collected.csvs[0] ?? baseCsv(source.package, source.words ?? {});
  const spec = specOf(base);
  const written = isObject(spec["customresourcedefinitions"]) ? spec["customresourcedefinitions"] : {};
  const writtenOwned = Array.isArray(written["owned"]) ? (written["owned"] as readonly Json[]).filter(isObject) : [];
  const webhooks = webhooksOf(collected);
  const modes = source.installModes;
  return {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: metadataOf(source, base, collected),
    spec: sorted({
      ...spec,
      customresourcedefinitions: {
        ...written,
        owned: collected.crds.flatMap((crd) => describeCrd(crd, writtenOwned, source.kinds?.[nameOf(crd)])),
      },
      install: {
        spec: {
          ...(clusterPermissions.length > 0 ? { clusterPermissions } : {}),
          deployments: collected.deployments.map(toDeployment),
          ...(permissions.length > 0 ? { permissions } : {}),
        },
        strategy: "deployment",
      },
      ...(modes === undefined ? {} : { installModes: modesOf(modes) }),
      ...(images.length > 0 ? { relatedImages: images } : {}),
      ...(source.replaces === undefined ? {} : { replaces: source.replaces }),
      ...(source.skips === undefined || source.skips.length === 0 ? {} : { skips: [...source.skips] }),
      version: source.version,
      ...(webhooks.length > 0 ? { webhookdefinitions: webhooks } : {}),
    }),
  };
}

function modesOf(supported: readonly string[]): JsonObject[] {
  const all = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
  const unknown = supported.find((mode) => !all.includes(mode));
  if (unknown !== undefined)
    throw new BundleError(
      "BadFacts",
      `there is no install mode ${JSON.stringify(unknown)}; choose from ${all.join(", ")}`,
    );
  return all.map((type) => ({ supported: supported.includes(type), type }));
}

function metadataOf(source: BundleSource, base: JsonObject, { examples }: Collected): JsonObject {
  const metadata = isObject(base["metadata"]) ? base["metadata"] : {};
  const written = isObject(metadata["annotations"]) ? metadata["annotations"] : {};
  const { createdAt: _old, ...annotations } = written;
  return sorted({
    ...metadata,
    annotations: {
      ...annotations,
      "alm-examples": JSON.stringify(
        examples.map((one) => toSortedJson(withoutNamespace(one))),
        undefined,
        2,
      ),
      ...(source.skipRange === undefined ? {} : { "olm.skipRange": source.skipRange }),
      ...(source.createdAt === undefined ? {} : { createdAt: source.createdAt }),
    },
    name: `${source.package}.v${source.version}`,
    // The word that operator-sdk writes here; OLM puts the namespace of the installation in its place.
    namespace: "placeholder",
  });
}

function toDeployment(deployment: Manifest): JsonObject {
  const metadata = isObject(deployment["metadata"]) ? deployment["metadata"] : {};
  return {
    ...(metadata["labels"] === undefined ? {} : { label: metadata["labels"] }),
    name: nameOf(deployment),
    spec: specOf(deployment),
  };
}

/** OLM decides where things go. */
function withoutNamespace(object: Manifest): Manifest {
  const { namespace: _namespace, ...metadata } = isObject(object["metadata"]) ? object["metadata"] : {};
  return { ...object, metadata };
}

function manifestFiles(objects: readonly Manifest[]): [string, string][] {
  const seen = new Map<string, number>();
  return objects.map((object) => {
    const name = fileName(object);
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return [`bundle/manifests/${times === 0 ? "" : `dup${times - 1}_`}${name}`, toYaml(object)];
  });
}

function fileName(object: Manifest): string {
  const { group, version, kind } = kindOf(object);
  const spec = specOf(object);
  if (kind === "CustomResourceDefinition") return `${textAt(spec, "group")}_${textAt(spec, "names", "plural")}.yaml`;
  const name = nameOf(object).replaceAll(/[^A-Za-z0-9.-]/g, "-");
  return [name, ...(group === "" ? [] : [group]), version, kind.toLowerCase()].join("_") + ".yaml";
}

function toYaml(value: JsonObject): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
