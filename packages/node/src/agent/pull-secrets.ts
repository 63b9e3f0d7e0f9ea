/** The registry credentials of a pod, from its image pull secrets. */
import { fromDockerConfig, type Credentials, type DockerConfig, type Reference } from "@capstan/oci";
import type { Secret } from "@capstan/kinds/v1";
import type { BoundPod } from "../pod/containers.ts";
import type { Objects } from "./objects.ts";

/** All credentials that match an image, in the order in which they are tried. During a password rotation there are two. */
export type PullLogins = (reference: Reference) => Promise<readonly Credentials[]>;

/** The credentials in the pull secrets of a pod, the most specific key first. Missing secrets are skipped. */
export function pullSecretsOf(pod: BoundPod, objects: Pick<Objects, "secret">): PullLogins {
  return async (reference) => {
    const names = (pod.spec.imagePullSecrets ?? []).map(({ name = "" }) => name);
    const secrets = await Promise.all(names.map((name) => objects.secret(pod.metadata.namespace ?? "", name)));
    const entries = secrets
      .flatMap((secret) => Object.entries((secret && configOf(secret).auths) ?? {}))
      .map(([key, entry]) => ({ place: placeOf(key), entry }))
      .filter(({ place }) => isWithin(reference, place))
      .toSorted((a, b) => (a.place < b.place ? 1 : a.place > b.place ? -1 : 0));
    const { registry } = reference;
    const logins = entries.map(({ entry }) => fromDockerConfig({ auths: { [registry]: entry } }, noHelper)(registry));
    return (await Promise.all(logins)).filter((login) => login !== undefined);
  };
}

/** The host and path of a registry key, without scheme and API version: `https://index.docker.io/v1/` is `docker.io`. */
function placeOf(key: string): string {
  const place = key.replace(/^https?:\/\//u, "").replace(/\/+$/u, "");
  return place.replace(/\/v[12](?=\/|$)/u, "").replace(/^(?:index\.)?docker\.io(?=\/|$)/u, "docker.io");
}

/** Whether a key matches an image: the host, where `*` matches any text in a label, and a prefix of the path. */
function isWithin({ registry, repository }: Reference, place: string): boolean {
  const [host = "", ...path] = place.split("/");
  const [labels, wanted] = [host, registry].map((name) => name.split("."));
  return (
    labels?.length === wanted?.length &&
    `/${repository}`.startsWith(path.length === 0 ? "" : `/${path.join("/")}`) &&
    (labels ?? []).every((label, at) => fits(label, wanted?.[at] ?? ""))
  );
}

function fits(glob: string, label: string): boolean {
  const parts = glob.split("*").map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/gu, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "u").test(label);
}

/** The pull secrets that a pod names and that do not exist. */
export async function missingPullSecrets(
  { metadata, spec }: BoundPod,
  objects: Pick<Objects, "secret">,
): Promise<readonly string[]> {
  const names = (spec.imagePullSecrets ?? []).flatMap(({ name = "" }) => (name === "" ? [] : [name]));
  const found = await Promise.all(names.map((name) => objects.secret(metadata.namespace ?? "", name)));
  return names.filter((_name, index) => found[index] === undefined);
}

/** Credential helpers are programs on a user's machine; a secret that names one has no effect here. */
const noHelper = async (): Promise<undefined> => undefined;

/** Reads both secret formats of Kubernetes. Unreadable data counts as empty. */
function configOf({ data = {} }: Secret): DockerConfig {
  const [whole, old] = [parse(data[".dockerconfigjson"]), parse(data[".dockercfg"])];
  return whole ?? { auths: (old as DockerConfig["auths"]) ?? {} };
}

function parse(base64: string | undefined): DockerConfig | undefined {
  if (base64 === undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8")) as DockerConfig;
  } catch {
    return undefined;
  }
}
