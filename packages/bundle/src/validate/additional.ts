/** Checks beyond those of operator-sdk: mistakes that its validators accept and that fail in a cluster or for a user. */
import { quote } from "@capstan/model";
import type { Bundle } from "../read/bundle.ts";
import { toText } from "../read/files.ts";
import { labels } from "../read/metadata.ts";
import { textAt } from "../read/object.ts";
import { compareVersions, parseTolerant } from "../semver.ts";
import { brokenExamples } from "./example-objects.ts";
import { type Finding, finding } from "./finding.ts";
import { droppedSchemaErrors } from "./crd.ts";
import { strayDescriptors } from "./descriptor-paths.ts";

/** All additional findings. They are warnings: the result stays the same as that of operator-sdk. */
export function validateAdditional(bundle: Bundle): Finding[] {
  return [
    ...hiddenDocuments(bundle),
    ...installModes(bundle),
    ...versions(bundle),
    ...channels(bundle),
    ...folders(bundle),
    ...accounts(bundle),
    ...webhooks(bundle),
    ...images(bundle),
    ...icons(bundle),
    ...removedLater(bundle),
    ...droppedSchemaErrors(bundle),
    ...brokenExamples(bundle),
    ...strayDescriptors(bundle),
  ].map((detail) => finding("Warning", "Forgotten", detail, { value: bundle.name }));
}

function hiddenDocuments({ objects, files }: Bundle): string[] {
  return objects
    .filter(({ file }) =>
      /^---[ \t]*\r?\n(?:\s*#.*\n)*\s*[A-Za-z"']/m.test(afterFirst(toText(files.get(file) ?? new Uint8Array()))),
    )
    .map(({ file }) => `${file} holds several documents, and only the first is read; give each a file of its own`);
}

/** What follows the first line: a separator there begins the document and does not end it. */
function afterFirst(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? "" : text.slice(end + 1);
}

const modes = new Set(["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"]);

function installModes({ csv }: Bundle): string[] {
  const types = (csv.spec?.installModes ?? []).map(({ type = "" }) => type);
  const twice = new Set(types.filter((type, at) => types.indexOf(type) !== at));
  return [
    ...[...twice].map((type) => `the install mode ${type} is listed twice; OLM refuses to install that`),
    ...types.filter((type) => !modes.has(type)).map((type) => `there is no install mode ${quote(type)}`),
  ];
}

function versions({ csv, name }: Bundle): string[] {
  const { version, replaces, skips = [] } = csv.spec ?? {};
  const own = parseTolerant(String(version ?? ""));
  const named = parseTolerant(/\.v(\d+\.\d+\.\d+.*)$/.exec(name)?.[1] ?? "");
  return [
    ...(own !== undefined && named !== undefined && compareVersions(own, named) !== 0
      ? [`the name says version ${/\.v(.*)$/.exec(name)?.[1]} and spec.version says ${version}`]
      : []),
    ...(replaces === name && name !== "" ? ["it replaces itself; no catalog can hold that"] : []),
    ...(skips.includes(name) ? ["it skips itself; no catalog can hold that"] : []),
  ];
}

function channels({ metadata }: Bundle): string[] {
  const { defaultChannel, channels: list } = metadata;
  const known = list.map((channel) => channel.trim());
  return [
    ...(defaultChannel !== "" && !known.includes(defaultChannel)
      ? [`the default channel ${quote(defaultChannel)} is none of the bundle's channels (${known.join(", ")})`]
      : []),
    ...known
      .filter((channel) => channel !== "" && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(channel))
      .map((channel) => `${quote(channel)} cannot be the name of a channel`),
  ];
}

function folders({ metadata }: Bundle): string[] {
  const wanted = [
    [labels.manifests, "manifests/"],
    [labels.metadata, "metadata/"],
  ] as const;
  return wanted
    .filter(([label, folder]) => (metadata.annotations?.[label] ?? folder) !== folder)
    .map(([label, folder]) => `the annotation ${label} should be ${quote(folder)}`);
}

function accounts({ csv }: Bundle): string[] {
  const { deployments = [], permissions = [], clusterPermissions = [] } = csv.spec?.install?.spec ?? {};
  const used = new Set(deployments.map(({ spec }) => spec?.template?.spec?.serviceAccountName ?? "default"));
  const granted = new Set(
    [...permissions, ...clusterPermissions].map(({ serviceAccountName = "" }) => serviceAccountName),
  );
  return [...granted]
    .filter((name) => !used.has(name))
    .map((name) => `the service account ${quote(name)} has permissions, and no deployment uses it`);
}

function webhooks({ csv }: Bundle): string[] {
  const deployments = new Set((csv.spec?.install?.spec?.deployments ?? []).map(({ name }) => name));
  const owned = new Set((csv.spec?.customresourcedefinitions?.owned ?? []).map(({ name }) => name));
  const list = csv.spec?.webhookdefinitions ?? [];
  const names = list.map(({ generateName = "" }) => generateName);
  return [
    ...list
      .filter(({ deploymentName }) => !deployments.has(deploymentName))
      .map(
        ({ generateName, deploymentName = "" }) =>
          `the webhook ${generateName} is served by ${quote(deploymentName)}, which is no deployment of the operator`,
      ),
    ...list.flatMap(({ generateName, conversionCRDs = [] }) =>
      conversionCRDs
        .filter((crd) => !owned.has(crd))
        .map((crd) => `the webhook ${generateName} converts ${crd}, which the operator does not own`),
    ),
    ...[...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map(
      (name) => `two webhooks are called ${name}`,
    ),
  ];
}

function images({ csv }: Bundle): string[] {
  const related = new Set((csv.spec?.relatedImages ?? []).map(({ image }) => image));
  if (related.size === 0) return [];
  const pods = (csv.spec?.install?.spec?.deployments ?? []).map(({ spec }) => spec?.template?.spec);
  const used = pods.flatMap((pod) => [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])]);
  return [...new Set(used.map(({ image }) => image))]
    .filter((image) => image !== undefined && !related.has(image))
    .map(
      (image) =>
        `${image} runs in the operator's pods and is no related image; clusters without the internet will not have it`,
    );
}

const signatures: { readonly [mediaType: string]: (bytes: Buffer) => boolean } = {
  "image/png": (bytes) => bytes.subarray(1, 4).toString("latin1") === "PNG",
  "image/gif": (bytes) => bytes.subarray(0, 3).toString("latin1") === "GIF",
  "image/jpeg": (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8,
  "image/svg+xml": (bytes) => /<svg[\s>]/.test(bytes.toString("utf8")),
};

function icons({ csv }: Bundle): string[] {
  return (csv.spec?.icon ?? []).flatMap(({ base64data = "", mediatype = "" }) => {
    if (base64data === "") return [];
    const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(base64data.replaceAll(/\s/g, ""));
    if (!isBase64) return ["the icon's data are not base64"];
    const fits = signatures[mediatype]?.(Buffer.from(base64data, "base64")) ?? true;
    return fits ? [] : [`the icon is no ${mediatype}`];
  });
}

const later: { readonly [apiVersion: string]: readonly [kinds: readonly string[], release: string] } = {
  "storage.k8s.io/v1beta1": [["CSIStorageCapacity"], "1.27"],
  "flowcontrol.apiserver.k8s.io/v1beta1": [["FlowSchema", "PriorityLevelConfiguration"], "1.26"],
  "flowcontrol.apiserver.k8s.io/v1beta2": [["FlowSchema", "PriorityLevelConfiguration"], "1.29"],
  "flowcontrol.apiserver.k8s.io/v1beta3": [["FlowSchema", "PriorityLevelConfiguration"], "1.32"],
};

function removedLater({ objects }: Bundle): string[] {
  return objects.flatMap(({ file, value }) => {
    const apiVersion = textAt(value, "apiVersion");
    const [kinds = [], release = ""] = later[apiVersion] ?? [];
    const kind = textAt(value, "kind");
    return kinds.includes(kind) ? [`${file}: ${kind} of ${apiVersion} is gone since Kubernetes ${release}`] : [];
  });
}
